"""A split of a log decoded into Arrow: what a Spark task, the data source and the tests run.

A split is a range of whole events. It holds all that its events need from before the range, so a task reads nothing
else of the log: the format description and, where a transaction is open, its GTID or BEGIN and the table maps of an
open statement. `tail` is the event that ends a transaction which is still open at the range's end: without it the rows
of a transaction in several splits could not have its XID and commit time. Within a split, the end of a transaction
that is larger than a batch is found by a lookahead over headers, once for each such transaction.

Encrypted logs are split like others: positions are the log's own, each task loads the keys from the options' paths.
A log that cannot be sought in (compressed) is read from its beginning: it must be one split.

`_seq` depends on the log and the position (`lake.sequence`), not on the split.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from binlogcli.crypto.opening import open_keys
from binlogcli.errors import BinlogError
from binlogcli.events.stream import EventStream, ReadOptions
from binlogcli.lake.decode.batches import EventRows, TableRows
from binlogcli.lake.decode.collector import Collector
from binlogcli.lake.decode.columns.row_origins import LogPosition
from binlogcli.lake.decode.commit_lookahead import CommitLookahead
from binlogcli.lake.decode.current_transaction import CurrentTransaction
from binlogcli.lake.decode.log_source import RangeSource, open_log
from binlogcli.lake.decode.pending import PendingBatches
from binlogcli.lake.decode.split_catalog import follower_of
from binlogcli.lake.decode.table_maker import TableMaker
from binlogcli.lake.decode.wanted_rows import ALL_ROWS, WantedRows
from binlogcli.lake.decode.xa_ends import XaEnds
from binlogcli.lake.log_stamp import ended_early
from binlogcli.lake.model import Batch, CatalogRemark, LakeOptions, LogGap, Split
from binlogcli.lake.sequence import created_of
from binlogcli.lake.store.state import plain_name
from binlogcli.lake.table_marks import TableMark
from binlogcli.log.gaps import Damage
from binlogcli.select.choice import Choice
from binlogcli.select.selection import Selection

if TYPE_CHECKING:
    from binlogcli.events.ddl import DdlFollower
    from binlogcli.lake.history import LogHistory

Collected = TableRows | EventRows | XaEnds | TableMark | str | Damage  # a text is a remark


def decode_split(
    split: Split, options: LakeOptions, history: LogHistory | None = None, wanted: WantedRows = ALL_ROWS
) -> Iterator[Batch | TableMark | CatalogRemark | LogGap]:
    """Yield all rows and events of a split in batches, the ranges that could not be read, and remarks on definitions.

    `history` tells what statements before the split have defined. Batches of tables have the `wanted` columns alone.
    """
    tables = TableMaker(options, wanted)
    tables.begun = ({} if history is None else history.begun(split.file)) | {
        plain_name(split.file): created_of(split.seq_base)
    }
    follower = follower_of(split, options, history)
    for item in collect_split(split, options, tables, follower):
        yield _finished(item, split, tables)
    if follower is not None:
        for text in follower.catalog.warnings:
            yield CatalogRemark(text)


def collect_split(
    split: Split, options: LakeOptions, tables: TableMaker, follower: DdlFollower | None = None
) -> Iterator[Collected]:
    """Yield rows, events and gaps of `decode_split` as column buffers, before Arrow objects are made; needs no pyarrow.

    Raises LogChangedError, before or after all items, where the log is not what the split was planned from.
    """
    split.check()
    try:
        yield from _collected(split, options, tables, follower)
    except BinlogError as error:
        split.check()  # what became of the log is the better reason
        error.file = error.file or split.path
        raise
    split.check()


def _collected(
    split: Split, options: LakeOptions, tables: TableMaker, follower: DdlFollower | None
) -> Iterator[Collected]:
    """Yield the items of `collect_split`. Raises LogChangedError if the log ends before the split."""
    with contextlib.ExitStack() as stack:
        opener = partial(open_log, split.path, stack.enter_context(open_keys(options.keys)), split.end)
        source = stack.enter_context(opener())
        lookahead = CommitLookahead(opener, split.tail, options.max_event_size, verify=options.verify)
        stack.callback(lookahead.close)
        stream = EventStream(source, ReadOptions(options.verify, options.max_event_size))
        if follower is not None:
            stream.context.catalog = follower.catalog
        stream.chooser = _selection(options.choice)
        current = CurrentTransaction(stream, lookahead)
        pending = PendingBatches(tables, current, options)
        position = LogPosition()
        tables.file, tables.position = split.file, position
        tables.catalog = None if follower is None else follower.catalog
        collector = Collector(stream, current, pending, position, tables.wanted, split.undone)
        if not split.at_start:
            current.recall(stream.resume(split.prelude, split.start), split.start)
        stream.follower = follower  # which has seen the prelude
        while (item := collector.advance()) is not None:
            yield item
        if isinstance(source, RangeSource) and source.short:
            raise ended_early(split.file, source.at, source.end)


def _finished(item: Collected, split: Split, tables: TableMaker) -> Batch | TableMark | CatalogRemark | LogGap:
    """Make Arrow of what the collector handed out."""
    from binlogcli.lake.decode.arrow_batches import event_batch, table_batch  # imports pyarrow
    from binlogcli.lake.decode.mark_batches import xa_batch

    file, base = split.file, split.seq_base
    if isinstance(item, TableRows):
        schema = tables.final_schema(item)
        unsure = tuple(schema.names[index] for index in sorted(item.sink.two_readings))
        return Batch(schema, table_batch(item, schema, file, base, tables.wanted.names_in(schema)), item.last, unsure)
    if isinstance(item, EventRows):
        return Batch(None, event_batch(item, file, base))
    if isinstance(item, XaEnds):
        return Batch(None, xa_batch(item, file, base), xa=True)
    if isinstance(item, TableMark):
        return replace(item, seq=base + item.seq, file=file)
    if isinstance(item, str):
        return CatalogRemark(f"{file}: {item}")
    return LogGap(file, item.start, item.end, item.reason, item.hint, item.within)


def _selection(choice: Choice) -> Selection | None:
    """Return the selection of a split's events by names; positions and times are the planner's."""
    by_names = choice.without_range()
    if by_names == Choice():
        return None
    selection = Selection(by_names, all_transactions=True)
    selection.names.spares_definitions = True  # TRUNCATE shop.orders may run in any database
    return selection
