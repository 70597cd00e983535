"""The events of one transaction, kept until its end tells whether it is written.

A short one is in memory, a long one in a temporary file: memory is bounded by the largest event. Each event is kept
with its role in the transaction, and with the number of the table that it is about.
"""

from __future__ import annotations

import struct
import tempfile
from collections.abc import Iterator
from typing import NamedTuple

from binlogcli.errors import OutputError
from binlogcli.events.event import Event, Transaction
from binlogcli.gtids.text import GtidSet

# What an event is to its transaction
FRAME = 0  # its GTID, BEGIN, SAVEPOINT, COMMIT, and what is of no table: part of every selection
TABLE_MAP = 1
ROWS = 2
LAST_ROWS = 3  # ROWS with STMT_END_F
STATEMENT_END = 4  # ROWS of no table, with STMT_END_F
TEXT = 5  # ANNOTATE_ROWS or ROWS_QUERY: belongs to the rows after it
VARIABLE = 6  # INTVAR, RAND or USER_VAR: belongs to the statement after it
STATEMENT = 7
BLOCK = 8  # of the file of a LOAD DATA: `detail` is the number of the file
PAYLOAD = 9  # compressed events, which follow one by one

LEFT_OUT = -1  # the number of all tables that are not written
_IN_MEMORY = 4 << 20
_RECORD = struct.Struct("<BBiIQ")  # role, whether from a payload, table, detail, offset in the log
_SIZE = struct.Struct("<I")


class Entry(NamedTuple):
    """An event of a transaction. `detail` is the offset of the flags in ROWS, the number of the file in BLOCK."""

    role: int
    inner: bool  # from a payload: without a checksum
    table: int
    detail: int
    start: int
    data: bytes


class Table(NamedTuple):
    """What a part of a transaction is about: a table, a database if `table` is empty, or neither."""

    database: str = ""
    table: str = ""


class InferredMap(NamedTuple):
    """A table map from elsewhere that was given to rows whose own is lost; `proof` says why it is the right one."""

    position: int  # of the rows
    table_id: int
    database: str
    table: str
    file: str  # in which the table map is, at `found_at`
    found_at: int
    proof: str


class Stretch:
    """A part of a log that is read."""

    def __init__(self, file: str, start: int) -> None:
        self.file = file
        self.start = start
        self.end = start


class Unit:
    """A transaction, from its first event that was read to its last."""

    def __init__(self, log: str, event: Event) -> None:
        self.log = log
        self.transaction: Transaction | None = event.transaction
        self.start = event.start if event.within_at < 0 else event.within_at
        self.stretches = [Stretch(log, self.start)]
        self.last_time = event.timestamp
        self.tables: list[Table] = []
        self.numbers: dict[Table, int] = {}
        self.files: dict[int, int] = {}  # tables by the numbers of LOAD DATA's files
        self.left_out = False  # whether some of its rows or statements are not written
        self.damaged = False  # whether some of its events could not be read
        self.touched = False  # whether one of its events is chosen
        self.count = 0  # events
        self.gtids: GtidSet = {}
        self.inferred: list[InferredMap] = []
        self.ends_xa: str | None = None
        self.length_fields: tuple[int, int, int, int] | None = None  # see `gtid_length`
        self._spool = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 - closed by `close`

    def continue_in(self, log: str, event: Event) -> None:
        """Go on with an event of the next log."""
        self.transaction = event.transaction
        self.stretches.append(Stretch(log, event.start))

    def number_of(self, table: Table) -> int:
        """Return the number that stands for a table in this transaction."""
        number = self.numbers.get(table)
        if number is None:
            number = self.numbers[table] = len(self.tables)
            self.tables.append(table)
        return number

    def add(self, event: Event, role: int, table: int = LEFT_OUT, detail: int = 0) -> None:
        """Add an event at the end."""
        self.add_bytes(Entry(role, event.within_at >= 0, table, detail, event.start, event.raw))
        self.last_time = event.timestamp or self.last_time
        if event.within_at < 0:
            self.stretches[-1].end = event.end

    def add_bytes(self, entry: Entry) -> None:
        """Add an entry at the end."""
        self.count += 1
        try:
            self._spool.write(_RECORD.pack(entry.role, entry.inner, entry.table, entry.detail, entry.start))
            self._spool.write(_SIZE.pack(len(entry.data)))
            self._spool.write(entry.data)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            hint = "free some space, or set TMPDIR to a directory with more"
            raise OutputError(
                f"a large transaction does not fit into the temporary directory: {reason}", hint=hint
            ) from error

    @property
    def is_gtid_alone(self) -> bool:
        """Whether nothing but a GTID was read so far."""
        return self.count == 1 and bool(self.gtids)

    def entries(self) -> Iterator[Entry]:
        """Yield the entries in their order."""
        self._spool.seek(0)
        while head := self._spool.read(_RECORD.size + _SIZE.size):
            role, inner, table, detail, start = _RECORD.unpack_from(head)
            data = self._spool.read(_SIZE.unpack_from(head, _RECORD.size)[0])
            yield Entry(role, bool(inner), table, detail, start, data)
        self._spool.seek(0, 2)

    def close(self) -> None:
        """Remove the temporary file."""
        self._spool.close()
