"""Every column type and width from its bytes, with the values at its edges, through a table map and a rows event."""

from __future__ import annotations

import decimal
import json
import struct
import zlib
from typing import Any

import pytest

from binlogcli.rows.values import Geometry, JsonDiff
from logs import MARIADB, MYSQL, LogBuilder, events, gaps, json_lines

TINY, SHORT, LONG, FLOAT, DOUBLE, NULL, TIMESTAMP, LONGLONG, INT24, DATE = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
TIME, DATETIME, YEAR, VARCHAR, BIT, TIMESTAMP2, DATETIME2, TIME2 = 11, 12, 13, 15, 16, 17, 18, 19
BLOB_COMPRESSED, VARCHAR_COMPRESSED, VECTOR, JSON, NEWDECIMAL, BLOB, VAR_STRING, STRING, GEOMETRY = (
    140,
    141,
    242,
    245,
    246,
    252,
    253,
    254,
    255,
)
WRITE_V1, UPDATE_V1, DELETE_V1, WRITE, UPDATE, PARTIAL_UPDATE = 23, 24, 25, 30, 31, 39
BINARY, LATIN1, UTF8MB4 = 63, 8, 45


def lenenc(value: int) -> bytes:
    return bytes([value]) if value < 251 else b"\xfc" + value.to_bytes(2, "little")


