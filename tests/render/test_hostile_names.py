"""Names of a log that would end their comment, string or USE: a client that replays the output runs none of them."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.events.log import Log
from binlogcli.render.sql.statements import SqlStatements
from support.bodies import LONG, WRITE, lenenc, lenenc_field, mariadb_gtid, query, rows_event, table_map, u4, u8
from support.client import read_by_client
from support.golden import GOLDEN
from support.logs import GTID_MARIADB, MARIADB, MYSQL, QUERY, ROTATE, TABLE_MAP, XID, LogBuilder
from support.mysqlbinlog_text import text_of
from support.program import run

CHECKPOINT, ANNOTATE, ROWS_QUERY, CONTEXT, VIEW, USER_VAR = 161, 160, 29, 36, 37, 14
DROP = b"t\nDROP TABLE d.victim;\n#"
DROP_THERE = b"t\nDROP TABLE d.victim/*!*/;\n#"
PIECES = (b"\n", b"\r", b"`", b"'", b'"', b"\\", b";", b"/*!*/;", b"/*", b"*/", b"#", b"-- ", b"DROP TABLE d.victim")
HOSTILE = st.lists(st.sampled_from((*PIECES, b"\nDELIMITER x", b"\\! id", b"a", b"\xff")), max_size=6).map(b"".join)


def insert(log: LogBuilder, database: bytes, table: bytes, column: bytes) -> None:
    """Add a row of a table whose primary key is that column."""
    optional = lenenc_field(4, lenenc(len(column)) + column) + lenenc_field(8, b"\0")
    log.add(TABLE_MAP, table_map([LONG], optional=optional, database=database, table=table))
    log.add(WRITE, rows_event(1, b"\0\5\0\0\0", kind=WRITE))


def of_mariadb(name: bytes) -> LogBuilder:
    """A log of MariaDB that has the name wherever a log can have one; its one row is in `d`.`name`."""
    log = LogBuilder(MARIADB + name[:20].decode("ascii", "ignore")).describe()
    log.add(CHECKPOINT, u4(len(name)) + name)
    log.add(GTID_MARIADB, mariadb_gtid(1)).add(ANNOTATE, name)
    insert(log, b"d", name, name)
    zone = b"\5" + bytes([len(name)]) + name
    alter = b"\x82\2"  # the first part of a two-phase ALTER
    comment = name.replace(b"\\", b"\\\\").replace(b"'", b"''")
    log.add(QUERY, query(zone, db=name, text=b"SET @a=1"))
    log.add(QUERY, query(alter, db=b"d", text=b"ALTER TABLE t COMMENT '\n" + comment + b"'"))
    return log.add(XID, u8(7)).add(ROTATE, u8(4) + name)


def of_mysql(name: bytes) -> LogBuilder:
    """A log of MySQL that has the name wherever a log can have one; its one row is in `d`.`name`."""
    log = LogBuilder(MYSQL + name[:20].decode("ascii", "ignore")).describe()
    gtids = u8(1) + bytes(16) + u8(1) + u8(1) + u8(2)
    log.add(CONTEXT, struct.pack("<BIBIII", len(name), 7, 1, len(gtids), 0, 0) + name + gtids)
    log.add(VIEW, name[:40].ljust(40, b"\0") + u8(3) + u4(0))
    log.add(QUERY, query(db=b"d", text=b"BEGIN")).add(ROWS_QUERY, b"\0" + name)
    insert(log, b"d", name, name)
    log.add(XID, u8(7)).add(USER_VAR, u4(len(name)) + name + b"\1")
    zone = b"\5" + bytes([len(name)]) + name
    log.add(QUERY, query(zone, db=name, text=b"SET @a=1"))
    return log.add(ROTATE, u8(4) + name)


FAMILIES = {"mariadb": of_mariadb, "mysql": of_mysql}
FORMS: dict[str, dict[str, Any]] = {
    "rows": {"verbose": 2, "print_table_metadata": True},
    "hexdump": {"verbose": 2, "hexdump": True, "base64_output": "decode-rows"},
    "short": {"short_form": True, "verbose": 1},
    "flashback": {"flashback": True, "verbose": 2},
}


def sql_of(path: Path) -> bytes:
    """Return a log as SQL."""
    pieces: list[bytes] = []
    statements = SqlStatements(TextBuffer())
    with Log(str(path)) as log:
        statements.run(log, lambda piece: pieces.append(bytes(piece)), lambda _: None)
    statements.finish(lambda piece: pieces.append(bytes(piece)))
    return b"".join(pieces)


def shape(script: bytes, *, binary: bool) -> tuple[list[bytes], list[bytes]]:
    """Return the first words of the statements that a client sends, but SET, and the commands that it runs itself."""
    client = read_by_client(script, binary=binary)
    words = [statement.removeprefix(b"/*!*/ ").split(None, 1)[0].upper() for statement in client.statements]
    return [word for word in words if word != b"SET"], client.commands


def reads_alike(make: Callable[[bytes], LogBuilder], output: Callable[[Path], bytes], folder: Path) -> None:
    """Check that a client reads the statements of a log with hostile names as it reads those with harmless ones."""
    path = folder / "log.000001"
    make(b"name").write(path)
    text = output(path)
    usual = {binary: shape(text, binary=binary) for binary in (False, True)}

    @settings(max_examples=40, deadline=None)
    @example(DROP)
    @example(DROP_THERE)
    @example(b"'/*!*/;\nDROP TABLE d.victim/*!*/;\n")
    @example(b"\\'/*!*/;\nDROP TABLE d.victim/*!*/;\n")
    @example(b"`/*!*/;\nDROP TABLE d.victim/*!*/;\n")
    @given(HOSTILE)
    def check(name: bytes) -> None:
        make(name or b"n").write(path)
        text = output(path)
        for binary, expected in usual.items():
            assert shape(text, binary=binary) == expected

    check()


@pytest.mark.parametrize("form", FORMS)
def test_names_stay_in_their_place_in_the_text_of_mariadb(form: str, tmp_path: Path) -> None:
    reads_alike(of_mariadb, lambda path: text_of(path, **FORMS[form]), tmp_path)


@pytest.mark.parametrize("form", ["rows", "hexdump", "short"])
def test_names_stay_in_their_place_in_the_text_of_mysql(form: str, tmp_path: Path) -> None:
    reads_alike(of_mysql, lambda path: text_of(path, **FORMS[form]), tmp_path)


@pytest.mark.parametrize("make", FAMILIES.values(), ids=list(FAMILIES))
def test_names_stay_in_their_place_in_sql(make: Callable[[bytes], LogBuilder], tmp_path: Path) -> None:
    reads_alike(make, sql_of, tmp_path)


def test_what_is_escaped_is_told_once_per_log_and_kind(tmp_path: Path) -> None:
    path = tmp_path / "log.000001"
    log = of_mariadb(b"a'\nb").write(path)
    said = [line.split(": ", 3)[2:] for line in run("dump", "-vv", path, path).stderr.decode().splitlines()]
    use = log.starts[-4]
    places = ["at 4", f"at {use}", f"at {use}"]
    assert [place for place, _ in said] == places * 2
    assert [what.split(";")[0].split(",")[0] for _, what in said[:3]] == [
        "a line break in a name is written as \\n",
        "an empty comment is put before USE",
        "a time zone that contains a quote is written in hex",
    ]


def test_sound_logs_leave_nothing_to_tell() -> None:
    assert run("dump", "-v", *sorted(GOLDEN.glob("*/rows/*-bin.000001"))).stderr == b""
