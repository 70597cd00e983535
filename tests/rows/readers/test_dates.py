"""Dates and times of every type and precision from their bytes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from support.bodies import (
    DATE,
    DATETIME,
    DATETIME2,
    LONG,
    TIME,
    TIME2,
    TIMESTAMP,
    TIMESTAMP2,
    TINY,
    WRITE_V1,
    rows_event,
    table_map,
)
from support.logs import MARIADB, MYSQL, LogBuilder
from support.reading import json_lines
from support.stored_rows import json_rows, value_of

UNITS = (1, 10000, 10000, 100, 100, 1, 1)


def cut(micro: int, fsp: int) -> int:
    return micro - micro % int(10 ** (6 - fsp))


def fraction(micro: int, fsp: int) -> bytes:
    return (cut(micro, fsp) // UNITS[fsp]).to_bytes((fsp + 1) // 2, "big")


@pytest.mark.parametrize("fsp", range(7))
def test_datetimes_of_all_precisions(fsp: int) -> None:
    for year, month, day, hour, minute, second, micro in (
        (0, 0, 0, 0, 0, 0, 0),
        (2024, 2, 29, 12, 34, 56, 789123),
        (9999, 12, 31, 23, 59, 59, 999999),
        (1000, 0, 15, 0, 0, 0, 1),
        (2024, 2, 31, 1, 2, 3, 0),
    ):
        number = (((year * 13 + month) << 5 | day) << 17 | hour << 12 | minute << 6 | second) + (1 << 39)
        stored = number.to_bytes(5, "big") + fraction(micro, fsp)
        text = f"{year:04d}-{month:02d}-{day:02d} {hour:02d}:{minute:02d}:{second:02d}"
        assert value_of(DATETIME2, stored, bytes([fsp])) == text + (f".{cut(micro, fsp):06d}"[: fsp + 1] if fsp else "")


@pytest.mark.parametrize("fsp", range(7))
def test_times_of_all_precisions_and_both_signs(fsp: int) -> None:
    for hour, minute, second, micro in (
        (0, 0, 0, 0),
        (12, 34, 56, 789123),
        (838, 59, 59, 0),
        (0, 0, 0, 999999),
        (0, 0, 1, 10000),
    ):
        unit = UNITS[fsp] if fsp else 1
        whole = (hour << 12 | minute << 6 | second) << 8 * ((fsp + 1) // 2)
        magnitude = whole + (cut(micro, fsp) // unit if fsp else 0)
        size = 3 + (fsp + 1) // 2
        zero = 0x800000 << 8 * ((fsp + 1) // 2)
        text = f"{hour:02d}:{minute:02d}:{second:02d}" + (f".{cut(micro, fsp):06d}"[: fsp + 1] if fsp else "")
        assert value_of(TIME2, (zero + magnitude).to_bytes(size, "big"), bytes([fsp])) == text
        if magnitude:
            assert value_of(TIME2, (zero - magnitude).to_bytes(size, "big"), bytes([fsp])) == f"-{text}"


@pytest.mark.parametrize(
    ("stored", "fsp", "text"),
    [
        ("7fef7d", 0, "-01:02:03"),
        ("b46efb", 0, "838:59:59"),
        ("80c8b81ed3", 4, "12:34:56.7891"),
        ("7fffffffff", 4, "-00:00:00.0001"),
        ("7fffffff", 2, "-00:00:00.01"),
        ("7fffff9d", 2, "-00:00:00.99"),
        ("7fffff00", 2, "-00:00:01.00"),
        ("7ffffeff", 2, "-00:00:01.01"),
        ("7ffffef6", 2, "-00:00:01.10"),
    ],
)
def test_times_of_real_logs(stored: str, fsp: int, text: str) -> None:
    assert value_of(TIME2, bytes.fromhex(stored), bytes([fsp])) == text


@pytest.mark.parametrize("fsp", range(7))
def test_timestamps_of_all_precisions(fsp: int) -> None:
    for seconds, micro, text in (
        (0, 0, "0000-00-00 00:00:00"),
        (1, 0, "1970-01-01 00:00:01"),
        (0x65E079F0, 123456, "2024-02-29 12:34:56"),
        (0x7FFFFFFF, 999999, "2038-01-19 03:14:07"),
        (0xFFFFFFFF, 0, "2106-02-07 06:28:15"),
    ):
        stored = seconds.to_bytes(4, "big") + fraction(micro, fsp)
        expected = text + (f".{cut(micro, fsp):06d}"[: fsp + 1] if fsp else "")
        assert value_of(TIMESTAMP2, stored, bytes([fsp])) == expected


@pytest.mark.parametrize("version", [MYSQL, MARIADB])
def test_the_old_types_without_fractions(version: str) -> None:
    assert value_of(DATE, bytes.fromhex("5dd00f"), version=version) == "2024-02-29"
    assert value_of(DATE, bytes(3), version=version) == "0000-00-00"
    assert value_of(TIME, bytes.fromhex("25d8ff"), version=version) == "-01:02:03"
    assert value_of(TIME, (8385959).to_bytes(3, "little"), version=version) == "838:59:59"
    assert value_of(DATETIME, bytes.fromhex("80c5aa8b68120000"), version=version) == "2024-02-29 12:34:56"
    assert value_of(TIMESTAMP, bytes.fromhex("f079e065"), version=version) == "2024-02-29 12:34:56"


@pytest.mark.parametrize(
    ("code", "stored", "text"),
    [
        (TIME, "00b3ced4c0", "-01:02:03.456"),
        (TIME, "02be5fef0aeb", "-01:02:03.456789"),
        (DATETIME, "069df88fdc0e", "2024-02-29 12:34:56.78"),
        (DATETIME, "01027abd7379de40", "2024-02-29 12:34:56.123456"),
        (TIMESTAMP, "65e079f00c34fa", "2024-02-29 12:34:56.799994"),
        (DATETIME, "80c5aa8b68120000", "2024-02-29 12:34:56"),
        (DATETIME, "0000000000000000", "0000-00-00 00:00:00"),
    ],
)
def test_the_precision_of_old_types_of_mariadb_is_found(code: int, stored: str, text: str) -> None:
    assert mariadb_rows([code, TINY], b"\xfc" + bytes.fromhex(stored) + b"\7") == [{"@1": text, "@2": 7}]


def test_where_two_precisions_fit_none_is_taken_unless_earlier_rows_decide() -> None:
    fraction, vague = b"\x27\x0f", b"\0\x7b"  # 9999 are four digits, 123 may be three
    stamp = b"\xfe" + bytes.fromhex("65e079f0")
    (row,) = mariadb_rows([TIMESTAMP], stamp + vague)
    assert "pass --schema" in row["reason"]
    assert mariadb_rows([TIMESTAMP], stamp + fraction, stamp + vague) == [
        {"@1": "2024-02-29 12:34:56.9999"},
        {"@1": "2024-02-29 12:34:56.0123"},
    ]


def test_a_reading_with_null_where_the_table_has_none_is_none() -> None:
    """Without a fraction its bytes would be a part of the number, whose end would be three rows of NULL."""
    row = b"\xf8" + b"\5\0\0\0" + bytes.fromhex("65e079f007a120") + b"\xff\xff\xff\xff"
    assert mariadb_rows([LONG, TIMESTAMP, LONG], row, nulls=b"\xfe") == [
        {"@1": 5, "@2": "2024-02-29 12:34:56.500000", "@3": -1}
    ]


def mariadb_rows(types: list[int], *events: bytes, nulls: bytes = b"\xff") -> list[Any]:
    """The rows of these events, each after the table's map, as JSON has them."""
    log = LogBuilder(MARIADB).describe()
    for rows in events:
        log.add(19, table_map(types)[:-1] + nulls).add(WRITE_V1, rows_event(len(types), rows))
    lines, _ = json_lines(bytes(log.log))
    return [row.get("after", row) for line in lines for row in json.loads(line)["body"].get("rows", ())]


def test_a_table_of_old_types_only_is_tried_without_end_nor_harm() -> None:
    log = LogBuilder(MARIADB).describe().add(19, table_map([TIME] * 4000))
    log.add(WRITE_V1, rows_event(4000, bytes(500) + bytes(4000 * 3 + 1)))
    (row,) = json_rows(bytes(log.log))
    assert "pass --schema" in row["reason"]
