"""What became of the transaction of each row: `_outcome`, and the data set of XA transactions that end later."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import pytest

from binlogcli.lake.decode import collector
from binlogcli.lake.model import LakeOptions
from support.bodies import query
from support.golden import GOLDEN
from support.hostile_logs import TRANSACTION_PAYLOAD, packed_content
from support.lake_runs import job, table_rows
from support.logs import QUERY, LogBuilder
from support.shop_logs import ShopLog

COMPILED = not str(collector.__file__).endswith(".py")
XA = {
    "mariadb-11.8/xa": {1: "committed", 2: "rolled_back", 3: "committed", 4: "committed", 6: "committed"},
    "mysql-9.7/xa": {
        1: "committed",
        2: "rolled_back",
        3: "committed",
        4: "committed",
        6: "committed",
        7: "rolled_back",
        50: "committed",
        51: "committed",
    },
    "mysql-8.4/xa": {
        1: "committed",
        2: "rolled_back",
        3: "committed",
        4: "committed",
        5: "committed",
        7: "committed",
        8: "committed",
        9: "committed",
    },
}


def logs_of(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*.0*") if path.suffix[1:].isdigit())


def settled(rows: list[dict[str, Any]], ends: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The rows as the manual says to read them: what is prepared has the outcome of the next end of its `_xa`."""
    for row in rows:
        later = [end for end in ends if end["_xa"] == row["_xa"] and end["_seq"] > row["_seq"]]
        outcome = row["_outcome"]
        if outcome == "xa_prepared" and later:
            outcome = min(later, key=lambda end: end["_seq"])["_outcome"]
        yield row | {"_outcome": outcome}


@pytest.mark.parametrize("name", XA)
@pytest.mark.parametrize("backwards", [False, True])
def test_xa_transactions_have_the_outcome_that_a_later_log_tells(name: str, backwards: bool, tmp_path: Path) -> None:
    logs = logs_of(GOLDEN / name)
    for log in logs[::-1] if backwards else logs:
        job(tmp_path, log, final=True)  # each log in an epoch of its own
    rows = table_rows(tmp_path)
    for row in rows:
        assert (row["_outcome"] == "xa_prepared") == (row["_xa"] is not None)
    ends = table_rows(tmp_path, "xa/*.parquet")
    assert {end["_outcome"] for end in ends} == {"committed", "rolled_back"}
    assert all(end["_file"] and end["_ts"] and end["_gtid"] and end["_pos"] > 4 for end in ends)
    inserted = [row for row in settled(rows, ends) if row["_op"] == "insert"]
    found = {row["id"] if row.get("id") else row["c1"]: row["_outcome"] for row in inserted}
    assert found == XA[name]


def test_what_is_rolled_back_or_has_no_end_is_not_committed(tmp_path: Path) -> None:
    """Also where the rows are handed out long before the end of their transaction, and in several splits."""
    log = tmp_path / "bin.000001"
    content = ShopLog().trade(1)
    content.begin().insert(40, ends=False)
    for _ in range(30):
        content.map().rows(40, ends=False)
    content.map().rows(40).add(QUERY, query(text=b"ROLLBACK"))
    content.trade(1).begin().insert(1, ends=False)
    content.write(log)
    for number, (batch, split) in enumerate(((4 << 20, None), (1 << 10, None), (4 << 20, 4000))):
        output = tmp_path / str(number)
        job(output, log, lake=LakeOptions(batch_bytes=batch), final=True, split_size=split)
        rows = table_rows(output)
        found = [row["_outcome"] for row in rows]
        assert found == ["committed"] * 2 + ["rolled_back"] * 1280 + ["committed"] * 2 + [None]
        assert {row["_xa"] for row in rows} == {None}


class Content(ShopLog):
    """The content of a payload: a transaction of MySQL without its GTID, and without checksums."""

    def __init__(self) -> None:
        LogBuilder.__init__(self, checksum=0, magic=b"")
        self.next = self.seq_no = 1

    def begin(self) -> Self:
        return self.add(QUERY, query(text=b"BEGIN"))


