"""Random tables and values of a live MariaDB server: the rows that we decode are those that SELECT returns."""

from __future__ import annotations

import io
import itertools
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st

from binlogcli.binary.json_writer import json_bytes
from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.events.log import Log
from binlogcli.events.tables import Rows
from binlogcli.log.gaps import Damage
from binlogcli.render.ndjson.events import JsonLines
from binlogcli.schema.catalog import Catalog
from rows.live_types import KINDS, Kind, Known
from support.live_mariadb import quoted

if TYPE_CHECKING:
    from support.live_mariadb import MariaServer

EXAMPLES = int(os.environ.get("BINLOGCLI_LIVE_TABLES", "80"))
NUMBERS = itertools.count(1)
Image = dict[str, Any]


@dataclass(frozen=True)
class Table:
    """A table, what is put into its rows, and how the server is to log it. Column 0 is the key, the row's number."""

    kinds: list[Kind]
    names: list[str]
    rows: list[list[str]]  # values in SQL
    updates: list[tuple[int, int, str]]  # row, column (both from 0), value
    image: str
    metadata: str
    compressed: bool
    schema: bool

    @property
    def known(self) -> Known:
        return Known(self.metadata != "NO_LOG" or self.schema, self.metadata == "FULL" or self.schema, self.schema)

    @property
    def logged_names(self) -> list[str]:
        """What our rows call the columns, the key first."""
        if self.known.names_and_labels:
            return ["id", *self.names]
        return [f"@{at + 1}" for at in range(len(self.names) + 1)]


@st.composite
def tables(draw: st.DrawFn) -> Table:
    kinds = draw(st.lists(KINDS, min_size=1, max_size=6))
    values = [st.one_of(st.just("NULL"), kind.values, kind.values, kind.values) for kind in kinds]
    rows = draw(st.lists(st.tuples(*values).map(list), min_size=1, max_size=4))
    places = draw(st.lists(st.tuples(st.integers(0, len(rows) - 1), st.integers(0, len(kinds) - 1)), max_size=4))
    return Table(
        kinds,
        [
            f"c{number} {draw(st.sampled_from(('', 'é', '`', 'λ.', '日本')))}.".replace(" .", "")
            for number in range(len(kinds))
        ],
        rows,
        [(row, column, draw(values[column])) for row, column in places],
        draw(st.sampled_from(("FULL", "MINIMAL", "NOBLOB"))),
        draw(st.sampled_from(("FULL", "MINIMAL", "NO_LOG"))),
        draw(st.booleans()),
        draw(st.booleans()),
    )


def create(table: Table, name: str) -> str:
    columns = [f"{quoted(column)} {kind.sql}" for column, kind in zip(table.names, table.kinds, strict=True)]
    return f"CREATE TABLE live.{name} (id INT PRIMARY KEY, {', '.join(columns)}) CHARACTER SET utf8mb4"


def select(table: Table, name: str) -> str:
    shown = [kind.shown.format(c=quoted(column)) for column, kind in zip(table.names, table.kinds, strict=True)]
    return f"SELECT {', '.join(['id', *shown])} FROM live.{name} ORDER BY id"


def script(table: Table, name: str) -> str:
    """All that the server is told. It answers with the log's name, the rows as inserted, '-', the rows at the end."""
    statements = [
        "SET GLOBAL binlog_row_metadata=" + table.metadata,
        f"SET GLOBAL log_bin_compress={int(table.compressed)}",
        "SET SESSION binlog_row_image=" + table.image,
        "SET SESSION time_zone='+00:00', sql_mode='', binlog_format='ROW'",
        create(table, name),
        "FLUSH BINARY LOGS",
        "SHOW MASTER STATUS",
        *(f"INSERT INTO live.{name} VALUES ({at}, {', '.join(row)})" for at, row in enumerate(table.rows)),
        select(table, name),
        "SELECT '-'",
        *(f"UPDATE live.{name} SET {quoted(table.names[c])}={value} WHERE id={r}" for r, c, value in table.updates),
        select(table, name),
        f"DELETE FROM live.{name}",
        "FLUSH BINARY LOGS",
    ]
    return ";\n".join(statements) + ";\n"


def selected(table: Table, text: str) -> dict[int, Image]:
    """What SELECT printed, as the rows that our JSON must hold, by their keys."""
    found = {}
    for line in text.splitlines():
        key, *cells = line.split("\t")
        found[int(key)] = {
            name: None if cell == "NULL" else kind.expected(cell, table.known)
            for name, kind, cell in zip(table.names, table.kinds, cells, strict=True)
        }
    return found


