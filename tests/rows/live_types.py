"""Every column type of a MariaDB server: how to draw values, how SELECT shows them, and what the log must then hold.

A value is drawn as a piece of SQL. SELECT gives it back through `shown`, an expression whose text says all that is
needed: numbers plainly, characters and bytes in hex, so that no tab or newline is ever in the way. `expected` turns it
into the JSON form, given what the log or a schema tells of the column.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy  # noqa: TC002 - also at run time


@dataclass(frozen=True)
class Known:
    """What is known of a table beside the types in the table map."""

    signs_and_charsets: bool
    names_and_labels: bool
    schema: bool


@dataclass(frozen=True)
class Kind:
    """A column type."""

    sql: str
    values: SearchStrategy[str]
    shown: str  # an SQL expression of {c}
    expected: Callable[[str, Known], Any]
    same: Callable[[Any, Any], bool] = lambda ours, theirs: bool(ours == theirs) and type(ours) is type(theirs)


def unknown_bytes(raw: bytes) -> Any:
    """Bytes of a column whose character set nobody told."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return {"hex": raw.hex()}


def bytes_of(value: Any) -> bytes:
    return bytes.fromhex(value["hex"]) if isinstance(value, dict) else str(value).encode()


def hex_literal(raw: bytes) -> str:
    return f"x'{raw.hex()}'"


# Numbers


def integer(name: str, bits: int, *, unsigned: bool) -> Kind:
    low, high = (0, (1 << bits) - 1) if unsigned else (-(1 << bits - 1), (1 << bits - 1) - 1)

    def expected(text: str, known: Known) -> int:
        value = int(text)
        return value - (1 << bits) if unsigned and not known.signs_and_charsets and value >> (bits - 1) else value

    values = st.one_of(st.sampled_from((low, high, 0, 1)), st.integers(low, high)).map(str)
    return Kind(f"{name}{' UNSIGNED' if unsigned else ''}", values, "{c}", expected)


@st.composite
def decimals(draw: st.DrawFn) -> Kind:
    precision = draw(st.integers(1, 65))
    scale = draw(st.integers(0, min(38, precision)))
    whole = 10**precision - 1
    numbers = st.one_of(st.sampled_from((whole, -whole, 0)), st.integers(-whole, whole))
    values = numbers.map(lambda number: f"{number}e-{scale}" if abs(number) < 10**15 else exact(number, scale))
    return Kind(f"DECIMAL({precision},{scale})", values, "{c}", lambda text, _: text)


def exact(number: int, scale: int) -> str:
    digits = str(abs(number)).rjust(scale + 1, "0")
    point = len(digits) - scale
    return f"{'-' if number < 0 else ''}{digits[:point]}.{digits[point:]}"


def single(value: float) -> bytes:
    return struct.pack("<f", value)


FLOATS = [
    Kind(
        name,
        st.floats(allow_nan=False, allow_infinity=False, width=32).map(repr),
        "{c} + 0e0",
        lambda text, _: float(text),
        lambda ours, theirs: ours == theirs or single(ours) == single(theirs),
    )
    for name in ("FLOAT", "FLOAT(7,2)")
] + [
    Kind(
        name,
        st.floats(allow_nan=False, allow_infinity=False).map(repr),
        "{c} + 0e0",
        lambda text, _: float(text),
        lambda ours, theirs: bool(ours == theirs),
    )
    for name in ("DOUBLE", "DOUBLE(20,5)")
]


@st.composite
def bits(draw: st.DrawFn) -> Kind:
    width = draw(st.integers(1, 64))
    values = st.integers(0, (1 << width) - 1).map(lambda number: f"b'{number:b}'")
    return Kind(f"BIT({width})", values, "CAST({c} AS UNSIGNED)", lambda text, _: int(text))


YEAR = Kind("YEAR", st.one_of(st.just("0"), st.integers(1901, 2155).map(str)), "{c} + 0", lambda text, _: int(text))


# Dates and times: all of them are strings, as SELECT prints them in UTC


def temporal(sql: str, values: SearchStrategy[str]) -> Kind:
    return Kind(sql, values.map(lambda text: f"'{text}'"), "{c}", lambda text, _: text)


