"""JSON documents and their partial updates from their bytes."""

from __future__ import annotations

import decimal
import json
import struct
from pathlib import Path
from typing import Any

import pytest

from binlogcli.errors import DecodeError
from binlogcli.render.mysqlbinlog.rows.json_text import diff_text, document_text
from binlogcli.render.sql.json_literals import document_literal
from binlogcli.rows.readers.jsonb import read_document
from binlogcli.rows.sinks.python_values import JsonDiff
from support.bodies import JSON, PARTIAL_UPDATE, TINY, WRITE_V1, rows_event, table_map
from support.hostile_logs import diffs_log, json_log, overlapping_document
from support.logs import LogBuilder
from support.program import run
from support.reading import events, json_lines
from support.stored_rows import json_rows, value_of

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


def test_a_document_that_points_to_its_bytes_again_and_again_stays_as_bytes() -> None:
    data = overlapping_document(5000, 1000)
    lines, (told,) = json_lines(bytes(json_log(data).log))
    assert told.reason.endswith("column @1: a JSON document of 10012 bytes whose keys and values overlap")
    assert json.loads(lines[-1])["body"]["rows"] == [{"after": {"@1": {"hex": data.hex()}}}]
    for text_of in (document_text, document_literal):
        with pytest.raises(DecodeError, match="overlap"):
            text_of(data)


def test_the_longest_text_of_a_sound_document_is_read() -> None:
    numbers = [-(2**31)] * 1000  # inlined: each counts as an entry and as a value
    entries = struct.pack("<Bi", 7, numbers[0]) * len(numbers)
    assert read_document(b"\3" + struct.pack("<II", len(numbers), 8 + len(entries)) + entries) == numbers
    assert read_document(b"\2\0\0\4\0") == []
    assert read_document(overlapping_document(5000, 1)) == ["x" * 5000]


@pytest.mark.parametrize("options", [("-vv",), ("--format", "sql")], ids=" ".join)
def test_many_changes_take_time_in_proportion_to_their_number(tmp_path: Path, options: tuple[str, ...]) -> None:
    log = tmp_path / "diffs.000001"
    diffs_log(80_000).write(log)
    done = run("dump", *options, log, timeout=60)  # four minutes, where each change copies the text of those before it
    assert done.stdout.count(b"JSON_REMOVE(") == 40_000


def test_changes_of_two_kinds_in_turn_are_calls_inside_of_calls(tmp_path: Path) -> None:
    assert diff_text(b"\0\3$.a\3\5\7\0\2\3$.b" * 2, 1) == (
        b"JSON_REMOVE(\n###      JSON_REPLACE(\n###      JSON_REMOVE(\n###      JSON_REPLACE(@1, '$.a', 7),"
        b"\n###      '$.b'),\n###      '$.a', 7),\n###      '$.b')"
    )
    log = tmp_path / "diffs.000001"
    diffs_log(3).write(log)
    replaced = (
        b"JSON_REPLACE(JSON_REMOVE(JSON_REPLACE(`@1`, '$.a', CAST('7' AS JSON)), '$.b'), '$.a', CAST('7' AS JSON))"
    )
    assert b"SET `@1`=" + replaced in run("dump", "--format", "sql", log).stdout


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


@pytest.mark.parametrize("diffs", [b"\xb2\2$.\x2ea", b"\0\3$.a\x30\5", b"\2\x30$"])
def test_changes_that_are_illegal_stay_as_bytes_and_the_row_goes_on(diffs: bytes, tmp_path: Path) -> None:
    after = b"\1\1" + b"\0" + len(diffs).to_bytes(4, "little") + diffs + b"\7"
    log = LogBuilder().describe().add(19, table_map([JSON, TINY], b"\4"))
    log.add(PARTIAL_UPDATE, rows_event(2, b"\1\2" + after, kind=PARTIAL_UPDATE))
    assert json_rows(bytes(log.log))[0]["after"] == {"@1": {"hex": diffs.hex()}, "@2": 7}
    log.write(tmp_path / "diffs.000001")
    (*_, rows) = map(json.loads, run("hexdump", "--json", tmp_path / "diffs.000001").stdout.splitlines())
    assert '"name": "unread"' in json.dumps(rows)
    assert '"name": "@2", "value": 7' in json.dumps(rows)