def table_map(types: list[int], metadata: bytes = b"", optional: bytes = b"", table_id: int = 7) -> bytes:
    count = lenenc(len(types))
    nulls = b"\xff" * ((len(types) + 7) // 8)
    head = table_id.to_bytes(6, "little") + b"\1\0" + b"\4shop\0" + b"\1t\0"
    return head + count + bytes(types) + lenenc(len(metadata)) + metadata + nulls + optional


def rows_event(width: int, rows: bytes, *, kind: int = WRITE_V1, present: bytes | None = None) -> bytes:
    bits = b"\xff" * ((width + 7) // 8) if present is None else present
    extra = b"\2\0" if kind in {WRITE, UPDATE, PARTIAL_UPDATE} else b""
    twice = bits if kind in {UPDATE_V1, UPDATE, PARTIAL_UPDATE} else b""
    return (7).to_bytes(6, "little") + b"\1\0" + extra + lenenc(width) + bits + twice + rows


def tlv(kind: int, value: bytes) -> bytes:
    return bytes([kind]) + lenenc(len(value)) + value


UNSIGNED = tlv(1, b"\x80")


def charset(number: int) -> bytes:
    return tlv(2, lenenc(number))


def value_of(code: int, stored: bytes, metadata: bytes = b"", optional: bytes = b"", version: str = MYSQL) -> Any:
    """The one value of a one-column table: as Python has it, and checked to be the same as JSON."""
    log = LogBuilder(version).describe().add(19, table_map([code], metadata, optional))
    log.add(WRITE_V1, rows_event(1, b"\0" + stored))
    (*_, event) = log.read()
    (row,) = event.rows
    (value,) = row.after.values()
    shown = json_value(bytes(log.log))
    if isinstance(value, (str, int, list)) or value is None:
        assert shown == value
    elif isinstance(value, decimal.Decimal):
        assert decimal.Decimal(str(shown)) == value
    elif isinstance(value, bytes):
        assert shown == {"hex": value.hex()}
    elif isinstance(value, Geometry):
        assert shown == {"srid": value.srid, "wkb": value.wkb.hex()}
    return value


def json_value(log: bytes) -> Any:
    (value,) = json_rows(log)[-1]["after"].values()
    return value


def json_rows(log: bytes) -> list[dict[str, Any]]:
    """The rows of the last event of a log, as the JSON output has them."""
    return list(json.loads(json_lines(log)[0][-1])["body"]["rows"])


# numbers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("code", "size"), [(TINY, 1), (SHORT, 2), (INT24, 3), (LONG, 4), (LONGLONG, 8)])
def test_integers_are_signed_unless_the_log_says_otherwise(code: int, size: int) -> None:
    for value in (0, 1, -1, 2 ** (8 * size - 1) - 1, -(2 ** (8 * size - 1))):
        stored = value.to_bytes(size, "little", signed=True)
        assert value_of(code, stored) == value
        assert value_of(code, stored, optional=UNSIGNED) == value % 2 ** (8 * size)
        assert value_of(code, stored, optional=tlv(1, b"\x7f")) == value


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


D2B = (0, 1, 1, 2, 2, 3, 3, 4, 4, 4)


def pack_decimal(digits: str, precision: int, scale: int) -> bytes:
    """NEWDECIMAL by the description of its layout."""
    negative = digits.startswith("-")
    whole, _, fraction = digits.lstrip("-").partition(".")
    whole, fraction = (
        whole.rjust(precision - scale, "0")[-(precision - scale) or len(whole) :],
        fraction.ljust(scale, "0"),
    )
    whole = whole if precision > scale else ""
    first = len(whole) % 9
    groups = [whole[:first], *(whole[at : at + 9] for at in range(first, len(whole), 9))]
    groups += [fraction[at : at + 9] for at in range(0, len(fraction), 9)]
    data = bytearray(b"".join(int(group).to_bytes(D2B[len(group)], "big") for group in groups if group))
    data[0] ^= 0x80
    return bytes(byte ^ 0xFF for byte in data) if negative else bytes(data)


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
    labels = tlv(6, b"\3\1x\1y\5a,b'c") + tlv(10, lenenc(UTF8MB4))
    assert value_of(STRING, b"\2", b"\xf7\1") == 2
    assert value_of(STRING, b"\xff\1", b"\xf7\2") == 511
    assert [value_of(STRING, bytes([at]), b"\xf7\1", labels) for at in (0, 1, 3, 4)] == ["", "x", "a,b'c", 4]
    members = tlv(5, b"\3\1p\1q\1r") + tlv(10, lenenc(UTF8MB4))
    assert [value_of(STRING, bytes([at]), b"\xf8\1", members) for at in (0, 5, 7, 9)] == ["", "p,r", "p,q,r", 9]
    assert value_of(STRING, b"\5", b"\xf8\1") == 5


def test_a_set_of_64_members() -> None:
    members = tlv(5, b"\x40" + b"".join(b"\2%02d" % at for at in range(64)))
    assert value_of(STRING, b"\1" + bytes(6) + b"\x80", b"\xf8\x08", members) == "00,63"
    assert value_of(STRING, b"\xff" * 8, b"\xf8\x08") == 2**64 - 1


def test_labels_are_of_their_own_character_set() -> None:
    labels = tlv(6, b"\1\4caf\xe9") + tlv(11, lenenc(LATIN1))
    assert value_of(STRING, b"\1", b"\xf7\1", labels) == "café"


# dates and times --------------------------------------------------------------------------------------------------

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
        (TIMESTAMP, "65e079f0003039", "2024-02-29 12:34:56.12345"),
    ],
)
def test_the_precision_of_old_types_of_mariadb_is_found_where_one_fits(code: int, stored: str, text: str) -> None:
    log = LogBuilder(MARIADB).describe().add(19, table_map([code, TINY]))
    log.add(WRITE_V1, rows_event(2, b"\0" + bytes.fromhex(stored) + b"\7"))
    (*_, event) = log.read()
    assert gaps([event]) == []
    rows = json_rows(bytes(log.log))
    if "hex" not in rows[0]:  # two precisions may have the same width: then none is taken
        assert rows == [{"after": {"@1": text, "@2": 7}}]
    else:
        assert "pass --schema" in rows[0]["reason"]


def test_a_table_of_old_types_only_is_tried_without_end_nor_harm() -> None:
    log = LogBuilder(MARIADB).describe().add(19, table_map([TIME] * 4000))
    log.add(WRITE_V1, rows_event(4000, bytes(500) + bytes(4000 * 3 + 1)))
    (row,) = json_rows(bytes(log.log))
    assert "pass --schema" in row["reason"]