def said(log: ShopLog, *texts: bytes) -> ShopLog:
    for text in texts:
        log.add(QUERY, query(text=text))
    return log


def partly_taken_back(log: ShopLog) -> list[str]:
    """Add a transaction with savepoints; return what became of its rows."""
    log.begin().insert(2)
    said(log, b"SAVEPOINT `a`").insert(30, ends=False).map().rows(30)
    said(log, b"SAVEPOINT `b`").insert(2, table="orders1", table_id=21)
    said(log, b"ROLLBACK TO `a`").insert(2)
    said(log, b"SAVEPOINT `b`").insert(2)
    said(log, b"SAVEPOINT `c`").insert(2)
    said(log, b"ROLLBACK TO `c`").insert(2).commit()
    return ["committed"] * 2 + ["rolled_back"] * 62 + ["committed"] * 4 + ["rolled_back"] * 2 + ["committed"] * 2


def test_what_was_rolled_back_to_a_savepoint_is_not_committed(tmp_path: Path) -> None:
    """Also in small batches, and where splits begin within the transaction."""
    log = ShopLog().trade(1)
    wanted = ["committed"] * 2 + partly_taken_back(log)
    log.trade(1).begin().insert(1)
    said(log, b"SAVEPOINT `a`").insert(1)
    said(log, b"ROLLBACK TO `a`", b"ROLLBACK")
    log.begin().insert(1)
    said(log, b"SAVEPOINT `a`").insert(1)
    said(log, b"ROLLBACK TO `a`").insert(1).write(tmp_path / "bin.000001")  # without an end
    wanted += ["committed"] * 2 + ["rolled_back"] * 2 + [None, "rolled_back", None]  # type: ignore[list-item]
    for number, (batch, split) in enumerate(((4 << 20, None), (1 << 6, None), (4 << 20, 500), (1 << 6, 700))):
        output = tmp_path / str(number)
        job(output, tmp_path / "bin.000001", lake=LakeOptions(batch_bytes=batch), final=True, split_size=split)
        rows = table_rows(output)
        assert [row["_outcome"] for row in rows] == wanted
        ended = rows[2:72]
        assert {(row["_xid"], row["_gtid"], row["_commit_ts"]) for row in ended} == {
            (2, ended[0]["_gtid"], ended[0]["_commit_ts"])
        }
        assert {row["gtid"] for row in table_rows(output, "events/*.parquet")} > {ended[0]["_gtid"]}


@pytest.mark.parametrize("version", ["5.1.73-log", "5.2.14-MariaDB"])
def test_old_servers_may_have_kept_what_was_rolled_back_to_a_savepoint(version: str, tmp_path: Path) -> None:
    log = ShopLog(version=version)
    wanted = [outcome.replace("rolled_back", "unknown") for outcome in partly_taken_back(log)]
    log.write(tmp_path / "bin.000001")
    job(tmp_path / "lake", tmp_path / "bin.000001", final=True)
    assert [row["_outcome"] for row in table_rows(tmp_path / "lake")] == wanted


def test_what_a_payload_holds_may_be_rolled_back_to_a_savepoint(tmp_path: Path) -> None:
    inner = Content()
    wanted = partly_taken_back(inner)
    log = LogBuilder().describe()
    for content in (inner, Content().begin().insert(1).commit(), inner):
        log.add(TRANSACTION_PAYLOAD, packed_content(content.bytes()))
    log.write(tmp_path / "bin.000001")
    for number, batch in enumerate((4 << 20, 1 << 6)):
        output = tmp_path / str(number)
        job(output, tmp_path / "bin.000001", lake=LakeOptions(batch_bytes=batch), final=True)
        assert [row["_outcome"] for row in table_rows(output)] == [*wanted, "committed", *wanted]


def test_a_data_set_of_ends_is_there_only_where_there_are_some(tmp_path: Path) -> None:
    ShopLog().trade(2).write(tmp_path / "bin.000001")
    job(tmp_path / "lake", tmp_path / "bin.000001", final=True)
    assert not (tmp_path / "lake/xa").exists()
