"""One event's defect is damage of that event, and never the end of a command."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

import binlogcli
from binlogcli.cli.main import main
from binlogcli.errors import DEFECT, DEFECTS
from binlogcli.events.tables import Rows
from binlogcli.log.gaps import Damage
from support.bodies import JSON, TIME2, WRITE, container, query, rows_event, table_map, u4
from support.logs import MARIADB, QUERY, TABLE_MAP, LogBuilder

QUERY_COMPRESSED = 165
DOCUMENT = b"\x05\x07\x00"  # the number 7
COMMANDS = (
    ("dump", "-vv"),
    ("dump", "--format", "json"),
    ("dump", "--format", "sql"),
    ("hexdump",),
    ("hexdump", "--json"),
)


class Screen:
    """What a command wrote, and its exit status."""

    def __init__(self, *arguments: str) -> None:
        out, err = sys.stdout, sys.stderr
        written = io.BytesIO()
        sys.stdout, sys.stderr = io.TextIOWrapper(written), io.StringIO()
        try:
            self.status = main(list(arguments))
            sys.stdout.flush()
            self.errors = sys.stderr.getvalue().splitlines()
            self.out = written.getvalue()
        finally:
            sys.stdout, sys.stderr = out, err


def failing(error: type[Exception]) -> Any:
    """A function that raises, as a wrong decoder would."""

    def fail(*_: object, **__: object) -> None:
        raise error("boom")

    return fail


def statements(tmp_path: Path) -> str:
    """A log with a compressed statement between two others."""
    log = LogBuilder(MARIADB).describe().add(QUERY, query())
    packed = query(text=b"")[:-1] + b"\0" + container(b"SELECT 2")
    log.add(QUERY_COMPRESSED, packed).add(QUERY, query(text=b"SELECT 3")).write(tmp_path / "a.log")
    return str(tmp_path / "a.log")


def documents(tmp_path: Path, *values: bytes) -> str:
    """A log with a row event for each JSON value."""
    log = LogBuilder().describe()
    for value in values:
        log.add(TABLE_MAP, table_map([JSON], b"\4"))
        log.add(WRITE, rows_event(1, b"\0" + u4(len(value)) + value, kind=WRITE))
    log.write(tmp_path / "a.log")
    return str(tmp_path / "a.log")


@pytest.mark.parametrize("error", [*DEFECTS, IndexError, OverflowError, UnicodeError])
def test_whatever_a_decoder_raises_is_damage_of_its_event(
    error: type[Exception], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = statements(tmp_path)
    monkeypatch.setattr("binlogcli.events.statements.inflate", failing(error))
    with binlogcli.open(path) as log:
        items = list(log)
    (damage,) = (item for item in items if isinstance(item, Damage))
    assert damage.reason.startswith(f"QUERY_COMPRESSED_EVENT: {DEFECT}: {error.__name__}")
    assert "please report it" in damage.hint
    assert len(items) == 4


@pytest.mark.parametrize("command", [*COMMANDS, ("dump",), ("stats",)], ids=" ".join)
def test_a_defect_in_one_event_leaves_the_others_to_be_read(
    command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = statements(tmp_path)
    monkeypatch.setattr("binlogcli.events.statements.inflate", failing(KeyError))
    screen = Screen(*command, path)
    assert screen.status == 1
    (line,) = screen.errors
    assert f"QUERY_COMPRESSED_EVENT: {DEFECT}" in line
    assert "please report it" in line
    assert command == ("stats",) or b"SELECT 3" in screen.out


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_defect_in_a_value_is_damage_of_its_event(
    command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = documents(tmp_path, DOCUMENT, DOCUMENT)
    monkeypatch.setattr("binlogcli.rows.readers.jsonb.JsonReader.value", failing(RecursionError))
    screen = Screen(*command, path)
    assert screen.status == 1
    assert len(screen.errors) - ("the column names" in screen.errors[-1]) == 2
    assert all(f"WRITE_ROWS_EVENT: {DEFECT}" in line for line in screen.errors[:2])


@pytest.mark.parametrize("place", ["ndjson.events.flag_names", "hexdump.tree.event_type_name"])
def test_a_defect_in_the_drawing_leaves_no_half_line(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = statements(tmp_path)
    monkeypatch.setattr(f"binlogcli.render.{place}", failing(IndexError))
    command = ("hexdump", "--json") if "tree" in place else ("dump", "--format", "json")
    screen = Screen(*command, path)
    assert screen.status == 1
    assert DEFECT in screen.errors[0]
    for line in screen.out.splitlines():
        json.loads(line)


UNREADABLE = b"\xff\x01"  # no type of a JSON value


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_value_that_cannot_be_read_is_damage_everywhere(command: tuple[str, ...], tmp_path: Path) -> None:
    path = documents(tmp_path, DOCUMENT, UNREADABLE, DOCUMENT)
    screen = Screen(*command, path)
    assert screen.status == 1
    assert [line.split(": ", 3)[3] for line in screen.errors if "WRITE_ROWS_EVENT" in line] == [
        "WRITE_ROWS_EVENT: column @1: 0xff is not a type of a JSON value (42 bytes not read)"
    ]


def test_a_row_with_an_unreadable_value_is_no_statement_and_those_after_it_are(tmp_path: Path) -> None:
    value = u4(len(UNREADABLE)) + UNREADABLE
    good = u4(len(DOCUMENT)) + DOCUMENT
    log = LogBuilder().describe().add(TABLE_MAP, table_map([JSON], b"\4"))
    log.add(WRITE, rows_event(1, b"\0" + value + b"\0" + good, kind=WRITE)).write(tmp_path / "a.log")
    lines = Screen("dump", "--format", "sql", str(tmp_path / "a.log")).out.splitlines()
    assert sum(line.startswith(b"INSERT INTO `shop`.`t` VALUES ('7')") for line in lines) == 1
    assert sum(b"this row cannot be read: column @1" in line for line in lines) == 1


def test_rows_that_cannot_be_read_are_a_damage_behind_their_event(tmp_path: Path) -> None:
    cut = rows_event(1, b"\0" + u4(len(DOCUMENT)) + DOCUMENT + b"\0" + u4(9), kind=WRITE)
    log = LogBuilder().describe().add(TABLE_MAP, table_map([JSON], b"\4")).add(WRITE, cut)
    log.write(tmp_path / "a.log")
    found: list[Any] = []
    with binlogcli.open(str(tmp_path / "a.log")) as opened:
        for item in opened:
            if isinstance(item, Rows):
                found += item.rows
            elif isinstance(item, Damage):
                found.append(item)
    row, damage = found
    assert row.after == {"@1": 7}
    assert damage.reason == "WRITE_ROWS_EVENT: JSON needs 9 bytes, 0 left"


def test_rows_whose_columns_cannot_be_told_apart_are_told_by_all_commands(tmp_path: Path) -> None:
    typed_null = table_map([243])  # a type that no server has
    log = LogBuilder().describe().add(TABLE_MAP, typed_null).add(WRITE, rows_event(1, b"\0\1", kind=WRITE))
    log.write(tmp_path / "a.log")
    told = set()
    for command in (*COMMANDS, ("stats",)):
        screen = Screen(*command, str(tmp_path / "a.log"))
        assert screen.status == 1, command
        told.add(next(line for line in screen.errors if "WRITE_ROWS_EVENT" in line))
    (line,) = told
    assert "column @1 (INVALID): values of this type are ambiguous in a log" in line


def test_a_damaged_table_map_makes_no_table_known_however_it_is_read(tmp_path: Path) -> None:
    cut = table_map([TIME2])[:-2]  # it ends after the columns' types
    log = LogBuilder().describe().add(TABLE_MAP, cut).add(WRITE, rows_event(1, b"\0\x80\0\0", kind=WRITE))
    log.write(tmp_path / "a.log")
    told = {command: tuple(Screen(*command, str(tmp_path / "a.log")).errors[:2]) for command in COMMANDS}
    assert len(set(told.values())) == 1
    assert "no table map with id 7 precedes these rows" in told[COMMANDS[0]][1]