# bytes and text ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "metadata", "prefix"),
    [
        (VARCHAR, b"\xff\0", 1),
        (VARCHAR, b"\0\1", 2),
        (VAR_STRING, b"\x0a\0", 1),
        (STRING, b"\xfe\x0a", 1),
        (STRING, b"\xce\xfc", 2),
        *((BLOB, bytes([size]), size) for size in (1, 2, 3, 4)),
    ],
)
def test_text_has_a_length_of_its_column_and_the_character_set_of_the_log(
    code: int, metadata: bytes, prefix: int
) -> None:
    for text in ("", "café", "snow \N{SNOWMAN}", '"quoted"\n\\ and \t\x01', "😀"):
        raw = text.encode()
        assert value_of(code, len(raw).to_bytes(prefix, "little") + raw, metadata, charset(UTF8MB4)) == text
        assert value_of(code, len(raw).to_bytes(prefix, "little") + raw, metadata) == text
    stored = (4).to_bytes(prefix, "little") + b"caf\xe9"
    assert value_of(code, stored, metadata, charset(LATIN1)) == "café"
    assert value_of(code, stored, metadata, charset(UTF8MB4)) == b"caf\xe9"
    assert value_of(code, stored, metadata) == b"caf\xe9"


def test_bytes_are_hex_and_fixed_ones_get_their_zeros_back() -> None:
    assert value_of(BLOB, b"\2\0\0\xff", b"\2", charset(BINARY)) == b"\0\xff"
    assert value_of(VARCHAR, b"\2ab", b"\x14\0", charset(BINARY)) == b"ab"
    assert value_of(STRING, b"\2ab", b"\xfe\5", charset(BINARY)) == b"ab\0\0\0"
    assert value_of(STRING, b"\0", b"\xfe\x10", charset(BINARY), MARIADB) == bytes(16)