def logged(path: Path, schema: Catalog | None) -> Iterator[tuple[str, Image]]:
    """Every row of the log: the event's type, and before and after as in the JSON; the API has the same values."""
    written = io.BytesIO()
    damages: list[Damage] = []
    with Log(str(path), catalog=schema) as log:
        JsonLines(TextBuffer()).run(log, written.write, damages.append)
    assert damages == []
    lines = [json.loads(line) for line in written.getvalue().splitlines()]
    rows = [
        (line["type"], row)
        for line in lines
        if "_ROWS_" in line["type"] and "rows" in line["body"]
        for row in line["body"]["rows"]
    ]
    with Log(str(path), catalog=schema) as log:
        objects = [row for event in log if isinstance(event, Rows) for row in event.rows]
    assert len(objects) == len(rows)
    for row, (_, image) in zip(objects, rows, strict=True):
        for state, values in (("before", row.before), ("after", row.after)):
            assert plain(values) == image.get(state)
    yield from rows


def plain(values: Image | None) -> Image | None:
    """Values of the API in the form that they have in JSON."""
    if values is None:
        return None
    return {name: json.loads(json_bytes(to_json(value))) for name, value in values.items()}


def to_json(value: Any) -> Any:
    from decimal import Decimal

    from binlogcli.rows.sinks.python_values import Geometry

    if isinstance(value, Decimal):
        return format(value, "f")
    return {"srid": value.srid, "wkb": value.wkb.hex()} if isinstance(value, Geometry) else value


def compare(table: Table, image: Image, rows: dict[int, Image], *, needed: set[str]) -> int:
    """Each column of an image against the row it is of, where the image has it; the row's key."""
    names = table.logged_names
    assert list(image) == [name for name in names if name in image]
    key = int(image[names[0]])
    for name, column, kind in zip(names[1:], table.names, table.kinds, strict=True):
        if name in image:
            check_value(kind, image[name], rows[key][column])
        else:
            assert column not in needed
    return key


def check_value(kind: Kind, ours: Any, theirs: Any) -> None:
    fits = ours is None if theirs is None else ours is not None and kind.same(ours, theirs)
    assert fits, f"{kind.sql}: {ours!r} in the log, {theirs!r} in the table"


def check(server: MariaServer, table: Table, directory: Path) -> None:
    name = f"t{next(NUMBERS)}"
    note(script(table, name))
    status, answer = server.sql(script(table, name)).split("\n", 1)
    first, second = answer.split("\n-\n", 1)
    inserted, updated = selected(table, first), selected(table, second)
    schema = None
    if table.schema:
        (directory / "schema.sql").write_text(f"USE live;\n{create(table, name)};\n", encoding="utf-8")
        schema = Catalog.read([str(directory / "schema.sql")])
    everything = set(table.names) if table.image == "FULL" else set()
    now = {
        key: dict(row) for key, row in inserted.items()
    }  # as the log tells it, with the server's values to begin with
    written, deleted = [], []
    for kind, row in logged(server.datadir / status.split("\t")[0], schema):
        if kind.startswith("WRITE"):
            written.append(compare(table, row["after"], inserted, needed=everything))
        elif kind.startswith("UPDATE"):
            update(table, row, now)
        else:
            deleted.append(compare(table, row["before"], updated, needed=everything))
    assert written == deleted == sorted(inserted)
    for key, row in now.items():
        for column, kind_of in zip(table.names, table.kinds, strict=True):
            value, theirs = row[column], updated[key][column]
            if value != theirs:
                check_value(kind_of, value, theirs)
    server.sql(f"DROP TABLE live.{name}")


def update(table: Table, row: dict[str, Image], now: dict[int, Image]) -> None:
    """Check the state before an update, and take over the columns that the state after it has."""
    key = compare(table, row["before"], now, needed=set())
    for name, column in zip(table.logged_names[1:], table.names, strict=True):
        if name in row["after"]:
            now[key][column] = row["after"][name]


@pytest.fixture(scope="module")
def server(maria: MariaServer) -> MariaServer:
    maria.sql("CREATE DATABASE IF NOT EXISTS live; SET GLOBAL log_bin_compress_min_len=10")
    return maria


@given(table=tables())
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.generate, Phase.shrink),
)
def test_decoded_rows_are_the_rows_of_the_table(
    server: MariaServer, tmp_path_factory: pytest.TempPathFactory, table: Table
) -> None:
    check(server, table, tmp_path_factory.getbasetemp())
