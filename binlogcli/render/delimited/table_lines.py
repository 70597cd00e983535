"""The rows of one table as CSV or TSV: a header, then a line for each row image, in the order of the log.

An UPDATE is two lines, `update_before` and `update`. The header has the columns that the table has at its first row;
where an ALTER TABLE changes them, the lines keep to the header's columns, found by their names.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import tzinfo

from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.errors import DecodeError, OutputError, counted
from binlogcli.events.damage import rows_damage
from binlogcli.events.event import Event
from binlogcli.events.load import Load
from binlogcli.events.log import Log
from binlogcli.events.statements import Query
from binlogcli.events.tables import Rows
from binlogcli.log.boundaries import may_define, role_of
from binlogcli.log.gaps import Damage
from binlogcli.log.roles import RELEASE_SAVEPOINT
from binlogcli.render.delimited.fields import FieldWriter
from binlogcli.render.delimited.rows import FieldRows
from binlogcli.render.writer import EventWriter
from binlogcli.rows.images import UPDATE
from binlogcli.rows.plan import TablePlan
from binlogcli.rows.walk import RowWalker
from binlogcli.select.times import time_text

DELIMITERS = {"csv": 0x2C, "tsv": 0x09}
META = ("_op", "_time", "_file", "_pos", "_gtid")
_NUMBERED = re.compile(r"@[1-9][0-9]*")  # what stands for a name that is not known


class TableLines(EventWriter):
    """Writes the rows of one table in all logs of a run; `OutputError` at the first row of another table."""

    def __init__(
        self, out: TextBuffer, format_: str, zone: tzinfo | None, tell: Callable[[str], object], *, raw: bool = False
    ) -> None:
        EventWriter.__init__(self, out)
        self.zone = zone
        self.tell = tell  # takes what the user should know at once
        self.delimiter = bytes([DELIMITERS[format_]])
        self.fields = FieldWriter(out, DELIMITERS[format_], raw=raw)
        self.walker = RowWalker()
        self.sink = FieldRows(self.fields, self.walker)
        self.path = ""
        self.table: tuple[str, str] | None = None
        self.columns: list[str] = []  # of the header, as the table has them
        self.plan: TablePlan | None = None
        self.names: list[str] = []  # of the table at the last row
        self.order: list[int] | None = None
        self.second = -1
        self.time = b""
        self.file = b""
        self.unsure: dict[str, None] = {}
        self.statements = 0
        self.incomplete = False  # a column that the header does not have is left out

    def begin_log(self, log: Log) -> None:
        """Name the log in the lines that follow."""
        self.path = log.path
        self.file = self.field(log.path)
        self.plan = None

    def put_event(self, event: Event) -> Damage | None:
        """Write an event's rows; return the damage where they could not all be read."""
        if isinstance(event, Rows):
            return self.put_rows(event)
        if isinstance(event, Load) or (isinstance(event, Query) and _changes_rows(event.query)):
            self.statements += 1
        return None

    def put_damage(self, damage: Damage) -> None:
        """Write nothing: damage is reported on stderr."""

    def put_rows(self, event: Rows) -> Damage | None:
        """Write the lines of an event's rows."""
        if event.plan is not None and event.plan is not self.plan:
            self.see_table(event, event.plan)
        sink = self.sink
        before = b"update_before" if event.operation == UPDATE else b"delete"
        after = b"update" if event.operation == UPDATE else b"insert"
        head = self.head(event)
        sink.begin_event(before + head, after + head, self.order)
        failure = None
        try:
            event.walk(self.walker, sink)
        except DecodeError as error:
            failure = error
            sink.take_back()
        for index in sink.unsure:
            self.unsure[f"{event.database}.{event.table}.{event.columns[index]}"] = None
        return rows_damage(event, failure, sink)

    def head(self, event: Rows) -> bytes:
        """Return the fields of an event's lines that stand between `_op` and the columns."""
        if event.timestamp != self.second:
            self.second = event.timestamp
            self.time = time_text(event.timestamp, self.zone).encode("ascii")
        start = event.start if event.within_at < 0 else event.within_at
        gtid = None if event.transaction is None else event.transaction.gtid
        return self.delimiter.join(
            (b"", self.time, self.file, b"%d" % start, b"" if gtid is None else self.field(gtid))
        )

    def field(self, text: str) -> bytes:
        """Return a text as a field."""
        out = self.out
        begun, held = out.size, out.held
        out.held = True
        raw = text.encode("utf-8", "backslashreplace")
        self.fields.put_bytes(raw.replace(b"\\udc", b"\\x") if not text.isascii() else raw)
        found = bytes(out.content()[begun:])
        out.size, out.held = begun, held
        return found

    # columns ----------------------------------------------------------------------------------------------------

    def see_table(self, event: Rows, plan: TablePlan) -> None:
        """Write the header before the first row; find the header's columns in a table that has changed."""
        self.plan = plan
        table = (plan.definition.database, plan.definition.table)
        if self.table is None:
            self.table = table
            self.columns = self.names = list(plan.names)
            self.put_header()
        elif table != self.table:
            raise OutputError(
                f"found rows of {'.'.join(table)} after rows of {'.'.join(self.table)}: only one table can be written",
                file=self.path,
                offset=event.start,
                hint=f"specify one, such as -T {'.'.join(self.table)}",
            )
        elif plan.names != self.names:
            self.names = list(plan.names)
            self.order = _order(self.columns, self.names)
            if self.order is not None:
                self.tell_change(event, self.order)

    def put_header(self) -> None:
        """Write the names of the fields; those of META with more underscores where the table has such a column."""
        taken = {name.casefold() for name in self.columns}
        names = []
        for name in META:
            while name in taken:
                name = f"_{name}"  # noqa: PLW2901
            names.append(self.field(name))
        for name in self.columns:
            known = _NUMBERED.fullmatch(name) is None
            names.append(self.field(name) if known else name.encode("ascii"))
        self.out.put(self.delimiter.join(names) + b"\n")

    def tell_change(self, event: Rows, order: list[int]) -> None:
        """Tell that the table's columns are no longer those of the header; `OutputError` where they have no names."""
        name = f"{event.database}.{event.table}"
        missing = [column for column, at in zip(self.columns, order, strict=True) if at < 0]
        again = f"-j {event.start} starts a new header"
        if missing and any(map(_NUMBERED.fullmatch, self.names)):
            what = f"the column names of {name} are unknown after this position, but the header has them"
            raise OutputError(what, file=self.path, offset=event.start, hint=f"pass --schema; {again}")
        used = set(order)
        more = [column for at, column in enumerate(self.names) if at not in used]
        self.incomplete = self.incomplete or bool(more)
        parts = [f"left out: {', '.join(more)}"] if more else []
        parts += [f"no longer in the table: {', '.join(missing)}"] if missing else []
        what = f"{name} differs from the header after this position ({'; '.join(parts) or 'in a different order'})"
        self.tell(f"{self.path}: at {event.start}: {what}; {again}")

    def remarks(self) -> list[str]:
        """Return what the user should know of the lines, a sentence each."""
        found = []
        if any(map(_NUMBERED.fullmatch, self.columns)) and self.table is not None:
            found.append(
                f"the column names of {'.'.join(self.table)} are unknown: @1, @2, ... are used instead; pass --schema"
            )
        if self.unsure:
            found.append(
                f"{', '.join(self.unsure)}: unknown whether UNSIGNED: values are written as signed; pass --schema or "
                "--assume-unsigned"
            )
        if self.statements:
            left_out = counted(self.statements, "statement")
            found.append(f"{left_out} left out: the log does not contain their rows; --format sql shows the statements")
        return found


def _changes_rows(query: bytes) -> bool:
    """Whether a statement may change rows by itself: it neither frames a transaction nor defines a table."""
    size = len(query)
    return role_of(query, 0, size) < RELEASE_SAVEPOINT and not may_define(query, 0, size)


def _order(columns: list[str], names: list[str]) -> list[int] | None:
    """Return the index of each of the header's columns among a table's, -1 where it is missing; None if they are equal.

    `@N` in a header is the Nth column, whatever its name.
    """
    places = {name: at for at, name in enumerate(names)}
    order = []
    for column in columns:
        numbered = _NUMBERED.fullmatch(column) is not None
        at = int(column[1:]) - 1 if numbered else places.get(column, -1)
        order.append(at if at < len(names) else -1)
    return None if order == list(range(len(names))) else order