def compressed(data: bytes, *, raw: bool = True) -> bytes:
    size = max(1, (len(data).bit_length() + 7) // 8)
    if raw:
        packer = zlib.compressobj(wbits=-15)
        return bytes([0x88 | size]) + len(data).to_bytes(size, "big") + packer.compress(data) + packer.flush()
    return bytes([0x80 | size]) + len(data).to_bytes(size, "big") + zlib.compress(data)


@pytest.mark.parametrize("raw", [True, False])
def test_compressed_columns_are_opened(raw: bool) -> None:
    packed = compressed(b"a" * 500, raw=raw)
    assert (
        value_of(VARCHAR_COMPRESSED, len(packed).to_bytes(2, "little") + packed, b"\xe9\3", version=MARIADB)
        == "a" * 500
    )
    assert value_of(BLOB_COMPRESSED, len(packed).to_bytes(4, "little") + packed, b"\4", version=MARIADB) == "a" * 500
    assert value_of(BLOB_COMPRESSED, b"\6\0\0short", b"\2", version=MARIADB) == "short"
    assert value_of(VARCHAR_COMPRESSED, b"\0\0", b"\xe9\3", charset(BINARY), MARIADB) == b""
    assert (
        value_of(VARCHAR_COMPRESSED, b"\x0b\0" + bytes.fromhex("8a01f44b4c1c05230d0000"), b"\xe9\3", version=MARIADB)
        == "a" * 500
    )


@pytest.mark.parametrize("broken", [b"\x95x", b"\x87", b"\x88\1x", b"\x81\5" + zlib.compress(b"four"), b"\x81\5no"])
def test_a_compressed_value_that_is_broken_is_damage(broken: bytes) -> None:
    log = LogBuilder(MARIADB).describe().add(19, table_map([BLOB_COMPRESSED], b"\1"))
    log.add(WRITE_V1, rows_event(1, b"\0" + bytes([len(broken)]) + broken)).add(3)
    lines = [json.loads(line) for line in json_lines(bytes(log.log))[0]]
    assert lines[2]["body"]["rows"][0]["hex"] == "00" + bytes([len(broken)]).hex() + broken.hex()
    assert lines[3]["type"] == "STOP_EVENT"


def test_geometry_is_srid_and_well_known_binary() -> None:
    wkb = bytes.fromhex("0101000000000000000000f03f0000000000000040")
    stored = b"\x19\0\0\0" + b"\xe6\x10\0\0" + wkb
    assert value_of(GEOMETRY, stored, b"\4") == Geometry(4326, wkb)
    assert value_of(GEOMETRY, b"\3\0\0\0abc", b"\4") == b"abc"


def test_vectors_are_floats() -> None:
    stored = struct.pack("<I3f", 12, 1.5, -2, 0)
    assert value_of(VECTOR, stored, b"\4") == [1.5, -2.0, 0.0]
    assert value_of(VECTOR, b"\0\0\0\0", b"\4") == []
    assert value_of(VECTOR, b"\3\0\0\0abc", b"\4") == b"abc"


# JSON -------------------------------------------------------------------------------------------------------------


LEAP_DAY = ((2024 * 13 + 2) << 5 | 29) << 41  # 2024-02-29 as JSON packs it


def document(data: bytes) -> Any:
    return value_of(JSON, len(data).to_bytes(4, "little") + data, b"\4")


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b"", None),
        (b"\4\0", None),
        (b"\4\1", True),
        (b"\4\2", False),
        (b"\5\xff\xff", -1),
        (b"\6\xff\xff", 65535),
        (b"\7\0\0\0\x80", -(2**31)),
        (b"\x08\xff\xff\xff\xff", 2**32 - 1),
        (b"\x09" + b"\0" * 7 + b"\x80", -(2**63)),
        (b"\x0a" + b"\xff" * 8, 2**64 - 1),
        (b"\x0c\0", ""),
        (b"\x0c\4caf\xc3"[:6] + b"\xa9"[:0], None),
        (b"\x0c\xc8\1" + b"x" * 200, "x" * 200),
        (bytes.fromhex("0001000c000b0001000501" + "0061"), {"a": 1}),
        (bytes.fromhex("0202000c0005010 00c0a000178".replace(" ", "")), [1, "x"]),
        (b"\0\0\0\4\0", {}),
        (b"\2\0\0\4\0", []),
        (b"\3\1\0\0\0\x0d\0\0\0\7\xff\xff\xff\xff", [-1]),
        (b"\x0f\xf6\4\2\1\x81\5", decimal.Decimal("1.5")),
        (b"\x0f\x0c\x08" + (LEAP_DAY | (12 << 12 | 34 << 6 | 56) << 24 | 7).to_bytes(8, "little"),
         "2024-02-29 12:34:56.000007"),
        (b"\x0f\x0a\x08" + LEAP_DAY.to_bytes(8, "little"), "2024-02-29"),
        (b"\x0f\x0b\x08" + (-((1 << 12 | 2 << 6 | 3) << 24)).to_bytes(8, "little", signed=True), "-01:02:03.000000"),
        (b"\x0f\xfc\3abc", "base64:type252:YWJj"),
    ],
)  # fmt: skip
def test_json_of_every_type(data: bytes, value: object) -> None:
    if data[:1] == b"\x0c" and value is None:  # cut in a character
        value = data
    assert document(data) == value


def test_json_doubles_are_numbers() -> None:
    assert document(b"\x0b" + struct.pack("<d", 0.1)) == 0.1


def nested(depth: int) -> bytes:
    data = b"\2\0\0\4\0"
    for _ in range(depth - 1):
        body = data[1:]
        data = b"\2" + struct.pack("<HHBH", 1, 7 + len(body), data[0], 7) + body
    return data


def test_json_is_nested_100_deep_and_no_deeper() -> None:
    value = document(nested(100))
    for _ in range(99):
        (value,) = value
    assert value == []
    assert document(nested(105)) == nested(105)


