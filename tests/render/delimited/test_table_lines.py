"""`dump --format csv` and `tsv`: read back by Python's csv module, every value is that of the JSON."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.errors import OutputError
from binlogcli.events.log import Log
from binlogcli.events.stream import ReadOptions
from binlogcli.log.gaps import Damage
from binlogcli.render.delimited.table_lines import META, TableLines
from binlogcli.render.ndjson.events import JsonLines
from binlogcli.schema.catalog import Catalog
from binlogcli.select.choice import Choice
from binlogcli.select.selection import Selection
from support.bodies import (
    LONG,
    TABLE_ID,
    UPDATE_V1,
    VARCHAR,
    WRITE_V1,
    lenenc_field,
    query,
    rows_event,
    table_map,
    u2,
    u4,
)
from support.golden import GOLDEN, golden_logs, golden_name
from support.logs import TimedLog
from support.program import run

NOT_LOGGED = "(not logged)"
csv.field_size_limit(1 << 24)
LOGS = [path for path in golden_logs() if "enc" not in path.parent.name]


def lines_of(make: Callable[[TextBuffer], Any], path: Path, table: str | None = None) -> tuple[bytes, list[Damage]]:
    """What a format writes of a log, and the damage that it tells."""
    written: list[bytes] = []
    damage: list[Damage] = []
    with Log(str(path), ReadOptions(), Catalog()) as log:
        if table is not None:
            selection = Selection(Choice(tables=(table,)))
            selection.begin_log(log, first=True, last=True)
        make(TextBuffer()).run(log, lambda piece: written.append(bytes(piece)), damage.append)
    return b"".join(written), damage


def table_of(path: Path, table: str, format_: str = "csv", *, raw: bool = True) -> tuple[str, list[str]]:
    """A table's rows, and what is told beside them."""
    told: list[str] = []
    made: list[TableLines] = []

    def make(out: TextBuffer) -> TableLines:
        made.append(TableLines(out, format_, None, told.append, raw=raw))
        return made[0]

    text, _ = lines_of(make, path, table)
    return text.decode(), told + made[0].remarks()


def json_rows(path: Path) -> dict[str, list[dict[str, Any]]]:
    """The rows events of a log as JSON, by table; numbers are their text."""
    found: dict[str, list[dict[str, Any]]] = {}
    text, _ = lines_of(JsonLines, path)
    for line in text.splitlines():
        event = json.loads(line, parse_int=str, parse_float=str)
        body = event.get("body")
        if isinstance(body, dict) and body.get("table") is not None and "rows" in body:
            found.setdefault(f"{body['database']}.{body['table']}", []).append(event)
    return found


