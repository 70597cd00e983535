"""The loops over bytes, by themselves: sizes around each boundary, all bytes."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from binlogcli.binary.cursor import Cursor
from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.errors import DecodeError
from binlogcli.render.mysqlbinlog.rows import byte_loops
from binlogcli.render.mysqlbinlog.rows.json_text import canonical, diff_text, document_text, double_text, quoted
from support.logs import MARIADB, MYSQL, LogBuilder
from support.mysqlbinlog_text import text_of


@pytest.mark.parametrize("size", [0, 1, 2, 3, 56, 57, 58, 114, 115, 1000])
def test_base64_stands_in_lines_of_76_characters(size: int) -> None:
    data = bytes(at * 7 & 0xFF for at in range(size))
    target = bytearray(byte_loops.base64_size(size))
    end = byte_loops.put_base64(target, 0, data, 0, size)
    assert bytes(target[:end]) == base64.encodebytes(data)


def test_quotes_and_backslashes_stay_in_mariadb_and_are_escaped_in_mysql() -> None:
    target = bytearray(100)
    data = b"a'b\\c\n\x01\x7f\xff"
    assert bytes(target[: byte_loops.put_quoted(target, 0, data, 0, len(data), False)]) == b"'a'b\\c\\x0a\\x01\x7f\xff'"
    assert quoted(data) == b"'a\\'b\\\\c\\n\\x01\x7f\xff'"


def strings_around_each_boundary() -> list[bytes]:
    """All lengths up to 40, plain and with each special byte at each place."""
    plain = [bytes(0x41 + at % 50 for at in range(size)) for size in range(41)]
    specials = (b"\0", b"\x1f", b"\n", b"'", b"\\", b"\x80")
    return plain + [
        text[:at] + special + text[at + 1 :] for text in plain for at in range(len(text)) for special in specials
    ]


@pytest.mark.parametrize("version", [MARIADB, MYSQL])
def test_strings_of_every_length_are_quoted_alike_in_both_forms(version: str, tmp_path: Path) -> None:
    strings = strings_around_each_boundary()
    table = (7).to_bytes(6, "little") + b"\1\0\4shop\0\1t\0\1\x0f\2\x64\0\1"
    log = LogBuilder(version).describe().add(19, table)
    rows = b"".join(b"\0" + bytes([len(string)]) + string for string in strings)
    log.add(23, (7).to_bytes(6, "little") + b"\1\0\1\xff" + rows)
    path = tmp_path / "strings.000001"
    path.write_bytes(log.log)
    shown = [line for line in text_of(path, verbose=1).split(b"\n") if line.startswith(b"###   @1=")]
    target = bytearray(200)
    for string, line in zip(strings, shown, strict=True):
        size = byte_loops.put_quoted(target, 0, string, 0, len(string), version == MYSQL)
        assert line == b"###   @1=" + target[:size]


def test_statements_of_every_length_are_split_alike_in_both_forms(tmp_path: Path) -> None:
    statements = [string.replace(b"\0", b"\r") for string in strings_around_each_boundary() if string]
    path = tmp_path / "statements.000001"
    target = bytearray(400)
    log, expected = LogBuilder(MARIADB).describe(), b""
    for statement in statements:
        log.add(160, statement).add(19, (7).to_bytes(6, "little") + b"\1\0\4shop\0\1t\0\1\x01\0\1")
        expected += target[: byte_loops.put_commented(target, 0, statement, 0, len(statement))]
    path.write_bytes(log.log)
    lines = [line for line in text_of(path, verbose=1).split(b"\n") if line.startswith(b"#Q> ")]
    assert lines == expected.split(b"\n")[:-1]


def test_a_hex_dump_shows_sixteen_bytes_a_line() -> None:
    target = bytearray(byte_loops.hexdump_size(18))
    data = bytes(range(0x30, 0x42))
    end = byte_loops.put_hexdump(target, 0, data, 0, 18, 0x17, False)
    assert bytes(target[:end]).split(b"\n") == [
        b"#       17  30 31 32 33 34 35 36 37  38 39 3a 3b 3c 3d 3e 3f  |0123456789:;<=>?|",
        b"#       27  40 41                                             |@A|",
        b"",
    ]
    end = byte_loops.put_hexdump(target, 0, data, 0, 18, 0x17, True)
    assert bytes(target[:end]).split(b"\n")[0] == (
        b"# 00000017 30 31 32 33 34 35 36 37  38 39 3a 3b 3c 3d 3e 3f |0123456789......|"
    )


def test_an_annotation_is_split_at_line_ends_without_empty_lines() -> None:
    data = b"INSERT\r\n\nINTO t\n"
    target = bytearray(200)
    assert bytes(target[: byte_loops.put_commented(target, 0, data, 0, len(data))]) == b"#Q> INSERT\n#Q> INTO t\n"


@pytest.mark.parametrize("value", [0, 9, 10, 99, 100, 12345, 2**32, 2**63, 2**64 - 1])
@pytest.mark.parametrize("width", [1, 2, 6, 20])
def test_numbers_are_padded_with_zeros(value: int, width: int) -> None:
    out = TextBuffer()
    out.put_padded(value, width)
    assert bytes(out.content()) == b"%0*d" % (width, value)


def test_a_string_that_is_a_whole_document_has_no_quotes() -> None:
    assert document_text(b"\x0c\x03abc") == b"abc"
    assert document_text(b"") == b"null"
    with pytest.raises(DecodeError):
        document_text(b"\xff")


@pytest.mark.parametrize(("value", "text"), [(1.0, "1.0"), (1e20, "1e20"), (1.5e-7, "1.5e-7"), (0.1, "0.1")])
def test_doubles_in_json_are_the_shortest_text(value: float, text: str) -> None:
    assert double_text(value) == text


def test_documents_are_printed_as_the_server_prints_them() -> None:
    assert canonical({"a": [1, None, True, "x\ny"], "b": {}}) == b'{"a": [1, null, true, "x\\ny"], "b": {}}'


def test_json_changes_of_one_kind_share_a_call() -> None:
    changes = b"".join(
        [b"\x00\x03$.a\x02\x05\x01"[:5] + b"\x03\x05\x01\x00", b"\x00\x03$.b\x03\x0c\x01x", b"\x02\x03$.c"]
    )
    assert diff_text(changes, 2) == (
        b"JSON_REMOVE(\n###      JSON_REPLACE(@2, '$.a', 1,\n###      '$.b', 'x'),\n###      '$.c')"
    )


def test_changes_that_cannot_be_read_are_an_error() -> None:
    with pytest.raises(DecodeError, match="7 is not an operation of a JSON diff"):
        diff_text(b"\x07\x00", 1)
    assert Cursor(diff_text(b"", 3)).data == b"@3"
