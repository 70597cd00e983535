"""Numbers of every width from their bytes, and what is stored as numbers: bits, years, ENUM and SET."""

from __future__ import annotations

import decimal
import struct

import pytest

from support.bodies import (
    BIT,
    DOUBLE,
    FLOAT,
    INT24,
    LATIN1,
    LONG,
    LONGLONG,
    NEWDECIMAL,
    SHORT,
    STRING,
    TINY,
    UNSIGNED,
    UTF8MB4,
    WRITE_V1,
    YEAR,
    lenenc,
    lenenc_field,
    rows_event,
    table_map,
)
from support.logs import LogBuilder
from support.stored_rows import json_rows, json_value, pack_decimal, value_of


@pytest.mark.parametrize(("code", "size"), [(TINY, 1), (SHORT, 2), (INT24, 3), (LONG, 4), (LONGLONG, 8)])
def test_integers_are_signed_unless_the_log_says_otherwise(code: int, size: int) -> None:
    for value in (0, 1, -1, 2 ** (8 * size - 1) - 1, -(2 ** (8 * size - 1))):
        stored = value.to_bytes(size, "little", signed=True)
        assert value_of(code, stored) == value
        assert value_of(code, stored, optional=UNSIGNED) == value % 2 ** (8 * size)
        assert value_of(code, stored, optional=lenenc_field(1, b"\x7f")) == value


@pytest.mark.parametrize("value", [0.0, 1.5, -1.5, 1e30, 0.1, 3.4028234663852886e38, 1.401298464324817e-45])
def test_a_float_has_the_fewest_digits_that_give_it_back(value: float) -> None:
    stored = struct.pack("<f", value)
    found = value_of(FLOAT, stored, b"\4")
    assert struct.pack("<f", found) == stored
    assert len(repr(found)) <= 14


@pytest.mark.parametrize("value", [0.0, -2.25, 1.7976931348623157e308, 5e-324, 0.1, 1 / 3])
def test_a_double_is_itself(value: float) -> None:
    assert value_of(DOUBLE, struct.pack("<d", value), b"\x08") == value


def test_negative_zero_stays_negative() -> None:
    log = LogBuilder().describe().add(19, table_map([DOUBLE], b"\x08"))
    log.add(WRITE_V1, rows_event(1, b"\0" + struct.pack("<d", -0.0)))
    assert str(json_value(bytes(log.log))) == "-0.0"


@pytest.mark.parametrize("value", [float("inf"), float("nan")])
def test_what_json_cannot_say_is_given_as_bytes(value: float) -> None:
    log = LogBuilder().describe().add(19, table_map([DOUBLE], b"\x08"))
    log.add(WRITE_V1, rows_event(1, b"\0" + struct.pack("<d", value)))
    assert json_value(bytes(log.log)) == {"hex": struct.pack("<d", value).hex()}


@pytest.mark.parametrize("scale", range(31))
def test_decimals_of_all_widths(scale: int) -> None:
    for precision in {*range(max(scale, 1), 65, 1 if scale < 3 else 4), 65}:
        nines = "9" * (precision - scale) or "0"
        fraction = "." + "9" * scale if scale else ""
        small = "0" + ("." + "0" * (scale - 1) + "1" if scale else "")
        for text in (f"{nines}{fraction}", f"-{nines}{fraction}", small):
            stored = pack_decimal(text, precision, scale)
            assert value_of(NEWDECIMAL, stored, bytes([precision, scale])) == decimal.Decimal(text)


@pytest.mark.parametrize(
    ("stored", "metadata", "text"),
    [
        ("810dfb38d204d2", (14, 4), "1234567890.1234"),
        ("7ef204c72dfb2d", (14, 4), "-1234567890.1234"),
        ("8105", (2, 1), "1.5"),
        ("8000", (3, 2), "0.00"),
    ],
)
def test_decimals_of_real_logs(stored: str, metadata: tuple[int, int], text: str) -> None:
    assert str(value_of(NEWDECIMAL, bytes.fromhex(stored), bytes(metadata))) == text


@pytest.mark.parametrize("metadata", [(0, 0), (5, 6), (82, 0), (255, 255)])
def test_a_decimal_of_no_width_is_no_column(metadata: tuple[int, int]) -> None:
    log = LogBuilder().describe().add(19, table_map([NEWDECIMAL], bytes(metadata)))
    log.add(WRITE_V1, rows_event(1, b"\0" + bytes(99)))
    (row,) = json_rows(bytes(log.log))
    assert row["hex"] == "00" + "00" * 99
    assert "does not exist" in row["reason"]


@pytest.mark.parametrize("bits", [1, 7, 8, 9, 17, 33, 63, 64])
def test_bits_of_all_widths(bits: int) -> None:
    size = (bits + 7) // 8
    for value in (0, 1, 2**bits - 1):
        assert value_of(BIT, value.to_bytes(size, "big"), bytes([bits % 8, bits // 8])) == value


def test_years() -> None:
    assert [value_of(YEAR, bytes([year])) for year in (0, 1, 124, 255)] == [0, 1901, 2024, 2155]


def test_enum_and_set_are_numbers_without_labels_and_labels_with_them() -> None:
    labels = lenenc_field(6, b"\3\1x\1y\5a,b'c") + lenenc_field(10, lenenc(UTF8MB4))
    assert value_of(STRING, b"\2", b"\xf7\1") == 2
    assert value_of(STRING, b"\xff\1", b"\xf7\2") == 511
    assert [value_of(STRING, bytes([at]), b"\xf7\1", labels) for at in (0, 1, 3, 4)] == ["", "x", "a,b'c", 4]
    members = lenenc_field(5, b"\3\1p\1q\1r") + lenenc_field(10, lenenc(UTF8MB4))
    assert [value_of(STRING, bytes([at]), b"\xf8\1", members) for at in (0, 5, 7, 9)] == ["", "p,r", "p,q,r", 9]
    assert value_of(STRING, b"\5", b"\xf8\1") == 5


def test_a_set_of_64_members() -> None:
    members = lenenc_field(5, b"\x40" + b"".join(b"\2%02d" % at for at in range(64)))
    assert value_of(STRING, b"\1" + bytes(6) + b"\x80", b"\xf8\x08", members) == "00,63"
    assert value_of(STRING, b"\xff" * 8, b"\xf8\x08") == 2**64 - 1


def test_labels_are_of_their_own_character_set() -> None:
    labels = lenenc_field(6, b"\1\4caf\xe9") + lenenc_field(11, lenenc(LATIN1))
    assert value_of(STRING, b"\1", b"\xf7\1", labels) == "café"
