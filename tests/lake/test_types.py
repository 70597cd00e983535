"""Each family of types at its edges, from the bytes of a log to Arrow and through Parquet."""

from __future__ import annotations

import datetime as dt
import decimal
import io
import struct
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from binlogcli.errors import BinlogError
from binlogcli.lake.decode.split_decoder import decode_split
from binlogcli.lake.model import Batch, LakeOptions, LogGap, Split
from binlogcli.lake.tables import types
from binlogcli.lake.tables.logical import logical_table
from binlogcli.lake.tables.parquet_options import writer_arguments
from binlogcli.lake.tables.spark_schema import spark_struct
from binlogcli.lake.tables.types import LakeColumn, TableSchema, free_name
from binlogcli.lake.tables.widening import widen
from support.bodies import (
    BINARY,
    BIT,
    BLOB,
    DATE,
    DATETIME2,
    DOUBLE,
    FLOAT,
    GEOMETRY,
    INT24,
    LATIN1,
    LONG,
    LONGLONG,
    NEWDECIMAL,
    SHORT,
    STRING,
    TIME2,
    TIMESTAMP2,
    TINY,
    UNSIGNED,
    UPDATE_V1,
    UTF8MB4,
    VARCHAR,
    VECTOR,
    WRITE_V1,
    YEAR,
    charset,
    lenenc,
    lenenc_field,
    rows_event,
    table_map,
)
from support.logs import MYSQL, LogBuilder
from support.stored_rows import pack_decimal


def batches(path: Path, log: LogBuilder, **options: Any) -> list[Batch]:
    """The batches of a table; nothing of the log may be damaged."""
    path.write_bytes(bytes(log.log))
    found = list(decode_split(Split(str(path)), LakeOptions(**options)))
    assert not [item for item in found if isinstance(item, LogGap)]
    return [item for item in found if isinstance(item, Batch) and item.schema is not None]


@pytest.fixture
def column(tmp_path: Path) -> Any:
    """Makes the column of a table that has one: NULL and a value, in memory and read back from Parquet."""

    def make(code: int, stored: bytes, metadata: bytes = b"", optional: bytes = b"", **options: Any) -> pa.Array:
        log = LogBuilder(MYSQL).describe().add(19, table_map([code], metadata, optional))
        log.add(WRITE_V1, rows_event(1, b"\1" + b"\0" + stored))
        (batch,) = batches(tmp_path / "log", log, **options)
        batch.data.validate(full=True)
        file = io.BytesIO()
        with pq.ParquetWriter(file, batch.data.schema, **writer_arguments(batch.data)) as writer:
            writer.write_batch(batch.data)
        again = pq.read_table(io.BytesIO(file.getvalue()))
        assert again.column(0).to_pylist() == batch.data.column(0).to_pylist() or code in {FLOAT, DOUBLE}
        assert batch.data.column(0).to_pylist()[0] is None
        return batch.data

    return make


def value_of(data: pa.RecordBatch) -> Any:
    return data.column(0)[1].as_py()


@pytest.mark.parametrize(("code", "size"), [(TINY, 1), (SHORT, 2), (INT24, 3), (LONG, 4), (LONGLONG, 8)])
def test_integers_keep_their_sign_and_grow_where_they_have_none(column: Any, code: int, size: int) -> None:
    for value in (0, 1, -1, 2 ** (8 * size - 1) - 1, -(2 ** (8 * size - 1))):
        stored = value.to_bytes(size, "little", signed=True)
        assert value_of(column(code, stored)) == value
        assert value_of(column(code, stored, optional=UNSIGNED)) == value % 2 ** (8 * size)


def test_integers_are_as_wide_as_the_table_says(column: Any) -> None:
    signed = ["int8", "int16", "int32", "int32", "int64"]
    unsigned = ["int16", "int32", "int32", "int64", "decimal128(20, 0)"]
    for optional, kinds in ((b"", signed), (UNSIGNED, unsigned)):
        found = [
            str(column(code, bytes(size), optional=optional).schema.field(0).type)
            for code, size in ((TINY, 1), (SHORT, 2), (INT24, 3), (LONG, 4), (LONGLONG, 8))
        ]
        assert found == kinds


@pytest.mark.parametrize("value", [0.0, -0.0, 1.5, 3.4028234663852886e38, 1.401298464324817e-45, float("inf")])
def test_floats_are_their_bits(column: Any, value: float) -> None:
    assert struct.pack("<d", value_of(column(FLOAT, struct.pack("<f", value), b"\4"))) == struct.pack("<d", value)
    assert struct.pack("<d", value_of(column(DOUBLE, struct.pack("<d", value), b"\x08"))) == struct.pack("<d", value)


