"""Statements that clients read otherwise than servers: they are sent whole, and clients run no part of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from binlogcli.render.client import COMMAND, NAMED, OPEN, SPLIT, StatementReader
from render.test_hostile_names import sql_of
from render.test_hostile_names_live import replay
from support.bodies import query
from support.client import read_by_client
from support.live_mariadb import MariaServer, server_available
from support.logs import MARIADB, MYSQL, QUERY, LogBuilder
from support.mysqlbinlog_text import text_of
from support.program import run

PIECES = (
    *(b"\n", b"'", b'"', b"`", b"\\", b"\\!", b";", b"/*!*/;", b"/*", b"/*!9 ", b"/*M!9 ", b"/*+", b"*/", b"#", b"--"),
    *(b"-- ", b" ", b"\nsystem x", b"delimiter x", b"x", b"SELECT", b"\\N", b"\xff"),
)
STATEMENTS = st.lists(st.sampled_from(PIECES), max_size=9).map(b"".join)


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        (b"INSERT INTO t VALUES ('it''s', '\\'', \"a\", NULL) -- a comment", []),
        (b"INSERT INTO `t` VALUES ('/*!*/;', '\\! x', '2024-01-01') /* it's */ # it's", []),
        (b"SELECT \\N, '--', `a``b` /*!40000 , 'x' */", []),
        (b"CREATE PROCEDURE p() BEGIN SELECT 1 /*!*/; DROP TABLE t; END", [SPLIT]),
        (b"CREATE TABLE t (a INT) /*!99999 \\! id */", [COMMAND]),
        (b"CREATE TABLE t (a INT) /*!99999 ' */", [OPEN]),
        (b'CREATE TABLE "a\\" (a INT)', [OPEN]),
        (b"SELECT 1 /* not closed", [OPEN]),
        (b"system id", [NAMED]),
        (b"# a comment\n USE x", [NAMED]),
        (b"delimiter x", [NAMED]),
        (b"status quo", []),  # a command without arguments is none with them
        (b"UPDATE t SET system = 1", []),
    ],
)
def test_what_clients_misread(statement: bytes, expected: list[str]) -> None:
    reader = StatementReader(b"/*!*/;", mariadb=True)
    assert reader.troubles(statement) == expected
    assert not (reader.plain(statement) and expected)


@settings(max_examples=500)
@given(STATEMENTS)
def test_what_looks_plain_is_read_as_it_is(statement: bytes) -> None:
    reader = StatementReader(b"/*!*/;", mariadb=True)
    assert not reader.plain(statement) or reader.troubles(statement) == []


def script_of(statement: bytes, version: str, folder: Path) -> Path:
    """Return a log with the statement between two others."""
    log = LogBuilder(version).describe()
    for text in (b"SELECT 'before'", statement, b"SELECT 'after'"):
        log.add(QUERY, query(text=text))
    path = folder / "log.000001"
    log.write(path)
    return path


@pytest.mark.parametrize("version", [MARIADB, MYSQL])
@pytest.mark.parametrize("output", [text_of, sql_of])
def test_each_statement_is_sent_by_itself(output: type, version: str, tmp_path: Path) -> None:
    @settings(max_examples=80, deadline=None)
    @example(b"SELECT 1 /*!9 ' */, '/*!*/; DROP TABLE t /*!*/; '")
    @example(b"SELECT 1 /*!9 \\! id */")
    @example(b"/* a\nsystem id\n")
    @given(STATEMENTS)
    def check(statement: bytes) -> None:
        text = output(script_of(statement, version, tmp_path))
        for binary in (False, True):
            client = read_by_client(text, binary=binary, mariadb=version == MARIADB)
            found = [at for at, sent in enumerate(client.statements) if sent in (b"SELECT 'before'", b"SELECT 'after'")]
            between = client.statements[found[0] + 1 : found[1]]
            assert len([sent for sent in between if not sent.startswith(b"SET ")]) <= 1
            assert [command for command in client.commands if not command.startswith(b"\\C ")] == []

    check()


def test_a_delimiter_in_quotes_leaves_the_statement_as_the_tools_write_it(tmp_path: Path) -> None:
    for statement in (b"INSERT INTO t VALUES ('/*!*/;')", b"INSERT INTO t VALUES ('/*!*/;') # it's"):
        assert b"\n" + statement + b"\n/*!*/;\n" in text_of(script_of(statement, MARIADB, tmp_path))


@pytest.mark.skipif(not server_available(), reason="no MariaDB server is installed")
@pytest.mark.parametrize("options", [(), ("--format", "sql")], ids=["text", "sql"])
def test_a_server_runs_what_another_ran(options: tuple[str, ...], tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    statements = (
        f"CREATE TABLE one (a INT) /*!99999 \\! touch {mark}\n */",
        "CREATE PROCEDURE two() BEGIN SELECT 1 /*!*/; DROP TABLE victim; END",
        "CREATE TABLE three (a INT) /*!99999 ' */",
        "CREATE TABLE four (a INT) /*!99999 ' */ COMMENT '/*!*/;\nDROP TABLE victim/*!*/;\n'",
    )
    with MariaServer() as server:
        server.sql("CREATE DATABASE shop; CREATE TABLE shop.victim (a INT)")
        log = LogBuilder(MARIADB).describe()
        for statement in statements:
            log.add(QUERY, query(text=statement.encode()))
        log.write(tmp_path / "log.000001")
        done = run("dump", *options, tmp_path / "log.000001")
        replay(server, done.stdout)
        tables = server.sql("SHOW TABLES FROM shop").split()
        assert tables == ["four", "one", "three", "victim"]
        assert server.sql("SELECT routine_name FROM information_schema.routines WHERE routine_schema='shop'") == "two\n"
        assert not mark.exists()
    assert len(done.stderr.splitlines()) == (2 if options else 3)  # in SQL a delimiter is chosen for each statement
