"""Two histories compared: what is written differently is no difference, and each difference put in is found."""

from __future__ import annotations

import os
import random
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from binlogcli.compare import alignment
from support.bodies import LONG, LONGLONG, WRITE_V1, query, rows_event, table_map, u4, u8
from support.histories import (
    DELETE,
    GTID_MARIADB,
    GTID_MYSQL,
    MARIADB_FAMILY,
    MYSQL_FAMILY,
    NAMELESS_FAMILY,
    NAMES,
    UPDATE,
    UUID,
    WRITE,
    Row,
    Style,
    Work,
    compared,
    log_of,
    replica_of,
)
from support.logs import QUERY, TABLE_MAP, XID, LogBuilder

FAMILIES = (MARIADB_FAMILY, MYSQL_FAMILY, NAMELESS_FAMILY)
EACH = 10
SEEDS = int(os.environ.get("BINLOGCLI_HISTORIES", "3"))


def history(count: int = 200) -> list[Work]:
    """Transactions that differ from one another, some of rows and some of a statement."""
    works = []
    for number in range(1, count + 1):
        rows: tuple[Row, ...] = tuple(Row(WRITE, number * 10 + at, 0, at) for at in range(number % 5 + 1))
        rows += (Row(UPDATE, number, 1, number), Row(DELETE, number + 1, number, 0))
        statements = (f"UPDATE t SET qt = {number}",) if number % 7 == 0 else ()
        works.append(Work(number, () if statements else rows, statements))
    return works


def written(folder: Path, name: str, works: list[Work], style: Style, before: list[Work] | None = None) -> list[Path]:
    path = folder / f"{name}.000001"
    log_of(works, style, before or []).write(path)
    return [path]


def kinds(summary: dict[str, Any]) -> dict[str, int]:
    names = ("matched", "different", "only_in_a", "only_in_b", "reordered", "unknown")
    return {name: summary[name] for name in names if summary[name]}


@pytest.mark.parametrize("family", FAMILIES)
def test_a_source_and_its_replica_are_equal(tmp_path: Path, family: str) -> None:
    works = history()
    a = written(tmp_path, "a", works, Style(family))
    b = written(tmp_path, "b", works, replica_of(family))
    summary, lines = compared(a, b)
    assert summary["equal"]
    assert (kinds(summary), lines, summary["said"]) == ({"matched": 200}, [], [])


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("seed", range(SEEDS))
def test_each_difference_that_was_put_in_is_found_and_no_other(tmp_path: Path, family: str, seed: int) -> None:
    works = history(300)
    chance = random.Random(f"{family} {seed}")
    places = [at for at in range(4, 296, 4) if works[at].rows]
    chance.shuffle(places)
    wanted: dict[str, set[int]] = {}
    other: list[Work | None] = list(works)

    def put(kind: str) -> list[int]:
        found = [places.pop() for _ in range(EACH)]
        wanted[kind] = {works[at].number for at in found}
        return found

    for at in put("missing"):
        other[at] = None
    for at in put("rows"):
        rows = works[at].rows
        other[at] = replace(works[at], rows=(*rows[:-2], replace(rows[-2], after=9999), rows[-1]))
    for at in put("more rows"):
        other[at] = replace(works[at], rows=(*works[at].rows, Row(WRITE, 5000 + at, 0, 1)))
    for at in put("outcome"):
        other[at] = replace(works[at], end="ROLLBACK")
    statements = [at for at in range(3, 295) if works[at].statements]
    for at in chance.sample(statements, EACH):
        other[at] = replace(works[at], statements=("UPDATE t SET qt = 0",))
        wanted.setdefault("statement", set()).add(works[at].number)
    b_works = [work for work in other if work is not None]
    moved = [places.pop() for _ in range(EACH)]
    for at in moved:
        work = works[at]
        b_works.remove(work)
        b_works.insert(
            min(len(b_works), b_works.index(next(one for one in b_works if one.number > work.number + 1)) + 2), work
        )
    for extra in range(EACH):
        b_works.insert(extra * 25 + 2, Work(extra + 1, (Row(WRITE, 70_000 + extra, 0, 1),), server=999))
    a = written(tmp_path, "a", works, Style(family))
    b = written(tmp_path, "b", b_works, replica_of(family))
    summary, lines = compared(a, b)
    different = 4 * EACH
    assert kinds(summary) == {
        "matched": 300 - EACH - different,
        "different": different,
        "only_in_a": EACH,
        "only_in_b": EACH,
        "reordered": EACH,
    }
    assert sum("outcome" in line for line in lines) == EACH
    if family == NAMELESS_FAMILY:
        return
    assert summary["b"]["errant"] == EACH
    numbers = {
        kind: {int(line["gtid"].replace(":", "-").split("-")[-1]) for line in lines if line["kind"] == kind}
        for kind in ("different", "only_in_a", "reordered")
    }
    assert numbers["only_in_a"] == wanted["missing"]
    assert numbers["different"] == wanted["rows"] | wanted["more rows"] | wanted["outcome"] | wanted["statement"]
    assert len(numbers["reordered"]) == EACH
    outcomes = {int(line["gtid"].replace(":", "-").split("-")[-1]) for line in lines if "outcome" in line}
    assert outcomes == wanted["outcome"]
    assert Counter(line["reason"] for line in lines if line["kind"] == "only_in_b") == {"errant": EACH}


