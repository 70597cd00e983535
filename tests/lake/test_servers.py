"""Servers with databases of equal names in one output."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from binlogcli.lake.lake_table import read_table
from binlogcli.lake.model import LakeOptions
from support.lake_runs import job, table_rows
from support.program import run
from support.shop_logs import ShopLog
from support.undescribed_logs import CREATE, LARGE, UndescribedLogs


def of_server(name: str) -> LakeOptions:
    return LakeOptions(server=name)


def values(output: Path, name: str) -> list[tuple[Any, ...]]:
    """The rows of a table across its versions: operation, columns."""
    rows = read_table(output, name).read_all().to_pylist()
    rows.sort(key=lambda row: row["_seq"])
    return [(row["_op"], *(value for key, value in row.items() if key[0] != "_")) for row in rows]


@pytest.fixture
def logs(tmp_path: Path) -> list[Path]:
    """The logs of two servers, of the same names, with a table of one name and other columns."""
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
    one = UndescribedLogs(tmp_path / "one").begin().statement(CREATE).row().statement("TRUNCATE t")
    two = UndescribedLogs(tmp_path / "two").begin().statement("CREATE TABLE t (a INT UNSIGNED, b INT)").row()
    two.write()
    two.begin().statement("ALTER TABLE t RENAME COLUMN b TO c").row()
    return [one.write(), two.paths[0], two.write()]


def test_named_servers_have_tables_of_their_own(logs: list[Path], tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    for _ in range(2):
        assert job(lake, logs[0], lake=of_server("one"), final=True).errors == []
        assert job(lake, *logs[1:], lake=of_server("two"), final=True).errors == []
    assert values(lake, "one.shop.t") == [("insert", LARGE, 1), ("truncate", None, None)]
    assert values(lake, "two.shop.t") == [("insert", LARGE, 1), ("insert", LARGE, 2)]
    names = [json.loads(path.read_text())["columns"] for path in sorted(lake.glob("_binlog/tables/*/t/schema.json"))]
    assert [[column["name"] for column in columns] for columns in names] == [["id", "count"], ["a", "c"]]
    assert [row["_file"] for row in table_rows(lake, "tables/one.shop/**/*.parquet")] == [str(logs[0])] * 2


def test_a_log_has_one_server(logs: list[Path], tmp_path: Path) -> None:
    job(tmp_path / "lake", logs[0], lake=of_server("one"), final=True)
    (error,) = job(tmp_path / "lake", logs[0], final=True).errors
    assert error.line() == f"{logs[0]}: was converted with --server-name one; pass --server-name one"
    job(tmp_path / "other", logs[0], final=True)
    (error,) = job(tmp_path / "other", logs[0], lake=of_server("one"), final=True).errors
    assert error.line() == f"{logs[0]}: was converted without --server-name; omit --server-name"


def test_columns_of_a_named_server_are_given_as_its_logs_have_them(logs: list[Path], tmp_path: Path) -> None:
    for name in ("", "one"):
        lake = LakeOptions(server=name, unsigned=("shop.t.count", "shop.u.count"))
        report = job(tmp_path / f"lake-{name}", logs[0], lake=lake, final=True)
        assert [line.partition(":")[0] for line in report.vain] == [
            "--assume-unsigned shop.t.count",
            "--assume-unsigned shop.u.count",
        ]
        assert "is known to be signed" in report.vain[0]


def test_logs_of_several_servers_without_names_are_told_once(tmp_path: Path) -> None:
    first, second = (tmp_path / f"bin.00000{number}" for number in (1, 2))
    ShopLog().trade(1).stop().write(first)
    content = bytearray(ShopLog(first=9, created=1_700_000_009).trade(1).stop().bytes())
    content[9] ^= 1  # the server's number, in the format description alone
    second.write_bytes(content)
    assert len(job(tmp_path / "lake", first).mixed) == 1
    assert len(job(tmp_path / "lake", first, second).mixed) == 2
    assert job(tmp_path / "lake", first, second).mixed == []


@pytest.mark.parametrize("name", ["a.b", "A", "a/b", "a b"])
def test_a_name_that_is_none(name: str, tmp_path: Path) -> None:
    done = run("to-parquet", "-o", tmp_path / "lake", "--server-name", name, tmp_path / "none")
    assert done.returncode == 2
    assert b"is not a valid server name; use lower-case letters, digits, - and _" in done.stderr