DATES = st.one_of(
    st.sampled_from(("0000-00-00", "2024-00-00", "2024-02-00", "0000-12-31", "0001-01-01", "9999-12-31", "2024-02-29")),
    st.dates().map(str),
)
FRACTIONS = st.one_of(st.sampled_from(("", ".999999", ".000001", ".5")), st.integers(0, 999999).map(".{:06d}".format))
CLOCKS = st.tuples(st.integers(0, 23), st.integers(0, 59), st.integers(0, 59)).map(
    "{0[0]:02d}:{0[1]:02d}:{0[2]:02d}".format
)
TIMES = st.one_of(
    st.sampled_from(("-838:59:59.999999", "838:59:59.999999", "00:00:00", "-00:00:00.000001")),
    st.builds(
        "{}{:02d}:{:02d}:{:02d}{}".format,
        st.sampled_from(("", "-")),
        st.integers(0, 837),
        *[st.integers(0, 59)] * 2,
        FRACTIONS,
    ),
)
MOMENTS = st.builds("{} {}{}".format, DATES, CLOCKS, FRACTIONS)
STAMPS = st.one_of(
    st.sampled_from(("0000-00-00 00:00:00", "1970-01-01 00:00:01", "2038-01-19 03:14:07.999999")),
    st.builds(
        "{}-{:02d}-{:02d} {}{}".format,
        st.integers(1971, 2037),
        st.integers(1, 12),
        st.integers(1, 28),
        CLOCKS,
        FRACTIONS,
    ),
)


@st.composite
def moments(draw: st.DrawFn) -> Kind:
    digits = draw(st.integers(0, 6))
    name, values = draw(st.sampled_from((("TIME", TIMES), ("DATETIME", MOMENTS), ("TIMESTAMP", STAMPS))))
    return temporal(f"{name}({digits}) NULL DEFAULT NULL", values)


# Characters and bytes

ANY = st.characters(codec="utf-8")
BASIC = st.characters(codec="utf-8", max_codepoint=0xFFFF)
ALPHABETS = {
    "utf8mb4": st.text(ANY, max_size=40),
    "utf8mb3": st.text(BASIC, max_size=40),
    "ucs2": st.text(BASIC, max_size=40),
    "utf16": st.text(ANY, max_size=40),
    "utf16le": st.text(ANY, max_size=40),
    "utf32": st.text(ANY, max_size=40),
    "latin1": st.text(st.characters(codec="cp1252"), max_size=40),
    "latin2": st.text(st.characters(codec="iso8859_2"), max_size=40),
    "cp1251": st.text(st.characters(codec="cp1251"), max_size=40),
    "koi8r": st.text(st.characters(codec="koi8_r"), max_size=40),
    "greek": st.text(st.characters(codec="iso8859_7"), max_size=40),
    "sjis": st.text(st.sampled_from("abcXYZ 019アイウ漢字かなｱｲ、。"), max_size=40),
    "gbk": st.text(st.sampled_from("abcXYZ 019汉字简体中文。、"), max_size=40),
    "big5": st.text(st.sampled_from("abcXYZ 019漢字繁體中文。、"), max_size=40),
    "euckr": st.text(st.sampled_from("abcXYZ 019한국어가나다"), max_size=40),
    "ujis": st.text(st.sampled_from("abcXYZ 019アイウ漢字かな"), max_size=40),
    "ascii": st.text(st.characters(max_codepoint=127), max_size=40),
}
TEXT_TYPES = ("CHAR(40)", "VARCHAR(40)", "VARCHAR(300)", "TINYTEXT", "TEXT", "MEDIUMTEXT", "LONGTEXT")
BINARY_TYPES = (
    "BINARY(7)",
    "BINARY(255)",
    "VARBINARY(40)",
    "VARBINARY(300)",
    "TINYBLOB",
    "BLOB",
    "MEDIUMBLOB",
    "LONGBLOB",
)


def characters_expected(text: str, known: Known) -> Any:
    raw, characters = map(bytes.fromhex, text.split(":"))
    return characters.decode("utf-8") if known.signs_and_charsets else unknown_bytes(raw)


@st.composite
def texts(draw: st.DrawFn) -> Kind:
    charset = draw(st.sampled_from(sorted(ALPHABETS)))
    name = draw(st.sampled_from((*TEXT_TYPES, "VARCHAR(40) COMPRESSED", "TEXT COMPRESSED")))
    sql = f"{name.removesuffix(' COMPRESSED')} CHARACTER SET {charset}"
    if name.endswith("COMPRESSED"):
        sql = f"{name} CHARACTER SET {charset}"
    values = ALPHABETS[charset].map(lambda text: f"CONVERT({hex_literal(text.encode())} USING utf8mb4)")
    return Kind(sql, values, "CONCAT(HEX({c}), ':', HEX(CONVERT({c} USING utf8mb4)))", characters_expected)


@st.composite
def binaries(draw: st.DrawFn) -> Kind:
    name = draw(st.sampled_from((*BINARY_TYPES, "BLOB COMPRESSED", "VARBINARY(40) COMPRESSED")))

    def expected(text: str, known: Known) -> Any:
        raw = bytes.fromhex(text)
        if known.signs_and_charsets:
            return {"hex": raw.hex()}
        return unknown_bytes(raw.rstrip(b"\0") if name.startswith("BINARY") else raw)

    size = 7 if name == "BINARY(7)" else 40
    return Kind(name, st.binary(max_size=size).map(hex_literal), "HEX({c})", expected)


