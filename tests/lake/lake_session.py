"""A session of Spark that reads tables of a lake as a user does: lake_session.py LAKE OUT NAME...

Writes the rows of each table as Arrow, under its number.
"""

import sys
from pathlib import Path

import pyarrow as pa
from pyspark.sql import SparkSession


def main() -> None:
    lake, out = sys.argv[1], Path(sys.argv[2])
    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "1")
        .config("spark.sql.session.timeZone", "UTC")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("OFF")
    for number, name in enumerate(sys.argv[3:]):
        table = spark.read.format("binlog").option("lake", lake).option("table", name).load()
        rows = table.orderBy("_seq").toArrow()
        with pa.OSFile(str(out / str(number)), "wb") as file, pa.ipc.new_file(file, rows.schema) as writer:
            writer.write_table(rows)
    for line in (out.parent / "documented").read_text().splitlines():
        assert eval(line.replace('"lake", "lake"', f'"lake", {lake!r}')).count() > 0
    days = spark.read.parquet(f"{out.parent}/dated/tables/shop/t/generation=1")
    assert [str(row.date) for row in days.where("date > '2023-11-16'").collect()] == ["2023-11-17"]
    assert days.where("date <> CAST(_ts AS DATE)").count() == 0
    dated = spark.read.format("binlog").option("lake", f"{out.parent}/dated").option("table", "shop.t").load()
    assert dated.count() == 6
    some = spark.read.format("binlog").option("lake", lake).option("table", name).option("columns", "_op").load()
    assert some.columns == ["_op"]
    assert some.count() == table.count()


main()
