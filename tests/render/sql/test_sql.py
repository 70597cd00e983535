"""SQL text: hostile names and values stay inside of their quotes, comments stay on their line."""

from __future__ import annotations

import re
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from binlogcli.binary.cursor import Cursor
from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.events.log import Log
from binlogcli.events.tables import TableMap
from binlogcli.render.escape import visible
from binlogcli.render.identifiers import identifier
from binlogcli.render.sql.long_literals import long_string
from binlogcli.render.sql.quoting import put_string, string_literal, text_literal
from binlogcli.render.sql.statements import in_backticks
from binlogcli.render.sql.table_texts import TableTexts
from support.bodies import query
from support.golden import GOLDEN
from support.logs import LogBuilder, TimedLog
from support.program import run

UNESCAPED = {"0": "\0", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a", "\\": "\\", "'": "'"}


def read_back(literal: bytes) -> str:
    """A quoted string as a server reads it."""
    text = literal.decode("utf-8")
    assert text[0] == text[-1] == "'"
    assert not re.search(r"(?<!\\)(?:\\\\)*'", text[1:-1])
    return re.sub(r"\\(.)", lambda found: UNESCAPED[found[1]], text[1:-1], flags=re.DOTALL)


@given(st.text())
def test_a_text_literal_is_one_line_that_reads_back(text: str) -> None:
    literal = text_literal(text)
    if literal is None:
        assert any(not char.isprintable() for char in text)
        return
    assert len(literal.decode("utf-8").splitlines()) == 1
    assert read_back(literal) == text


@given(st.binary())
def test_the_fast_way_and_the_slow_way_give_the_same(raw: bytes) -> None:
    out = TextBuffer()
    if put_string(out, Cursor(raw), 0, len(raw)):
        assert bytes(out.content()) == string_literal(raw, "utf8mb4")
    else:
        assert out.size == 0


@given(st.binary() | st.text().map(str.encode), st.sampled_from([None, "latin1", "utf8mb4", "gbk", "ucs2"]))
def test_long_values_have_the_literals_of_short_ones(raw: bytes, charset: str | None) -> None:
    out, long = TextBuffer(), TextBuffer()
    if charset == "ucs2" or not put_string(out, Cursor(raw), 0, len(raw)):
        out.put(string_literal(raw, charset))
    long_string(memoryview(raw), charset).write(long)
    assert bytes(long.content()) == bytes(out.content())


@given(st.binary(), st.sampled_from([None, "latin1", "utf8mb4", "gbk", "ucs2"]))
def test_no_bytes_leave_their_literal(raw: bytes, charset: str | None) -> None:
    literal = string_literal(raw, charset)
    form = rb"(?:_binary |)'(?:[^'\\]|\\.)*'|(?:_utf8mb4 |)X'(?:[0-9A-F]{2})*'"
    assert re.fullmatch(form, literal, re.DOTALL)
    assert not re.search(rb"[\x00-\x1f\x7f]", literal)


def test_bytes_of_no_known_character_set_are_not_converted() -> None:
    assert string_literal("é".encode(), None) == "_binary 'é'".encode()
    assert string_literal(b"\xe9", "latin1") == "'é'".encode()
    assert string_literal(b"\xe9", "utf8mb4") == b"X'E9'"
    assert string_literal(b"\x1b[31m", "latin1") == b"_utf8mb4 X'1B5B33316D'"


def test_a_name_keeps_its_backticks_and_bytes() -> None:
    assert identifier("a`b") == b"`a``b`"
    assert identifier(b"\xff".decode("utf-8", "surrogateescape")) == b"`\xff`"


@given(st.text())
def test_a_comment_is_one_line_without_control_characters(text: str) -> None:
    assert visible(text).isprintable()


def sql(tmp_path: Path, maker: TimedLog, *options: str, name: str = "bin.000001") -> subprocess.CompletedProcess[bytes]:
    path = tmp_path / name
    path.write_bytes(maker.log)
    command = [sys.executable, "-m", "binlogcli", "dump", "--format", "sql", *options, str(path)]
    return subprocess.run(command, capture_output=True, check=False)


def test_a_transaction_ends_as_it_ended_in_the_log(tmp_path: Path) -> None:
    maker = TimedLog()
    maker.transaction(5, 1)
    maker.gtid(6, 2)
    maker.query(6, "INSERT INTO t VALUES (2)")
    maker.query(6, "ROLLBACK")
    maker.gtid(7, 3)
    maker.query(7, "INSERT INTO t VALUES (3)")
    lines = [line.split(b" -- ")[0] for line in sql(tmp_path, maker).stdout.splitlines()]
    kept = [line for line in lines if not line.startswith((b"SET", b"USE"))]
    assert kept == [
        *(b"BEGIN;", b"INSERT INTO t VALUES (1);", b"COMMIT;"),
        *(b"BEGIN;", b"INSERT INTO t VALUES (2);", b"ROLLBACK;"),
        *(b"BEGIN;", b"INSERT INTO t VALUES (3);", b"ROLLBACK;"),
    ]


def test_a_statement_with_semicolons_has_a_delimiter_that_it_does_not_hold(tmp_path: Path) -> None:
    maker = TimedLog()
    maker.gtid(5, 1, standalone=True)
    maker.query(5, "CREATE PROCEDURE p() BEGIN SELECT '/*!*/;'; END")
    lines = sql(tmp_path, maker).stdout.splitlines()
    at = next(at for at, line in enumerate(lines) if line.startswith(b"DELIMITER /"))
    delimiter = lines[at].split(b" ", 1)[1]
    assert lines[at + 1 : at + 4] == [b"CREATE PROCEDURE p() BEGIN SELECT '/*!*/;'; END", delimiter, b"DELIMITER ;"]
    assert delimiter not in lines[at + 1]


def test_a_file_name_with_a_new_line_stays_in_its_comment(tmp_path: Path) -> None:
    maker = TimedLog()
    maker.transaction(5, 1)
    lines = sql(tmp_path, maker, name="x\nDROP TABLE t; --").stdout.splitlines()
    assert not any(line.startswith(b"DROP") for line in lines)


def test_damage_is_a_comment_and_the_text_goes_on(tmp_path: Path) -> None:
    maker = TimedLog()
    maker.transaction(5, 1)
    middle = maker.transaction(6, 2)
    maker.transaction(7, 3, "INSERT INTO t VALUES (3)")
    maker.log[middle + 70] ^= 1
    done = sql(tmp_path, maker)
    assert done.returncode == 1
    assert b"checksum mismatch" in done.stdout
    assert done.stdout.splitlines()[-1] == b"COMMIT;"


@pytest.mark.parametrize("what", ["damage", "statement"])
def test_an_undo_prints_nothing_when_it_cannot_be_right(tmp_path: Path, what: str) -> None:
    maker = TimedLog()
    maker.transaction(5, 1, "FLUSH TABLES" if what == "damage" else "UPDATE t SET a=1")
    if what == "damage":
        maker.log[maker.starts[2] + 25] ^= 1
    done = sql(tmp_path, maker, "--undo")
    assert (done.returncode, done.stdout) == (2, b"")
    assert what in done.stderr.decode()


def test_undo_goes_with_sql_alone(tmp_path: Path) -> None:
    maker = TimedLog()
    path = tmp_path / "bin.000001"
    path.write_bytes(maker.log)
    command = [sys.executable, "-m", "binlogcli", "dump", "--undo", "--format", "json", str(path)]
    done = subprocess.run(command, capture_output=True, check=False)
    assert done.returncode == 2


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*/types-full/shop-bin.000001")), ids=lambda path: path.parts[-3])
def test_each_row_change_is_one_line(path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "binlogcli", "dump", "--format", "sql", "-E", "*rows*", str(path)],
        capture_output=True,
        check=True,
    )
    nothing = (b"-- UPDATE `", b"-- INSERT INTO `")  # of rows that did not change, and of history
    frame = (b"INSERT INTO `", b"UPDATE `", b"DELETE FROM `", b"SET @@session.", b"BEGIN;", b"COMMIT;", *nothing)
    assert all(line.startswith(frame) for line in done.stdout.splitlines())