def same_bytes(ours: Any, theirs: Any) -> bool:
    """The zeros at the end of a fixed length are not in the log."""
    return ours == theirs or bytes_of(ours).rstrip(b"\0") == bytes_of(theirs).rstrip(b"\0")


def same_bytes_in_any_order(ours: Any, theirs: Any) -> bool:
    """The server keeps a UUID with its segments turned around."""
    return ours == theirs or sorted(bytes_of(ours).replace(b"\0", b"")) == sorted(bytes_of(theirs).replace(b"\0", b""))


def address(name: str, size: int, values: SearchStrategy[str], same: Callable[[Any, Any], bool]) -> Kind:
    def expected(text: str, known: Known) -> Any:
        raw, words = text.split(":", 1)
        return words if known.schema else {"hex": raw.lower()}

    shown = f"CONCAT(HEX(CAST({{c}} AS BINARY({size}))), ':', {{c}})"
    return Kind(name, values.map(lambda text: f"'{text}'"), shown, expected, same)


ADDRESSES = [
    address("INET4", 4, st.ip_addresses(v=4).map(str), same_bytes),
    address("INET6", 16, st.ip_addresses(v=6).map(str), same_bytes),
    address("UUID", 16, st.uuids().map(str), same_bytes_in_any_order),
]
JSON = Kind(
    "JSON",
    st.sampled_from(("{}", "[]", "null", '{"a": [1, 2.5, "x"], "b": null}', '"\\\\u00e9"', '{"ключ": "значение"}')).map(
        lambda text: f"CONVERT({hex_literal(text.encode())} USING utf8mb4)"
    ),
    "CONCAT(HEX({c}), ':', HEX({c}))",
    characters_expected,
)


# The rest


@st.composite
def choices(draw: st.DrawFn) -> Kind:
    label = st.text(
        st.characters(exclude_categories=("Cs", "Cc", "Zs"), exclude_characters=",'\\", max_codepoint=0x2FFF),
        min_size=1,
        max_size=8,
    )
    name, most = draw(st.sampled_from((("ENUM", 300), ("ENUM", 3), ("SET", 64), ("SET", 9))))
    labels = draw(st.lists(label, min_size=1, max_size=5, unique_by=str.casefold))
    labels += [
        f"member {number}" for number in range(draw(st.integers(0, most - len(labels)) if most > 9 else st.just(0)))
    ]
    last = len(labels) if name == "ENUM" else (1 << len(labels)) - 1
    sql = f"{name}({', '.join(repr_sql(text) for text in labels)}) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"

    def expected(text: str, known: Known) -> Any:
        number, _, shown = text.partition(":")
        return bytes.fromhex(shown).decode("utf-8") if known.names_and_labels else int(number)

    values = st.one_of(st.just(str(last)), st.integers(0 if name == "SET" else 1, last).map(str))
    return Kind(sql, values, "CONCAT({c} + 0, ':', HEX(CONVERT({c} USING utf8mb4)))", expected)


def repr_sql(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def geometry_expected(text: str, _: Known) -> Any:
    srid, wkb = text.split(":")
    return {"srid": int(srid), "wkb": wkb.lower()}


NUMBERS = st.integers(-1000, 1000).map(str)
POINTS = st.builds("{} {}".format, NUMBERS, NUMBERS)
GEOMETRIES = st.builds(
    "ST_GeomFromText('{}', {})".format,
    st.one_of(
        st.builds("POINT({})".format, POINTS),
        st.lists(POINTS, min_size=2, max_size=9, unique=True).map(lambda points: f"LINESTRING({', '.join(points)})"),
        st.just("POLYGON((0 0, 9 0, 9 9, 0 0), (1 1, 2 1, 2 2, 1 1))"),
        st.just("GEOMETRYCOLLECTION(POINT(1 2), LINESTRING(0 0, 1 1))"),
    ),
    st.sampled_from((0, 4326, 0x7FFFFFFF)),
)
GEOMETRY = Kind("GEOMETRY", GEOMETRIES, "CONCAT(ST_SRID({c}), ':', HEX(ST_AsWKB({c})))", geometry_expected)

INTEGERS = [
    integer(name, width, unsigned=unsigned)
    for name, width in (("TINYINT", 8), ("SMALLINT", 16), ("MEDIUMINT", 24), ("INT", 32), ("BIGINT", 64))
    for unsigned in (False, True)
]
KINDS: SearchStrategy[Kind] = st.one_of(
    st.sampled_from(INTEGERS),
    decimals(),
    st.sampled_from(FLOATS),
    bits(),
    st.just(YEAR),
    st.just(temporal("DATE", DATES)),
    moments(),
    texts(),
    binaries(),
    st.sampled_from(ADDRESSES),
    st.just(JSON),
    choices(),
    st.just(GEOMETRY),
)