def test_the_values_that_differ_are_told_with_table_key_and_column(tmp_path: Path) -> None:
    a = written(tmp_path, "a", [Work(1, (Row(UPDATE, 5, 1, 2), Row(UPDATE, 6, 1, 3)))], Style())
    b = written(tmp_path, "b", [Work(1, (Row(UPDATE, 5, 1, 2), Row(UPDATE, 6, 1, 4)))], replica_of(MARIADB_FAMILY))
    (line,) = compared(a, b)[1]
    assert line["changes"] == [
        {
            "difference": "row",
            "table": "shop.t",
            "operation": "update",
            "key": {},
            "columns": [{"column": "qt", "image": "after", "a": 3, "b": 4}],
            "row": {"id": 6, "qt": 1},
        }
    ]


def test_images_of_different_columns_are_compared_by_those_that_both_have(tmp_path: Path) -> None:
    works = [Work(1, (Row(UPDATE, 5, 1, 2),)), Work(2, (Row(DELETE, 5, 2),)), Work(3, (Row(UPDATE, 7, 1, 2),))]
    a = written(tmp_path, "a", works, Style())
    b = written(tmp_path, "b", works, Style(minimal=True))
    summary, _ = compared(a, b)
    assert (summary["equal"], summary["matched"], summary["matched_by_common_columns"]) == (True, 3, 3)
    works[2] = Work(3, (Row(UPDATE, 7, 1, 3),))
    b = written(tmp_path, "c", works, Style(minimal=True))
    assert kinds(compared(a, b)[0]) == {"matched": 2, "different": 1}


@pytest.mark.parametrize("family", [MARIADB_FAMILY, MYSQL_FAMILY])
def test_what_was_before_the_first_log_of_the_other_side_is_not_missing(tmp_path: Path, family: str) -> None:
    works = history(30)
    a = written(tmp_path, "a", works, Style(family))
    b = written(tmp_path, "b", works[12:20], replica_of(family), before=works[:12])
    summary, lines = compared(a, b)
    assert kinds(summary) == {"matched": 8, "only_in_a": 10}
    assert summary["a"]["before_first_log_of_other"] == 12
    assert {line["reason"] for line in lines} == {"beyond"}
    assert summary["a"]["beyond_other"] == 10


def test_domains_may_come_in_any_order_but_each_must_keep_its_own(tmp_path: Path) -> None:
    works = [
        Work(number, (Row(WRITE, number * 10 + domain, 0, 1),), domain=domain)
        for number in range(1, 40)
        for domain in (0, 1)
    ]
    a = written(tmp_path, "a", works, Style())
    b = written(tmp_path, "b", sorted(works, key=lambda work: work.domain), replica_of(MARIADB_FAMILY))
    assert kinds(compared(a, b)[0]) == {"matched": 78}
    works[10], works[12] = works[12], works[10]
    c = written(tmp_path, "c", works, replica_of(MARIADB_FAMILY))
    assert kinds(compared(a, c)[0]) == {"matched": 78, "reordered": 1}