@pytest.mark.parametrize(
    "data",
    [
        b"\x0d",
        b"\4\3",
        b"\x0c\xff\xff\xff\xff\xff\1",
        b"\x0c\5abc",
        b"\2\1\0\xff\xff\2\7\0",
        b"\2\1\0\7\0\2\0\0",
        b"\2\2\0\x0a\0\2\0\0\2\0\0",
        b"\3\xff\xff\xff\xff\xff\xff\xff\xff",
        b"\0\1\0\x0b\0\xff\xff\5\0\4\1\0",
        b"\x0f\xf6\3\0\0\0",
    ],
)
def test_json_that_points_astray_stays_as_bytes_and_is_told_of(data: bytes) -> None:
    assert document(data) == data
    log = LogBuilder().describe().add(19, table_map([JSON, TINY], b"\4"))
    row = b"\0" + len(data).to_bytes(4, "little") + data + b"\7"
    log.add(WRITE_V1, rows_event(2, row + row))
    _, told = json_lines(bytes(log.log))
    assert [damage.reason.split(":")[1] for damage in told] == [" column @1"]
    assert json_rows(bytes(log.log)) == [{"after": {"@1": {"hex": data.hex()}, "@2": 7}}] * 2


def test_a_partial_update_gives_the_changes() -> None:
    diffs = b"\0\3$.a" + b"\3\5\7\0" + b"\1\4$[0]" + b"\2\4\1" + b"\2\3$.b"
    before = b"\0" + b"\2\0\0\0\4\0" + b"\1"
    after = b"\1\1" + b"\0" + len(diffs).to_bytes(4, "little") + diffs + b"\2"
    log = LogBuilder().describe().add(19, table_map([JSON, TINY], b"\4"))
    log.add(PARTIAL_UPDATE, rows_event(2, before + after, kind=PARTIAL_UPDATE))
    (*_, event) = events(log.read())
    (row,) = event.rows
    assert row.before == {"@1": None, "@2": 1}
    assert isinstance(row.after["@1"], JsonDiff)
    assert json_rows(bytes(log.log))[0]["after"] == {
        "@1": {
            "diff": [
                {"op": "replace", "path": "$.a", "value": 7},
                {"op": "insert", "path": "$[0]", "value": True},
                {"op": "remove", "path": "$.b"},
            ]
        },
        "@2": 2,
    }


# images -----------------------------------------------------------------------------------------------------------


def test_columns_that_an_image_lacks_are_absent_and_null_is_null() -> None:
    log = LogBuilder().describe().add(19, table_map([TINY] * 9))
    log.add(DELETE_V1, rows_event(9, b"\xfe\1" + b"\xfc\2\0", kind=DELETE_V1, present=b"\x05\0"))
    assert json_rows(bytes(log.log)) == [{"before": {"@1": 1, "@3": None}}, {"before": {"@1": 2, "@3": 0}}]


def test_an_update_has_a_bitmap_for_each_image() -> None:
    log = LogBuilder().describe().add(19, table_map([TINY, TINY]))
    body = (7).to_bytes(6, "little") + b"\1\0" + b"\2" + b"\1" + b"\2" + b"\0\5" + b"\0\6"
    log.add(UPDATE_V1, body)
    assert json_rows(bytes(log.log)) == [{"before": {"@1": 5}, "after": {"@2": 6}}]


def test_an_update_of_the_first_version_has_one_bitmap() -> None:
    log = LogBuilder().describe().add(19, table_map([TINY]))
    log.add(21, (7).to_bytes(6, "little") + b"\1\0" + b"\1" + b"\1" + b"\0\5" + b"\0\6")
    assert json_rows(bytes(log.log)) == [{"before": {"@1": 5}, "after": {"@1": 6}}]


def test_a_row_without_columns_is_a_row() -> None:
    log = LogBuilder().describe().add(19, table_map([TINY]))
    log.add(WRITE_V1, rows_event(1, b"", present=b"\0"))
    assert json_rows(bytes(log.log)) == [{"after": {}}]


def test_the_dummy_event_that_ends_a_statement_has_no_rows_and_is_no_damage() -> None:
    for table_id in (0xFFFFFF, 0xFFFFFFFF):
        log = LogBuilder(MARIADB).describe().add(WRITE_V1, table_id.to_bytes(6, "little") + b"\1\0" + b"\0")
        _, told = json_lines(bytes(log.log))
        assert told == []
        assert json_rows(bytes(log.log)) == []


