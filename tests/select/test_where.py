"""`--where`: which expressions can be read, and which rows they choose."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import subprocess
import sys
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from binlogcli.events.log import Log
from binlogcli.events.tables import Rows
from binlogcli.select.choice import Choice
from binlogcli.select.selection import Selection
from binlogcli.select.values.where import WhereError, read_where

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
TYPES = GOLDEN / "mariadb-10.11" / "types-full" / "shop-bin.000001"
MINIMAL = GOLDEN / "mariadb-10.11" / "image-minimal" / "shop-bin.000001"
MYSQL = GOLDEN / "mysql-9.7" / "types-full" / "shop-bin.000001"


Image = dict[str, Any] | None


def chosen(path: Path, where: str, **options: Any) -> tuple[list[tuple[str, Image, Image]], Selection]:
    """The rows that are chosen, with their tables."""
    selection = Selection(Choice(where=read_where(where), **options))
    found = []
    with Log(str(path)) as log:
        selection.begin_log(log, first=True, last=True)
        for event in log:
            assert isinstance(event, Rows)
            found += [(str(event.table), row.before, row.after) for row in event.rows]
    return found, selection


def all_rows(path: Path, table: str) -> list[dict[str, Any]]:
    """All images of a table's rows."""
    with Log(str(path)) as log:
        events = [event for event in log if isinstance(event, Rows) and event.table == table]
    return [image for event in events for row in event.rows for image in (row.before, row.after) if image]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("id = 5", [("id", "=", Decimal(5))]),
        ("`odd ``name` <> 'it''s'", [("odd `name", "!=", "it's")]),
        ("@3 >= -1.50e2 AND b like 'x\\%%'", [(3, ">=", Decimal(-150)), ("b", "LIKE", "x\\%%")]),
        ("a IS NULL and b is not null", [("a", "IS NULL", None), ("b", "IS NOT NULL", None)]),
        ("a = X'00ff' AND b=0xAB AND c < b'101'", [("a", "=", b"\x00\xff"), ("b", "=", b"\xab"), ("c", "<", 5)]),
        ('a != "say ""hi""\\n" AND b NOT LIKE "_"', [("a", "!=", 'say "hi"\n'), ("b", "NOT LIKE", "_")]),
        ("c = TRUE", [("c", "=", 1)]),
    ],
)
def test_expressions_that_are_understood(text: str, expected: list[tuple[Any, str, Any]]) -> None:
    assert [(c.column, c.operator, c.value) for c in read_where(text).conditions] == expected


@pytest.mark.parametrize(
    "text",
    [
        *("", "id", "id =", "= 5", "id = 5 AND", "id = 5 OR", "id = x", "id = NULL", "id IN ()", "id IN (1, NULL)"),
        *("id IS 5", "@0 = 1", "id = 'x", "(id = 5", "id = 5)", "id = 5 b", "NOT", "id NOT 5", "id BETWEEN 1 OR 2"),
        *("id IN 5", "id = (5)", "()", "id BETWEEN 1 AND", "(" * 500 + "id = 5" + ")" * 500, "NOT " * 500 + "id = 5"),
    ],
)
def test_expressions_that_are_not_are_errors_that_say_why(text: str) -> None:
    with pytest.raises(WhereError):
        read_where(text)


