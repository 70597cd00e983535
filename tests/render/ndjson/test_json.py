"""JSON lines: the promised keys in their order, and text of a log that is not what it seems."""

from __future__ import annotations

import json
import struct
from typing import Any

import pytest

from support import bodies
from support.bodies import LONG, lenenc_field, mariadb_gtid, query, rows_event
from support.logs import MARIADB, MYSQL, LogBuilder
from support.reading import json_lines

KEYS = ["file", "pos", "end", "time", "type", "type_code", "server_id", "flags", "crc32", "transaction", "body"]
QUERY, XID, TABLE_MAP, WRITE_V1, ANNOTATE, GTID_MYSQL, GTID_MARIADB = 2, 16, 19, 23, 160, 33, 162
UUID = bytes(range(16))


def table_map(name: bytes = b"t", column: bytes = b"id") -> bytes:
    return bodies.table_map([LONG], optional=lenenc_field(4, bytes([len(column)]) + column), table=name)


def rows() -> bytes:
    return rows_event(1, b"\0\5\0\0\0")


def lines(log: LogBuilder) -> list[Any]:
    return [json.loads(line) for line in json_lines(bytes(log.log))[0]]


def test_keys_stand_in_the_promised_order() -> None:
    log = LogBuilder().describe().add(XID, bytes(8)).raw(b"damage" * 9).add(XID, bytes(8))
    first, _, damage, _ = json_lines(bytes(log.log))[0]
    assert [key for key, _ in json.loads(first, object_pairs_hook=list)] == KEYS
    assert [key for key, _ in json.loads(damage, object_pairs_hook=list)] == ["file", "pos", "end", "damage"]


def test_a_line_begins_as_the_contract_shows_it() -> None:
    log = LogBuilder().describe(flags=1, timestamp=1_700_000_000)
    (line,), _ = json_lines(bytes(log.log))
    assert line.startswith(
        b'{"file": "memory", "pos": 4, "end": 127, "time": "2023-11-14T22:13:20Z", '
        b'"type": "FORMAT_DESCRIPTION_EVENT", "type_code": 15, "server_id": 101, '
        b'"flags": ["LOG_EVENT_BINLOG_IN_USE_F"], "crc32": "0x'
    )


def test_flags_that_nobody_has_named_are_numbers() -> None:
    log = LogBuilder().describe().add(XID, bytes(8), flags=0x0408)
    assert lines(log)[-1]["flags"] == ["LOG_EVENT_SUPPRESS_USE_F", "0x400"]


def test_a_transaction_is_known_by_its_gtid_then_by_its_thread_then_by_its_xid() -> None:
    log = LogBuilder(MARIADB).describe().add(GTID_MARIADB, mariadb_gtid(7, 12))
    log.add(QUERY, query(text=b"INSERT INTO t VALUES (1)")).add(XID, struct.pack("<Q", 55))
    log.add(GTID_MARIADB, mariadb_gtid(8, 1)).add(QUERY, query(text=b"DROP TABLE t"))
    log.add(4, struct.pack("<Q", 4) + b"bin.2")
    assert [line["transaction"] for line in lines(log)] == [
        None,
        {"gtid": "0-101-7", "xid": None, "thread_id": None},
        {"gtid": "0-101-7", "xid": None, "thread_id": 9},
        {"gtid": "0-101-7", "xid": 55, "thread_id": 9},
        {"gtid": "0-101-8", "xid": None, "thread_id": None},
        {"gtid": "0-101-8", "xid": None, "thread_id": 9},
        None,
    ]


def test_rows_name_their_table_their_columns_and_their_statement() -> None:
    log = LogBuilder(MARIADB).describe().add(ANNOTATE, b"INSERT INTO t VALUES (5)")
    body = lines(log.add(TABLE_MAP, table_map()).add(WRITE_V1, rows()))[-1]["body"]
    assert list(body)[:6] == ["database", "table", "table_id", "columns", "rows", "statement"]
    assert body["database"] == "shop"
    assert body["columns"] == ["id"]
    assert body["rows"] == [{"after": {"id": 5}}]
    assert body["statement"] == "INSERT INTO t VALUES (5)"


def test_an_empty_statement_is_text_too() -> None:
    log = LogBuilder(MARIADB).describe().add(ANNOTATE, b"").add(TABLE_MAP, table_map()).add(WRITE_V1, rows())
    assert lines(log)[-1]["body"]["statement"] == ""


@pytest.mark.parametrize(
    ("name", "key"),
    [
        (b'a\x1b[31m"b\\\n', 'a\x1b[31m"b\\\n'),
        ("größe".encode(), "größe"),
        (b"gr\xf6\xdfe", "gr\\xf6\\xdfe"),
        (rb"back\udcslash", r"back\udcslash"),
        (b"", "@1"),
    ],
)
def test_hostile_names_of_columns_are_keys_of_sound_json(name: bytes, key: str) -> None:
    log = LogBuilder().describe().add(TABLE_MAP, table_map(column=name)).add(WRITE_V1, rows())
    for line in json_lines(bytes(log.log))[0]:
        assert not set(line) & {*range(0x20), 0x7F}
    assert lines(log)[-1]["body"]["rows"] == [{"after": {key: 5}}]


def test_a_name_that_is_no_text_is_given_as_bytes() -> None:
    log = LogBuilder().describe().add(TABLE_MAP, table_map(b"\xff\xfe")).add(WRITE_V1, rows())
    assert lines(log)[-1]["body"]["table"] == {"hex": "fffe"}


def test_statements_are_in_the_clients_character_set_or_bytes() -> None:
    latin1, utf8 = (b"\4" + number.to_bytes(2, "little") * 3 for number in (8, 45))
    log = (
        LogBuilder()
        .describe()
        .add(QUERY, query(text=b"'\xe9'", status=latin1))
        .add(QUERY, query(text=b"'\xe9'", status=utf8))
    )
    assert [line["body"]["query"] for line in lines(log)[1:]] == ["'é'", {"hex": "27e927"}]


@pytest.mark.parametrize("version", [MYSQL, MARIADB])
def test_the_same_log_gives_the_same_bytes(version: str) -> None:
    log = (
        LogBuilder(version)
        .describe()
        .add(QUERY, query(text=b"BEGIN"))
        .add(TABLE_MAP, table_map())
        .add(WRITE_V1, rows())
    )
    assert json_lines(bytes(log.log)) == json_lines(bytes(log.log))
