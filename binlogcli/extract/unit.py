"""The events of one transaction, kept until its end tells whether it is written.

A short one is in memory, a long one in a temporary file: memory is bounded by the largest event. Each event is kept
with its role in the transaction, and with the number of the table that it is about.
"""

from __future__ import annotations

import struct
import tempfile
from collections.abc import Iterator
from typing import IO, NamedTuple

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
_OVERHEAD = 200  # of an entry in memory
_RECORD = struct.Struct("<IB?iIQ")  # size, role, whether from a payload, table, detail, offset in the log


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
        self.begun = False  # whether it has a BEGIN
        self.touched = False  # whether one of its events is chosen
        self.count = 0  # events
        self.gtids: GtidSet = {}
        self.inferred: list[InferredMap] = []
        self.ends_xa: str | None = None
        self.length_fields: tuple[int, int, int, int] | None = None  # see `gtid_length`
        self._entries: list[Entry] = []  # those in memory, which come after those in the file
        self._size = 0  # bytes of them
        self._file: IO[bytes] | None = None

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
        self._entries.append(entry)
        self._size += len(entry.data) + _OVERHEAD
        if self._size > _IN_MEMORY:
            self._spill()

    def _spill(self) -> None:
        """Move what is in memory to the file."""
        try:
            if self._file is None:
                self._file = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `close`
            for entry in self._entries:
                self._file.write(_RECORD.pack(len(entry.data), *entry[:-1]))
                self._file.write(entry.data)
            self._file.flush()
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise OutputError(
                f"a large transaction does not fit into the temporary directory: {reason}",
                hint="free some space, or set TMPDIR to a directory with more",
            ) from error
        self._entries.clear()
        self._size = 0

    @property
    def is_gtid_alone(self) -> bool:
        """Whether nothing but a GTID was read so far."""
        return self.count == 1 and bool(self.gtids)

    def entries(self) -> Iterator[Entry]:
        """Yield the entries in their order."""
        if self._file is not None:
            self._file.seek(0)
            while head := self._file.read(_RECORD.size):
                size, role, inner, table, detail, start = _RECORD.unpack(head)
                yield Entry(role, inner, table, detail, start, self._file.read(size))
        yield from self._entries

    def close(self) -> None:
        """Remove the temporary file."""
        self._entries.clear()
        if self._file is not None:
            self._file.close()