@pytest.mark.parametrize("family", FAMILIES)
def test_what_damage_has_touched_is_unknown_on_both_sides(tmp_path: Path, family: str) -> None:
    works = history(40)
    a = written(tmp_path, "a", works, Style(family))
    b = written(tmp_path, "b", works, Style(family))
    data = bytearray(b[0].read_bytes())
    middle = len(data) // 2
    data[middle : middle + 600] = b"\xff" * 600
    b[0].write_bytes(data)
    summary, lines = compared(a, b)
    assert summary["said"]
    assert not summary["equal"]
    assert set(kinds(summary)) == {"matched", "unknown"}
    assert 1 <= summary["unknown"] <= 8
    assert {line["kind"] for line in lines} == {"unknown"}


def test_repeated_statements_without_gtids_are_matched_in_their_order(tmp_path: Path) -> None:
    works = [Work(at, (), ("UPDATE t SET qt = qt + 1",)) for at in range(50)]
    works.insert(20, Work(60, (), ("DELETE FROM t",)))
    a = written(tmp_path, "a", works, Style(NAMELESS_FAMILY))
    b = written(tmp_path, "b", works[:20] + works[21:], replica_of(NAMELESS_FAMILY))
    summary, lines = compared(a, b)
    assert kinds(summary) == {"matched": 50, "only_in_a": 1}
    assert lines[0]["a"]["statements"] == 1


def test_a_range_that_one_side_lacks_is_passed_by(tmp_path: Path) -> None:
    works = history(3000)
    a = written(tmp_path, "a", works, Style(NAMELESS_FAMILY))
    b = written(tmp_path, "b", works[:400] + works[1900:], replica_of(NAMELESS_FAMILY))
    assert kinds(compared(a, b)[0]) == {"matched": 1500, "only_in_a": 1500}


def test_a_transaction_that_goes_on_in_the_next_log_is_one(tmp_path: Path) -> None:
    works = [Work(1, tuple(Row(WRITE, at, 0, at) for at in range(9)))]
    a = written(tmp_path, "a", works, Style())
    whole = log_of(works, replica_of(MARIADB_FAMILY))
    head, rest = whole.starts[:5], whole.starts[5:]
    (tmp_path / "b.000001").write_bytes(whole.log[: rest[0]])
    (tmp_path / "b.000002").write_bytes(whole.log[: head[1]] + whole.log[rest[0] :])
    summary, _ = compared(a, [tmp_path / "b.000001", tmp_path / "b.000002"])
    assert kinds(summary) == {"matched": 1}


def test_little_memory_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    works = [
        Work(number, (Row(WRITE, number * 10 + domain, 0, 1),), domain=domain)
        for number in range(1, 150)
        for domain in (0, 1)
    ]
    a = written(tmp_path, "a", works, Style())
    ordered = sorted(works, key=lambda work: work.domain)
    del ordered[40:80]
    ordered[200], ordered[220] = ordered[220], ordered[200]
    b = written(tmp_path, "b", ordered, replica_of(MARIADB_FAMILY))
    c = written(tmp_path, "c", [work for work in works if work.domain], Style(NAMELESS_FAMILY))
    d = written(
        tmp_path, "d", [work for work in works if work.domain and not 30 < work.number < 90], Style(NAMELESS_FAMILY)
    )
    wanted = [kinds(compared(a, b)[0]), kinds(compared(c, d)[0])]
    assert wanted == [{"matched": 258, "only_in_a": 40, "reordered": 2}, {"matched": 90, "only_in_a": 59}]
    monkeypatch.setattr(alignment, "MOST_WAITING", 8)
    for name in ("_LARGEST_WINDOW", "_LARGEST_REPEATED"):
        monkeypatch.setattr(alignment, name, 16)
    assert [kinds(compared(a, b)[0]), kinds(compared(c, d)[0])] == wanted