COMPARISONS = st.one_of(
    st.tuples(st.sampled_from(["a", "bu"]), st.sampled_from("= != < <= > >=".split()), st.integers(-3, 130)).map(
        lambda parts: " ".join(map(str, parts))
    ),
    st.builds(
        lambda column, negated, values: f"{column} {negated} IN ({', '.join(map(str, values))})",
        st.sampled_from(["a", "bu"]),
        st.sampled_from(["", "NOT"]),
        st.lists(st.integers(-128, 255), min_size=1, max_size=4),
    ),
    st.builds(
        lambda column, negated, low, high: f"{column} {negated} BETWEEN {low} AND {high}",
        st.sampled_from(["a", "bu"]),
        st.sampled_from(["", "not"]),
        st.integers(-128, 255),
        st.integers(-128, 255),
    ),
    st.sampled_from(["a IS NULL", "bu IS NOT NULL", "a is null"]),
)
EXPRESSIONS = st.recursive(
    COMPARISONS,
    lambda inner: st.one_of(
        inner.map(lambda text: f"NOT {text}"),
        inner.map(lambda text: f"({text})"),
        st.tuples(inner, st.sampled_from([" AND ", " or "]), inner).map("".join),
        st.tuples(inner, st.sampled_from([" AND ", " or "]), inner).map(lambda parts: f"NOT ({''.join(parts)})"),
    ),
    max_leaves=8,
)


@pytest.fixture(scope="module")
def in_sqlite() -> sqlite3.Connection:
    """The images of one table, in another implementation of SQL."""
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE t (a, bu)")
    images = [(image["a"], image["bu"]) for image in all_rows(TYPES, "t_int")]
    assert any(None in image for image in images)
    connection.executemany("INSERT INTO t VALUES (?, ?)", images)
    return connection


@settings(max_examples=150, deadline=None)
@given(text=EXPRESSIONS)
def test_expressions_choose_what_they_choose_in_sql(text: str, in_sqlite: sqlite3.Connection) -> None:
    expected = Counter(in_sqlite.execute(f"SELECT a, bu FROM t WHERE {text}").fetchall())
    found, _ = chosen(TYPES, text, tables=("shop.t_int",))
    images = Counter(
        (image["a"], image["bu"])
        for _, *pair in found
        for image in pair
        if image and (image["a"], image["bu"]) in expected
    )
    assert images == expected


@given(st.text())
def test_no_text_does_more_than_be_refused(text: str) -> None:
    with contextlib.suppress(WhereError):
        assert read_where(text)


def test_a_row_before_its_change_or_after_it_is_chosen() -> None:
    found, _ = chosen(TYPES, "a = 127 AND bu = 65535", tables=("shop.t_int",))
    assert found
    for _, before, after in found:
        assert any(image is not None and (image["a"], image["bu"]) == (127, 65535) for image in (before, after))
    images = [image for image in all_rows(TYPES, "t_int") if (image["a"], image["bu"]) == (127, 65535)]
    shown = [image for _, *pair in found for image in pair if image and (image["a"], image["bu"]) == (127, 65535)]
    assert shown == images


@pytest.mark.parametrize("operator", ["=", "!=", "<", "<=", ">", ">="])
def test_each_operator_is_the_servers(operator: str) -> None:
    import operator as ops

    compare = {"=": ops.eq, "!=": ops.ne, "<": ops.lt, "<=": ops.le, ">": ops.gt, ">=": ops.ge}[operator]
    found, _ = chosen(TYPES, f"id {operator} 3", tables=("shop.t_int",))
    with Log(str(TYPES)) as log:
        rows = [row for e in log if isinstance(e, Rows) and e.table == "t_int" for row in e.rows]
    expected = [row for row in rows if any(image and compare(image["id"], 3) for image in (row.before, row.after))]
    assert [pair[1:] for pair in found] == [(row.before, row.after) for row in expected]


@pytest.mark.parametrize(("path", "database"), [(TYPES, "mariadb"), (MYSQL, "mysql")])
def test_every_value_finds_itself(path: Path, database: str) -> None:
    """Each value of each table, written as the JSON shows it, chooses the row that it is in."""
    done = subprocess.run(
        [sys.executable, "-m", "binlogcli", "dump", "--format", "json", "-E", "write_rows*", str(path)],
        capture_output=True,
        check=True,
    )
    seen: set[str] = set()
    for line in done.stdout.splitlines():
        body = json.loads(line)["body"]
        for row in body["rows"]:
            for place, value in enumerate(row["after"].values()):
                condition = f"@{place + 1} {written(value)}"
                if f"{body['table']}.{condition}" in seen or len(seen) > 400:
                    continue
                seen.add(f"{body['table']}.{condition}")
                found, _ = chosen(path, condition, tables=(f"*.{body['table']}",), events=("write_rows*",))
                assert any(table == body["table"] for table, _, _ in found), condition


