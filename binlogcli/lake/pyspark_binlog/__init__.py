"""Installed beside the package as `pyspark_binlog`: the name by which Spark finds the data source `binlog` on its own.

Spark imports every module named `pyspark_*` when a session first looks for a data source, so this one imports little.
"""

from binlogcli.lake.spark.source import DefaultSource

__all__ = ["DefaultSource"]
