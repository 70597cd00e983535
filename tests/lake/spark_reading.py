"""A session of Spark that reads Parquet as its users do: spark_reading.py FOLDERS ANSWER.

FOLDERS is a JSON list of directories. ANSWER becomes a pickle of what was found in each: the columns as (name, type),
and the rows in the order of `_seq`. Of points in time the microseconds are asked for, which Python need not turn.
"""

from __future__ import annotations

import json
import pickle
import sys
from pathlib import Path
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.types import StructType, TimestampType


def parts(frame: DataFrame) -> list[Column]:
    """The columns, those of a struct one by one after whether it is there."""
    found: list[Column] = []
    for field in frame.schema:
        column = frame[quoted(field.name)]
        if isinstance(field.dataType, StructType):
            found.append(column.isNotNull())
            found += [plain(column.getField(one.name), one.dataType) for one in field.dataType]
        else:
            found.append(plain(column, field.dataType))
    return found


def plain(column: Column, kind: Any) -> Column:
    return f.unix_micros(column) if isinstance(kind, TimestampType) else column


def quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def main() -> None:
    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.codegen.wholeStage", "false")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("OFF")
    answer = {}
    for folder in json.loads(Path(sys.argv[1]).read_text()):
        frame = spark.read.parquet(folder)
        kinds = [(field.name, field.dataType.simpleString()) for field in frame.schema]
        rows = frame.select(*parts(frame), frame["_seq"].alias("order__")).collect()
        answer[folder] = kinds, [tuple(row)[:-1] for row in sorted(rows, key=lambda row: row[-1])]
    Path(sys.argv[2]).write_bytes(pickle.dumps(answer))


main()
