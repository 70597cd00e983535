"""Rows of MySQL 5.1 before its general release: null bits as in the server's record, and values under NULLs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.bodies import LONG, STRING, VARCHAR, lenenc, u2, u4
from support.logs import CRC32, LogBuilder
from support.program import run

ALPHA = "5.2.2-a_drop6p13-debug-log"
# its post-header lengths: TABLE_MAP to DELETE_ROWS are 16 to 19, with table ids of four bytes
ALPHA_SIZES = bytes.fromhex("380d000800120004040404120000530606060600041a")
TABLE_MAP, WRITE, UPDATE, DELETE = 16, 17, 18, 19
BETA = "5.1.17-beta-log"
PRE_GA_WRITE = 20
CREATE = "CREATE DATABASE shop; USE shop; CREATE TABLE t (id INT NOT NULL PRIMARY KEY, a INT, b CHAR(50));"


def alpha() -> LogBuilder:
    log = LogBuilder(ALPHA, checksum=0)
    body = u2(4) + ALPHA.encode().ljust(50, b"\0") + u4(0) + bytes([19]) + ALPHA_SIZES
    return log.add(15, body)


def table(types: list[int]) -> bytes:
    """A table map of the alphas, which ends with the types."""
    return u4(7) + u2(1) + b"\4shop\0\1t\0" + lenenc(len(types)) + bytes(types)


def rows(width: int, *images: bytes) -> bytes:
    return u4(7) + u2(1) + lenenc(width) + b"\xff" + b"".join(images)


def read(log: LogBuilder, folder: Path, *options: str, status: int = 0) -> list[list[dict[str, object]]]:
    """The rows of each event, out of JSON."""
    log.write(folder / "log")
    done = run("dump", "--format", "json", *options, folder / "log")
    assert (done.returncode, done.stderr == b"") == (status, status == 0)
    bodies = [json.loads(line)["body"] for line in done.stdout.splitlines()]
    return [body["rows"] for body in bodies if "rows" in body]


def test_a_bit_stands_before_those_of_columns_of_fixed_width(tmp_path: Path) -> None:
    log = alpha().add(TABLE_MAP, table([LONG, STRING]))
    log.add(WRITE, rows(2, b"\xf9" + u4(0) + b"\3one", b"\xf9" + u4(1) + b"\3two"))
    log.add(UPDATE, rows(2, b"\xf9" + u4(0) + b"\3one", b"\xf9" + u4(1) + b"\3one"))
    log.add(DELETE, rows(2, b"\xfb" + u4(0) + b"\3two"))
    assert read(log, tmp_path) == [
        [{"after": {"@1": 0, "@2": "one"}}, {"after": {"@1": 1, "@2": "two"}}],
        [{"before": {"@1": 0, "@2": "one"}, "after": {"@1": 1, "@2": "one"}}],
        [{"before": {"@1": None, "@2": "two"}}],
    ]


def test_no_bit_stands_before_those_of_a_table_with_a_varchar(tmp_path: Path) -> None:
    log = alpha().add(TABLE_MAP, table([LONG, VARCHAR, LONG]))
    log.add(WRITE, rows(3, b"\xfa" + u4(5) + b"\0" + u4(6)))
    assert read(log, tmp_path) == [[{"after": {"@1": 5, "@2": None, "@3": 6}}]]


def test_columns_that_may_not_be_null_have_no_bit(tmp_path: Path) -> None:
    """Whether the last column is NULL, or has no bit, is not in the log."""
    schema = tmp_path / "schema.sql"
    schema.write_text(CREATE)
    log = alpha().add(TABLE_MAP, table([LONG, LONG, STRING]))
    log.add(WRITE, rows(3, b"\xfb" + u4(1) + u4(0) + b"\1x"))
    found = read(log, tmp_path, "--schema", str(schema))
    assert found == [[{"after": {"id": 1, "a": None, "b": "x"}}]]
    [[unread]] = read(log, tmp_path, status=1)
    assert "--schema" in str(unread["reason"])


def test_table_maps_that_tell_it_are_believed(tmp_path: Path) -> None:
    """Those of the last betas."""
    described = table([LONG, LONG]).replace(u4(7), u4(7) + u2(0), 1) + b"\0" + b"\x02"
    log = LogBuilder(BETA, checksum=0).add(15, u2(4) + BETA.encode().ljust(50, b"\0") + u4(0) + b"\x13" + bytes(27))
    log.add(19, described).add(PRE_GA_WRITE, rows(2, b"\xff" + u4(1) + u4(0)).replace(u4(7), u4(7) + u2(0), 1))
    assert read(log, tmp_path) == [[{"after": {"@1": 1, "@2": None}}]]


def test_bits_of_bit_columns_are_not_guessed(tmp_path: Path) -> None:
    described = u4(7) + u2(0) + u2(1) + b"\4shop\0\1t\0" + b"\1\x10" + b"\2\3\0" + b"\1"
    log = LogBuilder(checksum=CRC32).describe().add(19, described)
    log.add(PRE_GA_WRITE, u4(7) + u2(0) + u2(1) + b"\1\xff" + b"\xfc\5")
    [[unread]] = read(log, tmp_path, status=1)
    assert "engine" in str(unread["reason"])


@pytest.mark.parametrize("mariadb", [False, True])
def test_the_text_has_the_tools_name_and_our_rows(tmp_path: Path, mariadb: bool) -> None:
    log = alpha().add(TABLE_MAP, table([LONG, STRING])).add(WRITE, rows(2, b"\xf9" + u4(3) + b"\3one"))
    log.write(tmp_path / "log")
    text = run("dump", "-v", "--dialect", "mariadb" if mariadb else "mysql", tmp_path / "log").stdout
    assert b"\tWrite_rows_old: table id 7 flags: STMT_END_F\n" in text
    assert b"###   @1=3\n###   @2='one'\n" in text


def test_they_are_taken_back_as_statements_not_as_events(tmp_path: Path) -> None:
    log = alpha().add(TABLE_MAP, table([LONG, STRING])).add(WRITE, rows(2, b"\xf9" + u4(3) + b"\3one"))
    log.write(tmp_path / "log")
    schema = tmp_path / "schema.sql"
    schema.write_text(CREATE.replace("id INT NOT NULL PRIMARY KEY, ", ""))
    undo = run("dump", "--format=sql", "--undo", "--schema", schema, tmp_path / "log").stdout
    assert b"DELETE FROM `shop`.`t` WHERE `a` <=> 3 AND BINARY `b` <=> 'one' LIMIT 1;" in undo
    done = run("dump", "--dialect=mariadb", "--flashback", tmp_path / "log")
    assert done.returncode == 2
    reason = b"--flashback does not support rows of MySQL 5.1 before its general release"
    assert reason + b"; use --undo" in done.stderr


def test_hexdump_and_stats_read_them_too(tmp_path: Path) -> None:
    log = alpha().add(TABLE_MAP, table([LONG, STRING])).add(WRITE, rows(2, b"\xfb" + u4(9) + b"\3one"))
    log.write(tmp_path / "log")
    tree = [json.loads(line) for line in run("hexdump", "--json", tmp_path / "log").stdout.splitlines()][-1]
    row = next(field for field in tree["fields"] if field["name"] == "row")
    assert [(field["name"], field["end"] - field["start"]) for field in row["fields"]] == [
        *(("null_bits", 1), ("value_under_null", 4), ("@2", 4))
    ]
    done = run("stats", "--format", "json", "--section", "tables", tmp_path / "log")
    assert json.loads(done.stdout)["tables"][0]["inserted"] == 1
