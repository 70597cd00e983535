"""Reads logs by the data source in a session of Spark: spark_read.py load|count TABLE PATH.

Prints the columns or rows, the tasks, and the seconds of `load()` and of all.
"""

from __future__ import annotations

import sys
import time

from pyspark.sql import SparkSession


def main() -> None:
    """Read the table."""
    action, table, path = sys.argv[1:]
    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "1")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("OFF")
    spark.range(1).count()  # all that starts has started
    begun = time.monotonic()
    rows = spark.read.format("binlog").option("table", table).option("columns", "_op").load(path)
    loaded = time.monotonic() - begun
    found = rows.count() if action == "count" else len(rows.columns)
    tasks = rows.rdd.getNumPartitions() if action == "count" else 0
    sys.stdout.write(f"{found} {tasks} {loaded:.2f} {time.monotonic() - begun:.2f}\n")


main()
