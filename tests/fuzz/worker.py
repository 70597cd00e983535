"""Reads damaged copies of logs in every way there is; a process of its own, so that a crash or a hang is caught.

worker.py FIRST COUNT LOG...     ends with 0 when all is well; otherwise the last line of stdout is the copy
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from binlogcli.binary.notes import Notes
from binlogcli.binary.records import CONTENT, DEPTH_MASK, KIND_SHIFT, RECORD
from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.errors import DEFECT
from binlogcli.events.again.noted import EventNoter
from binlogcli.events.event import Event
from binlogcli.events.log import Log
from binlogcli.events.stream import ReadOptions
from binlogcli.events.tables import Rows
from binlogcli.lake.decode.batches import EventRows, TableRows
from binlogcli.lake.decode.split_catalog import follower_of
from binlogcli.lake.decode.split_decoder import collect_split
from binlogcli.lake.decode.table_maker import TableMaker
from binlogcli.lake.model import LakeOptions, Split
from binlogcli.log.gaps import Damage, Padding
from binlogcli.render.ndjson.events import JsonLines
from binlogcli.rows.sinks.arrow_buffer import ColumnBuffer
from fuzz.copies import Way, work
from fuzz.mutate import Specimen


def refuse_defect(item: object) -> None:
    """Raise AssertionError for damage that is a defect of ours: for users it is damage like any, not here."""
    if isinstance(item, Damage) and DEFECT in item.reason:
        raise AssertionError(item)


def read_objects(path: str, options: ReadOptions) -> None:
    """All events as objects with all their fields; what stands outside of a payload tiles the file."""
    place = None
    of_rows: Damage | None = None
    with Log(path, options) as log:
        for item in log:
            refuse_defect(item)
            if item is of_rows:  # in the event before
                continue
            if isinstance(item, Event):
                item.as_dict()
                of_rows = item.damage if isinstance(item, Rows) else None
                repr((item, item.time, item.flag_names, item.raw, item.transaction and item.transaction.gtid))
            if item.start > item.end:
                raise AssertionError(f"{item!r} ends before it starts")
            if not isinstance(item, Padding) and item.within is not None:
                continue
            if place is not None and item.start != place:
                raise AssertionError(f"{item!r} begins at {item.start}, what came before ends at {place}")
            place = item.end
        if place is not None and place != log.source.size:
            raise AssertionError(f"read to {place} of {log.source.size} bytes")


def read_fields(path: str, options: ReadOptions) -> None:
    """The fields of each event, of those that could not be decoded too: they tile it."""
    noter = EventNoter()
    with Log(path, options) as log:
        for item in log:
            event = item if isinstance(item, Event) else log.stream.broken if isinstance(item, Damage) else None
            if event is None:
                continue
            noter.note(event, log.stream.context)
            refuse_defect(noter.damage)
            place = event.at
            for name, start, end in leaves_of(noter.notes):
                if start != place:
                    raise AssertionError(f"{event!r}: {name} begins at {start}, expected at {place}")
                place = end
            if place != event.at + event.length:
                raise AssertionError(f"{event!r}: its fields end at {place}, not at {event.at + event.length}")


def leaves_of(notes: Notes) -> Iterator[tuple[object, int, int]]:
    """Name, start and end of the fields without fields below them, outside of decompressed content.

    From the records: `Field.leaves` of all fields takes a third of the worker's time.
    """
    content, last, last_depth = -1, -1, 0
    for index, form in enumerate(notes.numbers[2 : notes.count * RECORD : RECORD]):
        depth = form & DEPTH_MASK
        if 0 <= content < depth:
            continue
        content = depth if form >> KIND_SHIFT & 0xFF == CONTENT else -1
        if content < 0:
            if last >= 0 and depth <= last_depth:
                yield notes.names[last], notes.numbers[last * RECORD], notes.numbers[last * RECORD + 1]
            last, last_depth = index, depth
    if last >= 0:
        yield notes.names[last], notes.numbers[last * RECORD], notes.numbers[last * RECORD + 1]


def render_json(path: str, options: ReadOptions) -> None:
    """JSON: every line an object, all of it UTF-8, and a line for each event."""
    written = io.BytesIO()
    damages: list[Damage] = []
    with Log(path, options) as log:
        JsonLines(TextBuffer()).run(log, written.write, damages.append)
    for damage in damages:
        refuse_defect(damage)
    for line in written.getvalue().decode("utf-8").split("\n")[:-1]:  # splitlines would also split at U+2028
        json.loads(line)


def collect_columns(path: str, options: ReadOptions) -> None:
    """Columns: as many values in each as there are rows, and the places of texts in order."""
    given = LakeOptions(verify=options.verify, max_event_size=options.max_event_size, batch_bytes=1 << 16)
    follower = follower_of(Split(path), given, None)
    for item in collect_split(Split(path), given, TableMaker(given), follower):
        if isinstance(item, TableRows):
            for buffer in item.sink.columns + item.sink.before:
                check_column(buffer, item.count)
        elif isinstance(item, Damage):
            refuse_defect(item)
        elif isinstance(item, EventRows):
            check_column(item.starts, item.count)
            check_column(item.bodies, item.bodies.count)


def check_column(buffer: ColumnBuffer, count: int) -> None:
    """A column that is finished; columns that an image lacks may be shorter before."""
    if buffer.count > count:
        raise AssertionError(f"{buffer.count} values of {count} rows")
    buffer.finish(count)
    if buffer.width > 0 and buffer.size != count * buffer.width:
        raise AssertionError(f"{buffer.size} bytes of {count} values of {buffer.width}")
    if buffer.width == 0 and count > 0:
        places = memoryview(buffer.ends)[: 4 * (count + 1)].cast("i").tolist()
        if places[0] != 0 or places[-1] * buffer.unit != buffer.size or places != sorted(places):
            raise AssertionError(f"places {places} of {buffer.size} bytes")


WAYS: tuple[Way, ...] = (read_objects, read_fields, render_json, collect_columns)


if __name__ == "__main__":
    work(lambda path: Specimen(path).mutant, WAYS)