def test_a_savepoint_is_printed_with_the_change_it_is_about() -> None:
    shop = GOLDEN / "mariadb-10.11" / "rows" / "shop-bin.000001"
    chosen = run("dump", "--format", "sql", "--include-gtids", "0-101-33", shop).stdout
    begin, savepoint = chosen.index(b"BEGIN;"), chosen.index(b"SAVEPOINT `sp1`")
    assert begin < savepoint
    assert b"SAVEPOINT" not in run("dump", "--format", "sql", "--database", "nothing", shop).stdout


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        (b'SAVEPOINT `a"b`', b'SAVEPOINT `a"b`'),
        (b'SAVEPOINT "s p"', b"SAVEPOINT `s p`"),
        (b'ROLLBACK TO "a""b`c"', b'ROLLBACK TO `a"b``c`'),
        (b"ROLLBACK TO plain", b"ROLLBACK TO plain"),
    ],
)
def test_a_savepoint_has_the_same_name_in_every_session(statement: bytes, expected: bytes) -> None:
    assert in_backticks(statement) == expected


def test_an_xa_transaction_without_changes_begins_before_it_ends(tmp_path: Path) -> None:
    log = TimedLog()
    xid = struct.pack("<IBB", 1, 1, 1) + b"ab"
    flags = 0x40 | 0x04  # FL_PREPARED_XA, FL_TRANSACTIONAL
    log.place(162, 1000, struct.pack("<QIB", 1, 0, flags) + xid)
    log.query(1000, "XA END X'61',X'62',1")
    log.place(38, 1000, struct.pack("<BIII", 0, 1, 1, 1) + b"ab")
    path = tmp_path / "bin.000001"
    path.write_bytes(log.log)
    text = run("dump", "--format", "sql", path).stdout
    words = [line.split(b"'")[0] for line in text.splitlines() if line.startswith(b"XA ")]
    assert words == [b"XA START X", b"XA END X", b"XA PREPARE X"], text


