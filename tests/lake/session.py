"""A session of Spark that uses the data source `binlog` as a user does: session.py LOGS CHECKPOINT STREAMED STEP.

Prints what it found as JSON. It has nothing but what an installation gives: no import of binlogcli.
"""

import json
import shutil
import sys
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession


def main() -> None:
    logs, later, work = map(Path, sys.argv[1:4])
    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.session.timeZone", "UTC")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("OFF")
    orders = spark.read.format("binlog").option("table", "shop.orders").load(f"{logs}/*.0000*")
    found: dict[str, Any] = {
        "columns": orders.columns,
        "orders": sorted(row.c1 for row in orders.where("c1 > 0").select("c1").collect()),
        "seqs": orders.select("_seq").distinct().count(),
    }
    spark.conf.set("spark.sql.python.filterPushdown.enabled", "true")
    found["pushed"] = sorted(row.c1 for row in orders.where("_pos > 4 AND _gtid = '0-101-1'").collect())
    found["timed"] = [
        orders.where(f"_op = 'insert' AND _ts {sign} '2023-11-28 22:19:20'").count() for sign in ("<", "=", ">")
    ]
    found["none"] = orders.where("_server_id = 77").count()
    spark.conf.unset("spark.sql.python.filterPushdown.enabled")
    some = spark.read.format("binlog").option("table", "shop.orders").option("columns", "c1,_op").load(str(logs))
    found["some"] = [field.simpleString() for field in some.schema]
    events = spark.read.format("binlog").load(str(logs))
    found["types"] = {row["type"]: row["count"] for row in events.groupBy("type").count().collect()}
    spark.sql(f"CREATE TEMPORARY VIEW changes USING binlog OPTIONS (path '{logs}/*.0000*', table 'shop.orders1')")
    found["view"] = [row[0] for row in spark.sql("SELECT c1 FROM changes ORDER BY c1").collect()]
    stream = spark.readStream.format("binlog").option("table", "shop.orders").load(str(logs))
    found["streamed"] = []
    for step in range(3):
        query = (
            stream.select("c1", "_seq")
            .writeStream.format("parquet")
            .option("path", str(work / "streamed"))
            .option("checkpointLocation", str(work / "checkpoint"))
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination()
        rows = spark.read.parquet(str(work / "streamed")).collect()
        found["streamed"].append(sorted(row.c1 for row in rows))
        for path in sorted(later.glob(f"{step}/*")):
            shutil.copy(path, logs)
    found["order"] = [row.c1 for row in sorted(rows, key=lambda row: row._seq)]
    told = work / "told"
    tables = spark.read.format("binlog").option("table", "shop.t").load(f"{told}/bin.*")
    found["told"] = [list(row) for row in tables.select("id", "number").orderBy("_seq").collect()]
    stream = spark.readStream.format("binlog").option("table", "shop.t").load(str(told))
    for step in range(2):
        query = (
            stream.select("id", "number", "_seq")
            .writeStream.format("parquet")
            .option("path", str(work / "told-streamed"))
            .option("checkpointLocation", str(work / "told-checkpoint"))
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination()
        if step == 0:
            shutil.copy(work / "bin.000003", told)
    rows = spark.read.parquet(str(work / "told-streamed")).orderBy("_seq").collect()
    found["told_later"] = [list(row)[:2] for row in rows]
    sys.stdout.write(json.dumps(found) + "\n")


main()