def written(value: Any) -> str:
    """A JSON value as a condition."""
    if value is None:
        return "IS NULL"
    if isinstance(value, str):
        return "= '" + value.replace("\\", "\\\\").replace("'", "''") + "'"
    if isinstance(value, dict) and set(value) == {"hex"}:
        return f"= X'{value['hex']}'"
    if isinstance(value, (int, float)):
        return f"= {value!r}"
    return "IS NOT NULL"


def test_a_column_that_an_image_lacks_is_as_it_was_before() -> None:
    found, _ = chosen(MINIMAL, "@1 = 1 AND @2 = 11")
    assert any(before == {"@1": 1} and after is not None and after.get("@2") == 11 for _, before, after in found)


def test_a_text_like_a_pattern() -> None:
    found, _ = chosen(TYPES, "c LIKE 'a%'", tables=("shop.t_char*",))
    assert all(any(image and str(image["c"]).startswith("a") for image in pair) for _, *pair in found)


def test_a_column_that_no_table_has_is_an_error() -> None:
    _, selection = chosen(TYPES, "nosuch = 1")
    problem = selection.problem()
    assert problem is not None
    assert "no table has a column named nosuch" in problem.line()


def test_tables_that_lack_a_column_are_told_and_no_more() -> None:
    found, selection = chosen(TYPES, "bu = 0")
    assert {table for table, _, _ in found} == {"t_int"}
    assert selection.problem() is None
    assert "the table lacks that column" in selection.remarks()[0]


def test_a_value_of_another_kind_is_an_error() -> None:
    with pytest.raises(WhereError, match="numbers"):
        chosen(TYPES, "id = 'five'")
    with pytest.raises(WhereError, match="dates"):
        chosen(TYPES, "d = 5", tables=("shop.t_date",))


def test_the_command_prints_the_history_of_one_row() -> None:
    command = [sys.executable, "-m", "binlogcli", "dump", "--format", "sql", "-T", "shop.t_int", "--where", "id = 2"]
    done = subprocess.run([*command, str(TYPES)], capture_output=True, check=True)
    statements = [line for line in done.stdout.splitlines() if b"t_int" in line]
    assert statements[0].startswith(b"INSERT INTO `shop`.`t_int`")
    assert all(b"`id`=2" in line for line in statements[1:])


@pytest.mark.parametrize("path", [TYPES, MYSQL], ids=["mariadb", "mysql"])
def test_the_vendors_text_shows_the_chosen_rows_and_no_others(path: Path) -> None:
    command = [sys.executable, "-m", "binlogcli", "dump", "-T", "shop.t_int", "--where", "id = 2", str(path)]
    done = subprocess.run(command, capture_output=True, check=True)
    assert done.stdout.count(b"### INSERT INTO `shop`.`t_int`\n") == 1
    assert done.stdout.count(b"###   @1=2\n") == 3  # inserted, then before and after an update
    assert b"###   @1=1\n" not in done.stdout
    assert b"BINLOG '" not in done.stdout


@pytest.mark.parametrize("text", ["@" + "9" * 5000 + " = 1", "@0 = 1"])
def test_a_number_that_no_column_has_is_an_error(text: str) -> None:
    with pytest.raises(WhereError, match="is not a column"):
        read_where(text)


@pytest.mark.parametrize("text", ["id < 'nan'", "id = 'sNaN'", "id < 1e9999999999999999999"])
def test_what_is_no_number_is_an_error(text: str) -> None:
    with pytest.raises(WhereError):
        chosen(TYPES, text)
