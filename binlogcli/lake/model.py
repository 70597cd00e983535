"""What the rooms of `lake` hand to one another: the options, a range of a log, a batch of rows, a gap."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from binlogcli.crypto.key_options import KeyOptions
from binlogcli.lake.log_stamp import LogStamp
from binlogcli.lake.tables.types import TableSchema
from binlogcli.log.savepoints import Undone
from binlogcli.select.choice import Choice

if TYPE_CHECKING:
    import pyarrow as pa

XA_KEY = ("", "", "xa")  # no table has it
BEHIND_ALL = ("", 0)  # of all logs
_FIRST_EVENT = 4  # the size of a log's magic
_PLACE = re.compile(r"\A.*?: at \d+: ")  # before a remark on a table map


@dataclass(frozen=True, slots=True)
class LakeOptions:
    """How logs become tables. Keys are paths here; a password comes from its file or the task's environment.

    `choice` selects events by names, GTIDs and servers. Its positions and times are applied by the planner, as ranges.
    """

    columns_only: bool = False
    by_date: bool = False  # files are of one day each, in directories named after it
    schemas: tuple[str, ...] = ()
    schema_at: tuple[str, int] | None = (
        None  # of when these are: before a position of a log, or BEHIND_ALL; None: start
    )
    unsigned: tuple[str, ...] = ()  # columns that the user takes to be UNSIGNED, as DATABASE.TABLE.COLUMN
    keys: KeyOptions = field(default_factory=KeyOptions)
    verify: bool = True
    max_event_size: int = 1 << 30
    choice: Choice = field(default_factory=Choice)
    zero_dates: str = "null"  # raw: an invalid date is kept as text in <column>__raw; error: it ends the job
    server: str = ""  # the name of the server, which the names of databases begin with; "" for none
    invalid_text: str = "binary"  # the column becomes binary; replace: U+FFFD; error: it ends the job
    batch_bytes: int = 4 << 20  # of a table, before its batch is handed out
    held_bytes: int = 96 << 20  # of all tables together


@dataclass(frozen=True, slots=True)
class Split:
    """Events [start, end) of a log. A `start` up to 4 and no prelude is the log's beginning; `end` None is its end.

    `prelude` and `tail` are events as (place in the log, bytes as they are there, decrypted), in the log's order:
    `prelude` what the events need from before `start` (the format, an open transaction's GTID or BEGIN, an open
    statement's table maps), `tail` the event that ends the transaction which is open at `end`.
    `stamp` is of the file that the split was planned from; without it, the file is not compared with anything.
    """

    path: str
    start: int = 0
    end: int | None = None
    prelude: tuple[tuple[int, bytes], ...] = field(default=(), repr=False)
    tail: tuple[tuple[int, bytes], ...] = field(default=(), repr=False)
    seq_base: int = 0  # `_seq` at position 0 of the log (`sequence.base_of`)
    name: str = ""  # the value of `_file`; the path where it is empty
    stamp: LogStamp | None = field(default=None, repr=False)
    undone: tuple[Undone, ...] = ()  # what its transactions have taken back by ROLLBACK TO SAVEPOINT

    @property
    def size(self) -> int:
        """Bytes from `start` to `end`; 0 where `end` is None."""
        return (self.end or self.start) - self.start

    @property
    def file(self) -> str:
        """The log's name, as the user gave it."""
        return self.name or self.path

    @property
    def at_start(self) -> bool:
        """Whether it begins where the log does."""
        return self.start <= _FIRST_EVENT and not self.prelude

    def check(self) -> None:
        """Raise LogChangedError unless the file is the one that was planned, as it was or grown since."""
        if self.stamp is not None:
            self.stamp.check(self.path, self.file)


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows of one table; events, or ends of XA transactions, where `schema` is None.

    Batches of one fingerprint have the same Arrow schema.
    """

    schema: TableSchema | None
    data: pa.RecordBatch
    last: bool = False  # the split has no more rows of this table map
    unsure: tuple[str, ...] = ()  # columns of unknown sign with a negative value, which may be a larger one
    xa: bool = False  # the rows are ends of XA transactions

    @property
    def key(self) -> tuple[str, str, str] | None:
        """Database, table and version; None for events, XA_KEY for ends of XA transactions."""
        if self.schema is not None:
            return self.schema.key
        return XA_KEY if self.xa else None


@dataclass(frozen=True, slots=True)
class UnsureColumn:
    """A column of unknown sign with a value that is another number if the column is UNSIGNED."""

    database: str
    table: str
    column: str


@dataclass(frozen=True, slots=True)
class CatalogRemark:
    """What could not be made of the definitions that statements and schema files tell: a line of text."""

    text: str

    @property
    def cause(self) -> str:
        """The text without the place, which is another one in each split that meets the same cause."""
        return _PLACE.sub("", self.text)


@dataclass(frozen=True, slots=True)
class LogGap:
    """Bytes [start, end) of a log that could not be read. The batches of events have a row with `damage` for each."""

    file: str
    start: int
    end: int
    reason: str
    hint: str = ""
    within: int | None = None  # the place of the payload event that holds the bytes
