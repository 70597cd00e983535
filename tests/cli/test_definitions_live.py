"""A server without row metadata: its log's own statements give names, signs, labels and keys to all commands."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import binlogcli
from binlogcli.events.tables import Rows
from support.live_mariadb import MariaServer, server_available
from support.program import missing, run

SETUP = """
CREATE DATABASE shop; USE shop;
CREATE TABLE orders (id INT UNSIGNED PRIMARY KEY, state ENUM('new','paid'), note VARCHAR(9), big BIGINT UNSIGNED);
ALTER TABLE orders RENAME COLUMN note TO remark;
INSERT INTO orders VALUES (1,'new','a',1), (4000000000,'paid','b',18446744073709551615);
"""
CHANGES = """
UPDATE shop.orders SET remark='changed', big=big-1 WHERE state='paid';
DELETE FROM shop.orders WHERE id=1;
INSERT INTO shop.orders VALUES (7,'paid','c',7);
"""
TABLE = "SELECT * FROM shop.orders ORDER BY id"


@pytest.fixture(scope="module", params=["NO_LOG", "MINIMAL"])
def server(request: pytest.FixtureRequest) -> Iterator[MariaServer]:
    if not server_available():
        missing("MariaDB is not installed")
    with MariaServer(["--binlog-format=ROW", f"--binlog-row-metadata={request.param}"]) as running:
        running.sql(SETUP)
        yield running


@pytest.fixture(scope="module")
def logs(server: MariaServer) -> tuple[Path, Path]:
    """The log of the table's statements, and that of the changes."""
    first = server.flush_logs()
    server.sql(CHANGES)
    return first, server.flush_logs()


def test_rows_are_found_by_names_and_labels(logs: tuple[Path, Path]) -> None:
    done = run("dump", "--format", "json", "--where", "state = 'paid' AND id = 4000000000", *logs)
    assert (done.returncode, done.stderr) == (0, b"")
    bodies = [event["body"] for event in map(json.loads, done.stdout.splitlines()) if "rows" in event["body"]]
    assert [row["after"] for body in bodies for row in body["rows"]] == [
        {"id": 4000000000, "state": "paid", "remark": "b", "big": (1 << 64) - 1},
        {"id": 4000000000, "state": "paid", "remark": "changed", "big": (1 << 64) - 2},
    ]


def test_the_api_has_the_names_without_a_schema(logs: tuple[Path, Path]) -> None:
    with binlogcli.open(str(logs[0])) as log:
        (event,) = (one for one in log if isinstance(one, Rows))
        assert [row.after["big"] for row in event.rows if row.after is not None] == [1, (1 << 64) - 1]


def test_the_text_of_the_servers_tools_is_as_it_was(logs: tuple[Path, Path]) -> None:
    for options in (("-vv",), ("-v", "--print-table-metadata")):
        done = run("dump", *options, *logs)
        assert done.returncode == 0
        rows = [line for line in done.stdout.splitlines() if line.startswith(b"### ")]
        assert any(b"@3='changed'" in line for line in rows)
        assert not any(b"remark" in line for line in rows)


def test_undo_finds_rows_by_the_key_and_is_executable(server: MariaServer, logs: tuple[Path, Path]) -> None:
    after = server.sql(TABLE)
    undo = run("dump", "--format", "sql", "--undo", "--include-gtids", "0-101-5,0-101-6,0-101-7", *logs)
    assert undo.returncode == 0, undo.stderr
    text = undo.stdout.decode()
    assert "WHERE `id`=4000000000;" in text
    assert "WHERE `id`=7;" in text
    server.sql(text)
    expected = "1\tnew\ta\t1\n4000000000\tpaid\tb\t18446744073709551615\n"
    assert server.sql(TABLE) == expected != after
