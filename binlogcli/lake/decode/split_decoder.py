"""A split of a log decoded into Arrow: what a Spark task runs, and whoever wants the batches without Spark.

A split is a range of whole events. It holds all that its events need from before the range, so a task reads nothing
else of the log: the format description and, where a transaction is open, its GTID or BEGIN and the table maps of an
open statement. `tail` is the event that ends a transaction which is still open at the range's end: without it the rows
of a transaction in several splits could not bear its XID and the time of its commit. Within a split the end of a
transaction that is larger than a batch is found by a look ahead over headers, once for each such transaction.

Encrypted logs are split like others: positions are the log's own, the key is found in each task by the options' paths.
A log that cannot be sought in (compressed) is read from its beginning: give it as one split.

`_seq` is `seq_base + (position - start) * 65536 + n`, n counting the rows from the event on that stands there: a split
uses up the numbers up to `seq_base + (end - start) * 65536`, where the next one may begin.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from binlogcli.crypto import PASSWORD_VARIABLE, KeyOptions, open_decrypted
from binlogcli.errors import BinlogError
from binlogcli.events.log import refuse_what_is_no_log
from binlogcli.events.stream import EventStream, ReadOptions
from binlogcli.lake.decode.batches import EventRows, TableRows
from binlogcli.lake.decode.collector import Collector
from binlogcli.lake.decode.commit_lookahead import Ahead
from binlogcli.lake.decode.range_source import RangeSource
from binlogcli.lake.decode.table_maker import TableMaker, final_schema
from binlogcli.lake.tables.types import TableSchema
from binlogcli.log.gaps import Damage
from binlogcli.select.choice import Choice
from binlogcli.select.selection import Selection
from binlogcli.sources import open_source
from binlogcli.sources.source import Source

if TYPE_CHECKING:
    import pyarrow as pa

    from binlogcli.crypto.keys import Keys
    from binlogcli.schema.catalog import Schema

MAGIC_SIZE = 4
SEQ_STEP = 1 << 16  # numbers of `_seq` for each byte of a log


@dataclass(frozen=True, slots=True)
class Split:
    """Events [start, end) of a log. A `start` up to 4 and no prelude is the log's beginning; `end` None is its end.

    `prelude` and `tail` are events as (place in the log, bytes as they stand there, decrypted), in the log's order.
    """

    path: str
    start: int = 0
    end: int | None = None
    prelude: tuple[tuple[int, bytes], ...] = field(default=(), repr=False)
    tail: tuple[tuple[int, bytes], ...] = field(default=(), repr=False)
    seq_base: int = 0
    name: str = ""  # what `_file` says; the path where it is empty

    @property
    def size(self) -> int:
        """In bytes, as far as its end is known."""
        return (self.end or self.start) - self.start


@dataclass(frozen=True, slots=True)
class LakeOptions:
    """How logs become tables. Keys are paths here; a password comes from its file or the task's environment.

    `choice` takes events by names, GTIDs and servers; its positions and times are the planner's, who makes the ranges.
    """

    columns_only: bool = False
    schemas: tuple[str, ...] = ()
    keys: KeyOptions = field(default_factory=KeyOptions)
    verify: bool = True
    max_event_size: int = 1 << 30
    choice: Choice = field(default_factory=Choice)
    zero_dates: str = "null"  # raw: what is no date stands as text in <column>__raw; error: it ends the job
    invalid_text: str = "binary"  # the column becomes binary; replace: U+FFFD; error: it ends the job
    batch_bytes: int = 4 << 20  # of a table, before it is given out
    held_bytes: int = 96 << 20  # of all tables together


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows of one table, or events where `schema` is None. Batches of one fingerprint have the same Arrow schema."""

    schema: TableSchema | None
    data: pa.RecordBatch
    last: bool = False  # no more is to come of this table map

    @property
    def key(self) -> tuple[str, str, str] | None:
        """Database, table and version; None for events."""
        schema = self.schema
        return None if schema is None else (schema.database, schema.table, schema.fingerprint)


@dataclass(frozen=True, slots=True)
class Gap:
    """Bytes of a log that could not be read. They are in the batches of events too, as rows with a `damage`."""

    file: str
    start: int
    end: int
    reason: str
    hint: str = ""
    within: int | None = None


def decode_split(split: Split, options: LakeOptions) -> Iterator[Batch | Gap]:
    """All rows and events of a split, table by table in the log's order, and what could not be read."""
    for item in collect_split(split, options):
        yield finished(item, split)


def collect_split(split: Split, options: LakeOptions) -> Iterator[TableRows | EventRows | Damage]:
    """The same before it is made into Arrow."""
    with contextlib.ExitStack() as stack:
        keys = None
        if options.keys.given:
            from binlogcli.crypto.keys import load_keys  # noqa: PLC0415 - imports the library of ciphers

            keys = stack.enter_context(load_keys(options.keys, os.environ.get(PASSWORD_VARIABLE)))
        opener = partial(open_range, split, keys)
        source = stack.enter_context(opener())
        ahead = Ahead(opener, split.tail, options.max_event_size)
        stack.callback(ahead.close)
        stream = EventStream(source, ReadOptions(options.verify, options.max_event_size), read_schema(options.schemas))
        stream.chooser = chooser_of(options.choice)
        tables = TableMaker(options)
        collector = Collector(
            stream, tables, ahead, split.seq_base, split.start, options.batch_bytes, options.held_bytes
        )
        if split.start > MAGIC_SIZE or split.prelude:
            collector.recall(stream.resume(split.prelude, split.start), split.start)
        try:
            while (item := collector.advance()) is not None:
                yield item
        except BinlogError as error:
            error.file = error.file or split.path
            raise


def finished(item: TableRows | EventRows | Damage, split: Split) -> Batch | Gap:
    """What the collector gave out, in Arrow."""
    from binlogcli.lake.decode.arrow_batches import event_batch, table_batch  # noqa: PLC0415 - imports pyarrow

    file = split.name or split.path
    if isinstance(item, TableRows):
        schema = final_schema(item)
        return Batch(schema, table_batch(item, schema, file), item.last)
    if isinstance(item, EventRows):
        return Batch(None, event_batch(item, file))
    return Gap(file, item.start, item.end, item.reason, item.hint, item.within)


def open_range(split: Split, keys: Keys | None) -> Source:
    """The log up to the split's end."""
    source = open_source(split.path)
    try:
        if keys is not None:
            source = open_decrypted(source, keys)
        refuse_what_is_no_log(source)
    except BinlogError:
        source.close()
        raise
    return source if split.end is None else RangeSource(source, split.end)


def chooser_of(choice: Choice) -> Selection | None:
    """What chooses the events of a split; where it begins and ends is not asked here."""
    by_names = choice._replace(start_position=0, stop_position=None, start_time=None, stop_time=None)
    return None if by_names == Choice() else Selection(by_names)


@lru_cache(maxsize=4)
def read_schema(files: tuple[str, ...]) -> Schema | None:
    """The tables of the schema files, read once by each process."""
    if not files:
        return None
    from binlogcli.schema.catalog import Schema  # noqa: PLC0415 - imports sqlglot

    return Schema.read(files)