def test_what_was_moved_is_compared_as_well(tmp_path: Path) -> None:
    works = history(60)
    a = written(tmp_path, "a", works, Style())
    moved = works.pop(40)
    works.insert(3, replace(moved, rows=(Row(WRITE, 1, 0, 1),)))
    works[50] = replace(works[50], rows=(Row(WRITE, 2, 0, 1),))
    summary, lines = compared(a, written(tmp_path, "b", works, replica_of(MARIADB_FAMILY)))
    assert kinds(summary) == {"matched": 58, "different": 2, "reordered": 1}
    assert [line["kind"] for line in lines] == ["reordered", "different", "different"]


def test_a_transaction_that_a_relay_log_begins_twice_is_one(tmp_path: Path) -> None:
    works = history(20)
    a = written(tmp_path, "a", works, Style())
    torn = replace(works[9], rows=works[9].rows[:1], end="")
    b = written(tmp_path, "b", [*works[:9], torn, *works[9:]], Style())
    assert kinds(compared(a, b)[0]) == {"matched": 20}
    c = written(tmp_path, "c", [*works[:9], torn], Style())
    summary, lines = compared(a, c)
    assert kinds(summary) == {"matched": 9, "different": 1, "only_in_a": 10}
    assert lines[0]["outcome"] == {"a": "committed", "b": "unfinished"}


@pytest.mark.parametrize("named", [True, False])
def test_rows_that_were_taken_back_are_left_out(tmp_path: Path, named: bool) -> None:
    """A source logs them beside changes of a table without transactions, its replica does not."""
    name = b"s" if named else b"other"
    for side, undone in (("a", True), ("b", False)):
        log = log_of([], Style())
        log.add(GTID_MARIADB, u8(1) + u4(0) + b"\0" + bytes(6)).add(QUERY, query(text=b"SAVEPOINT s"))
        for key in (1, 2) if undone else ():
            log.add(TABLE_MAP, table_map([LONG, LONG], optional=NAMES))
            log.add(WRITE_V1, rows_event(2, Row(WRITE, key, 0, 1).image()))
        if undone:
            log.add(QUERY, query(text=b"ROLLBACK TO `" + name + b"`"))
        log.add(TABLE_MAP, table_map([LONG, LONG], optional=NAMES))
        log.add(WRITE_V1, rows_event(2, Row(WRITE, 3, 0, 1).image())).add(XID, u8(1))
        log.write(tmp_path / side)
    summary, lines = compared([tmp_path / "a"], [tmp_path / "b"])
    assert kinds(summary) == ({"matched": 1} if named else {"different": 1})
    assert len(lines[0]["changes"] if lines else ()) == (0 if named else 3)


@pytest.mark.parametrize("mariadb", [True, False])
def test_a_table_with_other_types_is_compared_by_its_values(tmp_path: Path, mariadb: bool) -> None:
    """The replica's column is wider; one of the numbers differs."""
    for side, kind, size in (("a", LONG, 4), ("b", LONGLONG, 8)):
        log = log_of([], Style(MARIADB_FAMILY if mariadb else MYSQL_FAMILY))
        for number in (1, 2):
            add_gtid(log, number, mariadb=mariadb)
            log.add(TABLE_MAP, table_map([kind, kind], optional=NAMES))
            value = number + 5 * (number == 2 and side == "b")
            row = b"\0" + number.to_bytes(size, "little") + value.to_bytes(size, "little")
            log.add(WRITE_V1, rows_event(2, row)).add(XID, u8(number))
        log.write(tmp_path / side)
    summary, lines = compared([tmp_path / "a"], [tmp_path / "b"])
    assert kinds(summary) == {"matched": 1, "different": 1}
    assert lines[0]["changes"][0]["columns"] == [{"column": "qt", "image": "after", "a": 2, "b": 7}]


def add_gtid(log: LogBuilder, number: int, *, mariadb: bool) -> None:
    if mariadb:
        log.add(GTID_MARIADB, u8(number) + u4(0) + b"\0" + bytes(6))
    else:
        log.add(GTID_MYSQL, b"\0" + UUID + u8(number)).add(QUERY, query(text=b"BEGIN"))