def test_vectors_are_compared_as_bytes() -> None:
    """MySQL compares a VECTOR with vectors alone, not even with NULL."""
    with Log(str(GOLDEN / "mysql-9.7" / "types-full" / "shop-bin.000001")) as log:
        maps = [event for event in log if isinstance(event, TableMap) and event.table == "y_vec"]
    assert TableTexts(maps[0].plan).compared == [b"`id` <=> ", b"BINARY `v` <=> ", b"BINARY `w` <=> "]


def test_the_collation_that_utf8mb4_has_by_default_is_set_where_it_is_another(tmp_path: Path) -> None:
    log = LogBuilder().describe()
    for number in (255, 45, 45, 255):
        log.add(2, query(b"\x12" + number.to_bytes(2, "little"), text=b"CREATE TABLE t (a INT)"))
    path = tmp_path / "collations.000001"
    path.write_bytes(log.log)
    text = run("dump", "--format", "sql", path).stdout
    assert re.findall(rb"default_collation_for_utf8mb4=(\d+)|(CREATE TABLE t)", text) == [
        *((b"", b"CREATE TABLE t"), (b"45", b""), (b"", b"CREATE TABLE t")),
        *((b"", b"CREATE TABLE t"), (b"255", b""), (b"", b"CREATE TABLE t")),
    ]


def test_an_event_that_the_server_left_out_is_no_statement(tmp_path: Path) -> None:
    maker = TimedLog()
    maker.gtid(1000, 1)
    maker.query(1000, "# Dummy event replacing event type 160 that slave cannot handle.")
    maker.query(1000, "INSERT INTO t VALUES (1)")
    maker.xid(1000, 1)
    text = sql(tmp_path, maker).stdout
    assert b"INSERT INTO t VALUES (1)" in text
    assert b"Dummy" not in text


def test_characters_of_two_bytes_keep_both_in_a_comment(tmp_path: Path) -> None:
    maker = TimedLog()
    maker.transaction(1000, 1)
    assert rb"-- a\u202eb:" in sql(tmp_path, maker, name="a\u202eb").stdout.replace(str(tmp_path).encode() + b"/", b"")