def images_of(events: list[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Operation, event and values of each image that was read."""
    for event in events:
        for row in event["body"]["rows"]:
            if "before" in row:
                yield "update_before" if "after" in row else "delete", event, row["before"]
            if "after" in row:
                yield "update" if "before" in row else "insert", event, row["after"]


def is_cell_of(cell: str, value: Any) -> bool:
    """Whether a cell is that of a JSON value whose numbers are texts."""
    if value is None:
        return cell in {"", "null"}  # NULL, or a JSON document that is null
    if isinstance(value, str):
        return cell == value or (cell.startswith('"') and json.loads(cell) == value)
    if isinstance(value, dict) and set(value) == {"hex"}:
        return cell == f"0x{value['hex']}"
    if isinstance(value, dict) and set(value) == {"srid", "wkb"}:
        return cell == f"0x{int(value['srid']).to_bytes(4, 'little').hex()}{value['wkb']}"
    return bool(json.loads(cell, parse_int=str, parse_float=str) == value)


@pytest.mark.parametrize("format_", ["csv", "tsv"])
@pytest.mark.parametrize("path", LOGS, ids=golden_name)
def test_each_cell_is_the_value_of_the_json(path: Path, format_: str) -> None:
    for table, events in json_rows(path).items():
        text, _ = table_of(path, table, format_)
        reader = csv.DictReader(io.StringIO(text, newline=""), dialect="excel" if format_ == "csv" else "excel-tab")
        lines = list(reader)
        images = list(images_of(events))
        assert [line["_op"] for line in lines] == [op for op, _, _ in images]
        for line, (_, event, values) in zip(lines, images, strict=True):
            assert (line["_time"], line["_pos"]) == (event["time"], event.get("within", event["pos"]))
            assert line["_gtid"] == ((event["transaction"] or {}).get("gtid") or "")
            for name in (reader.fieldnames or ())[len(META) :]:
                value = values.get(name, NOT_LOGGED)
                assert is_cell_of(line[name], value), (name, line[name], value)


def log_of(path: Path, *events: tuple[int, bytes]) -> Path:
    """A log of one transaction."""
    log = TimedLog()
    log.gtid(5, 1)
    for kind, body in events:
        log.place(kind, 5, body)
    log.xid(5, 9)
    path.write_bytes(log.log)
    return path


def named(*names: str) -> bytes:
    """The metadata that names columns."""
    return lenenc_field(4, b"".join(bytes([len(name)]) + name.encode() for name in names))


def text_map(*names: str) -> bytes:
    """The table shop.t of texts."""
    return table_map([VARCHAR] * len(names), metadata=u2(200) * len(names), optional=named(*names))


def texts(*values: str | None) -> bytes:
    """A row of texts."""
    nulls = sum(1 << at for at, value in enumerate(values) if value is None)
    raw = [value.encode() for value in values if value is not None]
    return bytes([nulls]) + b"".join(bytes([len(value)]) + value for value in raw)


HOSTILE = [
    "",
    "a,b",
    'say "x"',
    "two\nlines",
    "\n",
    "tab\there",
    "=1+1",
    "-2",
    "@x",
    "+3",
    "\uff1d1",
    "(not logged)",
    "\r",
    "é",
]


@pytest.mark.parametrize("format_", ["csv", "tsv"])
def test_texts_are_quoted_so_that_they_come_back(tmp_path: Path, format_: str) -> None:
    rows = b"".join(texts(value, None) for value in HOSTILE)
    log = log_of(tmp_path / "log", (19, text_map("a", "b")), (WRITE_V1, rows_event(2, rows)))
    text, told = table_of(log, "shop.t", format_)
    lines = list(csv.reader(io.StringIO(text, newline=""), dialect="excel" if format_ == "csv" else "excel-tab"))
    assert [line[-2:] for line in lines[1:]] == [[value, ""] for value in HOSTILE]
    assert told == []


def test_null_and_what_is_not_logged_are_not_quoted_and_texts_like_them_are(tmp_path: Path) -> None:
    rows = texts("", None) + texts(NOT_LOGGED, "x")
    log = log_of(tmp_path / "log", (19, text_map("a", "b")), (WRITE_V1, rows_event(2, rows)))
    text, _ = table_of(log, "shop.t")
    assert [line.split(",", 5)[5] for line in text.splitlines()[1:]] == ['"",', '"(not logged)",x']


def test_texts_that_a_spreadsheet_would_run_are_behind_an_apostrophe(tmp_path: Path) -> None:
    rows = b"".join(texts(value) for value in HOSTILE)
    log = log_of(tmp_path / "log", (19, text_map("a")), (WRITE_V1, rows_event(1, rows)))
    lines = list(csv.reader(io.StringIO(table_of(log, "shop.t", raw=False)[0], newline="")))
    expected = [f"'{value}" if value.startswith(("=", "+", "-", "@", "\uff1d")) else value for value in HOSTILE]
    assert [line[-1] for line in lines[1:]] == expected


def test_columns_that_the_log_does_not_have_are_marked(tmp_path: Path) -> None:
    """An UPDATE with minimal images: the key before, the changed column after."""
    event = TABLE_ID.to_bytes(6, "little") + u2(1) + b"\2\1\2" + texts("k") + texts("new")
    log = log_of(tmp_path / "log", (19, text_map("id", "name")), (UPDATE_V1, event))
    lines = list(csv.reader(io.StringIO(table_of(log, "shop.t")[0])))
    assert [(line[0], *line[5:]) for line in lines] == [
        ("_op", "id", "name"),
        ("update_before", "k", NOT_LOGGED),
        ("update", NOT_LOGGED, "new"),
    ]


def test_columns_keep_their_places_when_the_table_changes(tmp_path: Path) -> None:
    events = []
    for names in (("a", "b", "c"), ("c", "new", "a"), ("c", "b", "a"), ("a", "b", "c")):
        events += [(19, text_map(*names)), (WRITE_V1, rows_event(3, texts(*(f"{name}," for name in names))))]
    text, told = table_of(log_of(tmp_path / "log", *events), "shop.t")
    lines = list(csv.reader(io.StringIO(text)))
    assert [line[5:] for line in lines] == [
        ["a", "b", "c"],
        ["a,", "b,", "c,"],
        ["a,", NOT_LOGGED, "c,"],
        ["a,", "b,", "c,"],
        ["a,", "b,", "c,"],
    ]
    assert all("shop.t differs from the header after this position (" in line for line in told)
    assert [re.sub(r".*this position |; -j.*", "", line) for line in told] == [
        "(left out: new; no longer in the table: b)",
        "(in a different order)",
    ]


def test_columns_that_are_left_out_end_with_status_1(tmp_path: Path) -> None:
    def dumped(*tables: tuple[str, ...]) -> int:
        events = []
        for names in tables:
            events += [(19, text_map(*names)), (WRITE_V1, rows_event(len(names), texts(*names)))]
        return run("dump", "--format", "csv", "-T", "shop.t", log_of(tmp_path / "log", *events)).returncode

    assert dumped(("a", "b"), ("b", "a"), ("a",)) == 0  # all values are written
    assert dumped(("a", "b"), ("a", "b", "c"), ("a", "b")) == 1


def test_names_that_are_lost_end_with_an_error(tmp_path: Path) -> None:
    nameless = table_map([VARCHAR], metadata=u2(200))
    rows = (WRITE_V1, rows_event(1, texts("x")))
    log = log_of(tmp_path / "log", (19, text_map("a")), rows, (19, nameless), rows)
    with pytest.raises(
        OutputError, match=r"are unknown after this position, but the header has them.*pass --schema; -j "
    ):
        table_of(log, "shop.t")
    text, told = table_of(log_of(tmp_path / "other", (19, nameless), rows, (19, text_map("a")), rows), "shop.t")
    assert [line.split(",")[5] for line in text.splitlines()] == ["@1", "x", "x"]
    assert "the column names of" in told[-1]


def test_the_logs_own_fields_give_way_to_columns_of_their_names(tmp_path: Path) -> None:
    log = log_of(tmp_path / "log", (19, text_map("_op", "_POS")), (WRITE_V1, rows_event(2, texts("x", "y"))))
    assert table_of(log, "shop.t")[0].splitlines()[0] == "__op,_time,_file,__pos,_gtid,_op,_POS"


def test_a_number_whose_sign_is_not_known_is_reported(tmp_path: Path) -> None:
    log = log_of(
        tmp_path / "log",
        (19, table_map([LONG], optional=named("n"))),
        (WRITE_V1, rows_event(1, b"\0" + u4(4000000000))),
    )
    text, told = table_of(log, "shop.t")
    assert text.splitlines()[1].endswith(",-294967296")
    assert told == [
        "shop.t.n: unknown whether UNSIGNED: values are written as signed; pass --schema or --assume-unsigned"
    ]
    done = run("dump", "--format", "csv", "-T", "shop.t", "--assume-unsigned", "shop.t.n", log)
    assert done.stdout.splitlines()[1].endswith(b",4000000000"), done.stderr


def test_a_long_text_is_written_in_pieces(tmp_path: Path) -> None:
    value = '"é' * 70_000
    raw = value.encode()
    body = table_map([252], metadata=b"\4", optional=named("a") + lenenc_field(2, b"\x2d"))
    row = b"\0" + u4(len(raw)) + raw
    log = log_of(tmp_path / "log", (19, body), (WRITE_V1, rows_event(1, row)))
    text, _ = table_of(log, "shop.t")
    assert list(csv.reader(io.StringIO(text)))[1][5] == value


def test_rows_of_a_second_table_are_an_error_before_they_are_written(tmp_path: Path) -> None:
    rows = (WRITE_V1, rows_event(1, texts("x")))
    other = table_map([VARCHAR], table=b"u", metadata=u2(200), optional=named("a"))
    log = log_of(tmp_path / "log", (19, text_map("a")), rows, (19, other), rows)
    done = run("dump", "--format", "csv", "-T", "shop.*", log)
    assert (done.returncode, len(done.stdout.splitlines())) == (2, 2)
    assert b"found rows of shop.u after rows of shop.t" in done.stderr


def test_damage_ends_with_status_1_and_whole_lines(tmp_path: Path) -> None:
    log = log_of(tmp_path / "log", (19, text_map("a")), (WRITE_V1, rows_event(1, texts("x") + b"\0\x09short")))
    done = run("dump", "--format", "csv", "-T", "shop.t", log)
    assert done.returncode == 1
    assert [line.rpartition(b",")[2] for line in done.stdout.splitlines()] == [b"a", b"x"]
    assert b"needs 9 bytes" in done.stderr


def test_statements_that_hold_no_rows_are_reported(tmp_path: Path) -> None:
    log = log_of(
        tmp_path / "log",
        (2, query(db=b"shop", text=b"DELETE FROM shop.t")),
        (2, query(db=b"shop", text=b"ALTER TABLE shop.t ADD x INT")),
    )
    _, told = table_of(log, "shop.t")
    assert told == ["1 statement left out: the log does not contain their rows; --format sql shows the statements"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--format", "csv"), b"specify it with -T DATABASE.TABLE"),
        (("--format", "json", "--raw-cells"), b"requires --format csv or tsv"),
        (("--format", "csv", "-T", "a.b", "--undo"), b"cannot be combined with --format csv"),
    ],
)
def test_options_that_do_not_go_together_are_refused(arguments: tuple[str, ...], words: bytes) -> None:
    done = run("dump", *arguments, GOLDEN / "mysql-8.4" / "xa" / "xa.000001")
    assert done.returncode == 2
    assert words in done.stderr
