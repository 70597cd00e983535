"""A table without a primary key is found where another log has its definition, by one process and by several."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from binlogcli.cli.main import main
from support.bodies import DELETE_V1, LONGLONG, rows_event, table_map
from support.logs import TABLE_MAP, TimedLog

Problems = Callable[..., bool]


def defining(path: Path, *statements: str) -> None:
    log = TimedLog()
    for number, text in enumerate(statements, 1):
        log.gtid(1000, number, standalone=True)
        log.query(1000, text)
    log.write(path)


def deleting(path: Path, *statements: str) -> None:
    log = TimedLog(2000)
    for number, text in enumerate(statements, 50):
        log.gtid(2000, number, standalone=True)
        log.query(2000, text)
    log.gtid(2000, 90)
    log.place(TABLE_MAP, 2000, table_map([LONGLONG] * 2, table=b"t", table_id=7))
    log.place(DELETE_V1, 2000, rows_event(2, b"\0" + bytes(16), table_id=7))
    log.xid(2000, 1)
    log.write(path)


@pytest.fixture(params=["--jobs=1", "--jobs=2", "--table=shop.t"])
def keyless(request: pytest.FixtureRequest, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Problems:
    """Whether the table is found to have no key; only --table has the logs share what they know."""

    def keyless(*numbers: int) -> bool:
        logs = [str(tmp_path / f"bin.{number:06}") for number in numbers]
        assert main(["stats", "--section", "problems", request.param, *logs]) == 0
        return "shop.t are changed, but the table has no primary key" in capsys.readouterr().out

    return keyless


BARE = "CREATE TABLE t (a BIGINT, b BIGINT)"


def test_the_definition_is_in_the_log_before(tmp_path: Path, keyless: Problems) -> None:
    defining(tmp_path / "bin.000001", BARE)
    defining(tmp_path / "bin.000002")
    deleting(tmp_path / "bin.000003")
    assert keyless(1, 2, 3)
    assert not keyless(3)


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE t ADD PRIMARY KEY (a)",
        "RENAME TABLE t TO old, other TO t",
        "CREATE OR REPLACE TABLE t (a BIGINT PRIMARY KEY, b BIGINT)",
    ],
)
def test_a_statement_after_it_may_add_a_key(tmp_path: Path, keyless: Problems, statement: str) -> None:
    defining(tmp_path / "bin.000001", BARE)
    deleting(tmp_path / "bin.000002", statement)
    assert not keyless(1, 2)
    defining(tmp_path / "bin.000001", BARE, statement)
    deleting(tmp_path / "bin.000002")
    assert not keyless(1, 2)


def test_an_index_of_its_own_may_be_a_key(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    defining(tmp_path / "bin.000001", BARE)
    deleting(tmp_path / "bin.000002", "create  unique index k ON t (a)")
    deleting(tmp_path / "bin.000003")
    logs = [str(tmp_path / f"bin.{number:06}") for number in (1, 2, 3)]
    assert main(["stats", "--section", "problems", *logs]) == 0
    assert "no_primary_key" not in capsys.readouterr().out


def test_a_table_with_a_key_is_no_problem(tmp_path: Path, keyless: Problems) -> None:
    defining(tmp_path / "bin.000001", "CREATE TABLE t (a BIGINT PRIMARY KEY, b BIGINT)")
    deleting(tmp_path / "bin.000002")
    assert not keyless(1, 2)


def test_a_definition_that_does_not_fit_says_nothing(tmp_path: Path, keyless: Problems) -> None:
    defining(tmp_path / "bin.000001", "CREATE TABLE t (a BIGINT, b BIGINT, c BIGINT)")
    deleting(tmp_path / "bin.000002")
    assert not keyless(1, 2)