def test_rows_whose_table_map_is_missing_are_bytes_with_the_reason() -> None:
    log = LogBuilder().describe().add(WRITE_V1, rows_event(1, b"\0\5"))
    assert json_rows(bytes(log.log)) == [{"hex": "0005", "reason": "no table map with id 7 stands before these rows"}]


def test_rows_before_a_broken_one_are_kept() -> None:
    log = LogBuilder().describe().add(19, table_map([VARCHAR], b"\x0a\0"))
    log.add(WRITE_V1, rows_event(1, b"\0\1a" + b"\0\1b" + b"\0\x09c"))
    one, two, rest = json_rows(bytes(log.log))
    assert (one, two) == ({"after": {"@1": "a"}}, {"after": {"@1": "b"}})
    assert rest["hex"] == "000963"


def test_compressed_rows_are_opened() -> None:
    rows = b"\0\5" * 300
    packed = b"\x82" + len(rows).to_bytes(2, "big") + zlib.compress(rows)
    log = LogBuilder(MARIADB).describe().add(19, table_map([TINY]))
    log.add(166, rows_event(1, packed)).add(169, (7).to_bytes(6, "little") + b"\1\0" + b"\2\0" + b"\1\1" + packed)
    first, second = events(log.read())[-2:]
    assert [len(event.rows) for event in (first, second)] == [300, 300]
    assert json_rows(bytes(log.log)) == [{"after": {"@1": 5}}] * 300


def test_extra_row_info_names_the_partitions() -> None:
    log = LogBuilder().describe().add(19, table_map([TINY]))
    extra = b"\1\3\0\4\0"
    head = (7).to_bytes(6, "little") + b"\1\0" + (2 + len(extra)).to_bytes(2, "little") + extra
    log.add(UPDATE, head + b"\1\1\1" + b"\0\5" + b"\0\6")
    body = json.loads(json_lines(bytes(log.log))[0][-1])["body"]
    assert body["extra_row_info"] == {"partition_id": 3, "source_partition_id": 4}


@pytest.mark.parametrize("kind", [WRITE_V1, UPDATE_V1, DELETE_V1, WRITE, UPDATE, PARTIAL_UPDATE])
def test_rows_cut_off_anywhere_do_no_harm(kind: int) -> None:
    types = [TINY, VARCHAR, NEWDECIMAL, DATETIME2, JSON, BLOB, STRING]
    metadata = b"\x0a\0" + b"\4\2" + b"\3" + b"\4" + b"\1" + b"\xf7\1"
    row = b"\x80\5" + b"\2ab" + b"\x80\0" + bytes.fromhex("99b2bac8b81ed2")[:7] + b"\2\0\0\0\4\1" + b"\1x" + b"\1"
    image = row if kind != PARTIAL_UPDATE else row + b"\0" + row
    body = rows_event(7, image * 3, kind=kind)
    for cut in range(len(body)):
        log = LogBuilder().describe().add(19, table_map(types, metadata)).add(kind, body[:cut]).add(3)
        lines = [json.loads(line) for line in json_lines(bytes(log.log))[0]]
        assert lines[-1]["type"] == "STOP_EVENT"
        assert len(lines) == 4


def test_a_table_map_cut_off_anywhere_is_damage() -> None:
    names = tlv(4, b"\1a\1b") + charset(UTF8MB4) + UNSIGNED + tlv(8, b"\0") + tlv(200, b"new")
    body = table_map([TINY, VARCHAR], b"\x0a\0", names)
    whole = LogBuilder().describe().add(19, body).read()[1]
    assert whole.as_dict()["unknown_metadata"] == {"200": b"new"}
    for cut in range(len(body)):
        item = LogBuilder().describe().add(19, body[:cut]).read()[1]
        if item in gaps([item]):
            assert item.reason.startswith("TABLE_MAP_EVENT: ")
        else:
            item.as_dict()
