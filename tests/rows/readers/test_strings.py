"""Text, bytes, compressed columns, geometry and vectors from their bytes."""

from __future__ import annotations

import json
import struct
import zlib

import pytest

from binlogcli.rows.sinks.python_values import Geometry
from support.bodies import (
    BINARY,
    BLOB,
    BLOB_COMPRESSED,
    GEOMETRY,
    LATIN1,
    STRING,
    UTF8MB4,
    VAR_STRING,
    VARCHAR,
    VARCHAR_COMPRESSED,
    VECTOR,
    WRITE_V1,
    charset,
    rows_event,
    table_map,
)
from support.logs import MARIADB, LogBuilder
from support.reading import json_lines
from support.stored_rows import value_of


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
