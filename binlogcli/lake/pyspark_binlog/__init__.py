"""Installed beside the package as `pyspark_binlog`: the name by which Spark finds the data source `binlog` on its own.

Spark imports every module of such a name when a session first asks for a data source, so this one does next to nothing.
"""

from binlogcli.lake.spark.source import DefaultSource

__all__ = ["DefaultSource"]