@pytest.mark.parametrize(
    ("precision", "scale"), [(1, 0), (9, 9), (18, 2), (19, 0), (20, 10), (38, 0), (38, 38), (38, 30)]
)
def test_decimals_are_exact(column: Any, precision: int, scale: int) -> None:
    whole, fraction = "9" * (precision - scale) or "0", "." + "9" * scale if scale else ""
    for text in (f"{whole}{fraction}", f"-{whole}{fraction}", "0" + ("." + "0" * (scale - 1) + "1" if scale else "")):
        stored = pack_decimal(text, precision, scale)
        data = column(NEWDECIMAL, stored, bytes([precision, scale]))
        assert value_of(data) == decimal.Decimal(text)
        assert data.schema.field(0).type == pa.decimal128(precision, scale)


def test_decimals_wider_than_any_reader_takes_are_text(column: Any) -> None:
    text = "-" + "9" * 35 + "." + "1" * 30
    data = column(NEWDECIMAL, pack_decimal(text, 65, 30), bytes([65, 30]))
    assert value_of(data) == text


@pytest.mark.parametrize("bits", [1, 2, 9, 63, 64])
def test_bits(column: Any, bits: int) -> None:
    for value in (0, 1, 2**bits - 1):
        found = value_of(column(BIT, value.to_bytes((bits + 7) // 8, "big"), bytes([bits % 8, bits // 8])))
        assert found == (bool(value) if bits == 1 else value)


def test_years(column: Any) -> None:
    assert [value_of(column(YEAR, bytes([year]))) for year in (0, 1, 255)] == [0, 1901, 2155]


DATES = [
    ((2024, 2, 29), dt.date(2024, 2, 29)),
    ((1, 1, 1), dt.date(1, 1, 1)),
    ((9999, 12, 31), dt.date(9999, 12, 31)),
    ((1969, 12, 31), dt.date(1969, 12, 31)),
    ((1900, 2, 28), dt.date(1900, 2, 28)),
    ((0, 0, 0), None),
    ((2023, 2, 29), None),
    ((2024, 2, 31), None),
    ((2024, 0, 1), None),
    ((2024, 1, 0), None),
    ((0, 1, 1), None),
    ((1900, 2, 29), None),
    ((12000, 1, 1), None),
]


@pytest.mark.parametrize(("parts", "value"), DATES)
def test_dates_and_such_as_no_calendar_has(column: Any, parts: tuple[int, int, int], value: dt.date | None) -> None:
    year, month, day = parts
    stored = (year << 9 | month << 5 | day).to_bytes(3, "little")
    assert value_of(column(DATE, stored)) == value
    data = column(DATE, stored, zero_dates="raw")
    assert data.schema.names[:2] == ["c1", "c1__raw"]
    assert data.column(1)[1].as_py() == (f"{year:04d}-{month:02d}-{day:02d}" if value is None else None)
    if value is None:
        with pytest.raises(BinlogError, match="is not a valid date"):
            column(DATE, stored, zero_dates="error")


def test_datetimes_to_the_microsecond(column: Any) -> None:
    for moment in (dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31, 23, 59, 59, 999999), dt.datetime(1969, 12, 31, 1)):
        number = (moment.year * 13 + moment.month) << 22 | moment.day << 17 | moment.hour << 12
        number |= moment.minute << 6 | moment.second
        stored = (number + (1 << 39)).to_bytes(5, "big") + moment.microsecond.to_bytes(3, "big")
        assert value_of(column(DATETIME2, stored, b"\6")) == moment
    assert value_of(column(DATETIME2, (1 << 39).to_bytes(5, "big"), b"\0")) is None


def test_timestamps_are_points_in_time(column: Any) -> None:
    data = column(TIMESTAMP2, bytes.fromhex("7fffffff0f423f"), b"\6")
    assert value_of(data) == dt.datetime(2038, 1, 19, 3, 14, 7, 999999, dt.UTC)
    assert value_of(column(TIMESTAMP2, bytes(4), b"\0")) is None


def test_times_are_microseconds_of_either_sign(column: Any) -> None:
    assert value_of(column(TIME2, bytes.fromhex("b46efb"), b"\0")) == (838 * 3600 + 59 * 60 + 59) * 1000000
    assert value_of(column(TIME2, bytes.fromhex("7fffffffff"), b"\4")) == -100


def test_text_is_utf_8_whatever_it_was(column: Any) -> None:
    short = bytes([20, 0])
    assert value_of(column(VARCHAR, b"\4\xf0\x9f\x98\x80", short, charset(UTF8MB4))) == "😀"
    assert value_of(column(VARCHAR, b"\2\xe9\x80", short, charset(LATIN1))) == "é€"
    assert value_of(column(VARCHAR, b"\2\x82\xa0", short, charset(13))) == "あ"  # sjis
    assert value_of(column(VARCHAR, b"\0", short, charset(UTF8MB4))) == ""
    assert value_of(column(VARCHAR, b"\2\xff\0", short, charset(BINARY))) == b"\xff\0"


@pytest.mark.parametrize("raw", [b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82", b"a\xe9b"])
def test_text_that_is_none_makes_its_column_bytes_or_is_replaced(column: Any, raw: bytes) -> None:
    stored = bytes([len(raw)]) + raw
    for optional in (charset(UTF8MB4), b""):
        data = column(VARCHAR, stored, bytes([20, 0]), optional)
        assert data.schema.field(0).type == pa.binary()
        assert value_of(data) == raw
        assert "\ufffd" in value_of(column(VARCHAR, stored, bytes([20, 0]), optional, invalid_text="replace"))
        with pytest.raises(BinlogError, match="bytes that are no"):
            column(VARCHAR, stored, bytes([20, 0]), optional, invalid_text="error")


def test_a_column_that_turned_out_as_bytes_stays_so(tmp_path: Path) -> None:
    log = LogBuilder(MYSQL).describe().add(19, table_map([VARCHAR], bytes([20, 0])))
    for stored in (b"\1a", b"\1\xff", b"\1b"):
        log.add(WRITE_V1, rows_event(1, b"\0" + stored))
    found = batches(tmp_path / "log", log, batch_bytes=1)
    assert [(batch.data.column(0)[0].as_py()) for batch in found] == ["a", b"\xff", b"b"]
    assert len({batch.key for batch in found}) == 2


def test_labels(column: Any) -> None:
    labels = lenenc_field(6, b"\3\1x\1y\5a,b'c") + lenenc_field(10, lenenc(UTF8MB4))
    found = [value_of(column(STRING, bytes([at]), b"\xf7\1", labels)) for at in (0, 1, 3, 4)]
    assert found == ["", "x", "a,b'c", "4"]
    assert value_of(column(STRING, b"\2", b"\xf7\1")) == 2
    members = lenenc_field(5, b"\3\1p\1q\1r") + lenenc_field(10, lenenc(UTF8MB4))
    found = [value_of(column(STRING, bytes([at]), b"\xf8\1", members)) for at in (0, 5, 7, 9)]
    assert found == [[], ["p", "r"], ["p", "q", "r"], ["p", "8"]]
    assert value_of(column(STRING, b"\xff" * 8, b"\xf8\x08")) == 2**64 - 1


def test_geometry_has_its_srid_beside_it_and_vectors_are_lists(column: Any) -> None:
    point = bytes.fromhex("0101000000") + struct.pack("<dd", 1.0, 2.0)
    data = column(GEOMETRY, bytes([len(point) + 4]) + (4326).to_bytes(4, "little") + point, b"\1")
    assert (value_of(data), data.column(1).to_pylist()) == (point, [None, 4326])
    assert data.schema.names[:2] == ["c1", "c1__srid"]
    assert value_of(column(VECTOR, bytes([8]) + struct.pack("<2f", 1.5, -2.0), b"\1")) == [1.5, -2.0]


def test_blobs_are_bytes(column: Any) -> None:
    assert value_of(column(BLOB, b"\3\0\xff\1", b"\1", charset(BINARY))) == b"\0\xff\1"


# rows and names -------------------------------------------------------------------------------------------------------


def test_columns_that_an_image_lacks_are_named(tmp_path: Path) -> None:
    log = LogBuilder(MYSQL).describe().add(19, table_map([TINY, TINY]))
    body = (7).to_bytes(6, "little") + b"\1\0" + b"\2" + b"\1" + b"\2" + b"\0\5" + b"\0\6"
    log.add(UPDATE_V1, body)
    (batch,) = batches(tmp_path / "log", log)
    (row,) = batch.data.to_pylist()
    assert (row["c1"], row["c2"], row["_before"]) == (None, 6, {"c1": 5, "c2": None})
    assert row["_absent"] == ["c1", "_before.c2"]


def test_columns_only_leaves_four_of_ours(tmp_path: Path) -> None:
    log = LogBuilder(MYSQL).describe().add(19, table_map([TINY]))
    log.add(WRITE_V1, rows_event(1, b"\0\7"))
    (batch,) = batches(tmp_path / "log", log, columns_only=True)
    assert batch.data.schema.names == ["c1", "_op", "_ts", "_outcome", "_pos"]


def test_a_row_that_breaks_off_is_told_and_those_before_it_are_there(tmp_path: Path) -> None:
    log = LogBuilder(MYSQL).describe().add(19, table_map([LONG, VARCHAR], bytes([20, 0])))
    log.add(WRITE_V1, rows_event(2, b"\0\1\0\0\0\1a" + b"\0\2\0\0\0\x09b"))
    path = tmp_path / "log"
    path.write_bytes(bytes(log.log))
    items = list(decode_split(Split(str(path)), LakeOptions()))
    (rows,) = [item for item in items if isinstance(item, Batch) and item.schema is not None]
    (gap,) = [item for item in items if isinstance(item, LogGap)]
    assert rows.data.to_pylist()[0]["c2"] == "a"
    assert rows.data.num_rows == 1
    assert "value needs 9 bytes" in gap.reason


def test_names_never_meet_ours_or_one_another() -> None:
    taken = {name for name, _ in types.METADATA}
    assert [free_name(name, taken) for name in ("a", "A", "_op", "a_2", "\udcff")] == [
        "a",
        "A_2",
        "_op_2",
        "a_2_2",
        "\ufffd",
    ]


@pytest.mark.parametrize(
    ("first", "second", "wide"),
    [
        ("int8", "int64", "int64"),
        ("int32", "decimal(20,0)", "decimal(20,0)"),
        ("int64", "decimal(10,2)", "decimal(21,2)"),
        ("decimal(10,2)", "decimal(12,4)", "decimal(12,4)"),
        ("decimal(38,0)", "decimal(38,30)", None),
        ("float32", "float64", "float64"),
        ("date32", "timestamp[us]", "timestamp[us]"),
        ("string", "binary", "binary"),
        ("label", "string", "string"),
        ("int32", "string", None),
    ],
)
def test_versions_widen_where_nothing_is_lost(first: str, second: str, wide: str | None) -> None:
    assert widen(first, second) == widen(second, first) == wide


def test_all_versions_are_read_by_one_schema() -> None:
    old = TableSchema("shop", "t", (LakeColumn("id", "id", "INT", "int32"), LakeColumn("x", "x", "INT", "int32")))
    new = TableSchema("shop", "t", (LakeColumn("id", "id", "BIGINT", "int64"), LakeColumn("x", "x", "TEXT", "string")))
    assert old.fingerprint != new.fingerprint
    assert logical_table([old, new]).types == [("id", "int64"), ("x", "string")]
    fields = spark_struct(logical_table([old, new]).types)["fields"]
    without_key = [name for name, _ in types.METADATA if name != "_key"]
    assert [field["name"] for field in fields] == ["id", "x", *without_key]  # type: ignore[attr-defined]
    fields = spark_struct(logical_table([old, new]).types, key=["x", "id"])["fields"]
    (key,) = (field["type"] for field in fields if field["name"] == "_key")  # type: ignore[attr-defined]
    assert [(field["name"], field["type"]) for field in key["fields"]] == [("x", "string"), ("id", "long")]


def test_columns_may_be_called_like_those_of_events(tmp_path: Path) -> None:
    names = lenenc_field(4, b"".join(bytes([len(name)]) + name for name in (b"pos", b"end", b"body", b"seq")))
    log = LogBuilder(MYSQL).describe()
    log.add(19, table_map([VARCHAR] * 4, bytes([20, 0]) * 4, charset(UTF8MB4) + names))
    log.add(WRITE_V1, rows_event(4, b"\0" + b"\1a\1b\1c\1d"))
    (batch,) = batches(tmp_path / "log", log)
    file = io.BytesIO()
    with pq.ParquetWriter(file, batch.data.schema, **writer_arguments(batch.data)) as writer:
        writer.write_batch(batch.data)
    (row,) = pq.read_table(io.BytesIO(file.getvalue())).to_pylist()
    assert [row[name] for name in ("pos", "end", "body", "seq")] == ["a", "b", "c", "d"]
