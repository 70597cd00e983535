"""The annotated hexdump as JSON: one event per line, with its fields nested.

Fields are written as they are decoded, so that memory does not grow with the number of an event's fields.
"""

from __future__ import annotations

from binlogcli.binary.explained import Explained
from binlogcli.binary.json_writer import json_bytes, put_json
from binlogcli.binary.long_text import LONG, long_text
from binlogcli.binary.notes import Notes
from binlogcli.binary.records import CONTENT, DEPTH_MASK, KIND_SHIFT, PREFIX_SHIFT, RECORD, SIGNED, UNSIGNED
from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.errors import DEFECTS, counted
from binlogcli.events.again.noted import EventNoter
from binlogcli.events.damage import damage_in
from binlogcli.events.event import Event
from binlogcli.log.context import LogContext
from binlogcli.log.gaps import Damage, Padding
from binlogcli.names.event_types import TRANSACTION_PAYLOAD_EVENT, event_type_name
from binlogcli.render.hexdump.drawing.palette import TEXT
from binlogcli.render.hexdump.find import Finder
from binlogcli.render.hexdump.options import HexOptions, OffsetOf
from binlogcli.render.hexdump.words.column_types import sql_type
from binlogcli.render.hexdump.words.label_cache import LabelCache
from binlogcli.render.hexdump.words.values import plain
from binlogcli.rows.column import Column

_PLAIN = (int, str, bytes)  # types of most values, which JSON takes as they are
_COMPRESSED = ("payload", "zlib", "deflate")  # fields whose decompressed content follows in place of their bytes


class HexJson:
    """Writes the events and gaps of logs; the events of a payload event are written inside its field `payload`."""

    def __init__(self, out: TextBuffer, options: HexOptions) -> None:
        self.out = out
        self.options = options
        self.finder = Finder(options.needles)
        self.labels = LabelCache(options.zone)
        self.noter = EventNoter()
        self.noter.notes.reader = self
        self.problem: Damage | None = None
        self.file = b""
        self.offset_of: OffsetOf | None = None
        self.event = Event()
        self.counts = [0]
        self.content_depth: list[int] = []
        self.payload = -1
        self.payload_size = 0
        self.tail = b""
        self.inner = 0

    def begin_log(self, name: str, _head: bytes, _remark: str = "", offset_of: OffsetOf | None = None) -> None:
        """Name the log in the lines that follow; of a carved one `offset_of` says where in the file a position is."""
        self.offset_of = offset_of
        self.file = b'"file": ' + json_bytes(name) + b", "

    def end_log(self) -> None:
        """Close an open payload event."""
        self.end_payload()

    def put_event(self, event: Event, context: LogContext, damage: Damage | None = None) -> bool:
        """Write an event; return False and write nothing where it holds none of the needles.

        `problem` is then what could not be read of the event, None if all could.
        """
        self.problem = None
        if event.within_at != self.payload:
            self.end_payload()
        begun = (self.out.size, self.payload, self.payload_size, self.inner)
        drained = self.out.drained
        try:
            return self._put_event(event, context, damage)
        except DEFECTS as error:
            if self.out.drained == drained:
                self.out.size, self.payload, self.payload_size, self.inner = begun
            else:
                self.out.put(b"\n")
                self.payload = -1
            self.problem = damage_in(event, error)
            self.put_gap(self.problem, b"")
            return True

    def _put_event(self, event: Event, context: LogContext, damage: Damage | None) -> bool:
        """Write an event with its fields; return False and write nothing where it holds none of the needles."""
        if self.options.needles and self.finder.hits(event, context) is None:
            return False
        inside = self._begin_item(event.start, event.end, event.within_at)
        self._put_description(event_type_name(event.type_code), None, self.summary(event))
        if damage is not None:
            self._put_damage(damage.reason)
        self.out.put(b', "fields": [')
        self.event = event
        self.counts = [0]
        self.content_depth = []
        self.noter.note(event, context)
        self.take_notes(self.noter.notes)
        self._close_to(0)
        if self.payload != event.start or inside:
            self.out.put(b"]")
            self.problem = self.noter.damage
            if self.problem is not None and damage is None:
                self._put_damage(self.problem.reason)
            self.out.put(b"}" if inside else b"}\n")
        return True

    def put_gap(self, gap: Damage | Padding, _raw: bytes) -> None:
        """Write a gap."""
        within = gap.within if isinstance(gap, Damage) and gap.within is not None else -1
        inside = self._begin_item(gap.start, gap.end, within)
        reason = gap.reason if isinstance(gap, Damage) else "zero bytes after the last event"
        self._put_description("damage" if isinstance(gap, Damage) else "padding", None, reason)
        if isinstance(gap, Damage):
            self._put_damage(gap.reason)
        name = "unread" if isinstance(gap, Damage) else "padding"
        self.out.put(b', "fields": [')
        if gap.end > gap.start:
            self.out.put(b'{"start": %d, "end": %d' % (gap.start, gap.end))
            self._put_description(name, None, "")
            self.out.put(b', "fields": []}')
        self.out.put(b"]}" if inside else b"]}\n")

    # events inside of events ---------------------------------------------------------------------------------------

    def _begin_item(self, start: int, end: int, within: int) -> bool:
        """Begin an event or gap; return whether it stands inside the payload event that is open."""
        inside = self.payload >= 0 and within == self.payload
        out = self.out
        if inside:
            if not self.inner:
                out.put(b'{"name": "content", "derived": true, "value": null, "meaning": "decompressed", "start": 0')
                out.put(b', "fields": [')
            out.put(b", {" if self.inner else b"{")
            self.inner += 1
            self.payload_size = max(self.payload_size, end)
        else:
            self.end_payload()
            out.put(b"{" + self.file)
        out.put(b'"start": %d, "end": %d' % (start, end))
        if (
            self.offset_of is not None
            and not inside
            and (offset := self.offset_of(start if within < 0 else within)) >= 0
        ):
            out.put(b', "offset": %d' % offset)
        if within >= 0 and not inside:
            out.put(b', "within": %d' % within)
        return inside

    def _begin_payload(self, tail: bytes) -> None:
        """Leave the payload event open for its events; `tail` is the text of its remaining fields."""
        self.payload = self.event.start
        self.payload_size = 0
        self.inner = 0
        self.tail = tail

    def end_payload(self) -> None:
        """Close the open payload event, whose decompressed size is known by now."""
        if self.payload >= 0:
            if self.inner:
                self.out.put(b'], "end": %d}' % self.payload_size)
            self.out.put(b"]}")
            self.out.put(self.tail)
            self.out.put(b"]}\n")
        self.payload = -1

    # fields --------------------------------------------------------------------------------------------------------

    def take_notes(self, notes: Notes) -> None:
        """Write the fields in `notes`; called when there are many of them, and at the end of the event."""
        index = 0
        while index < notes.count:
            if self._opens_payload(notes, index):
                self._put_field(notes, index, None)
                self._put_tail(notes, index)
                return
            self._put_field(notes, index, self._value_at(notes, index))
            index += 1
        self.out.breathe()

    def _value_at(self, notes: Notes, index: int) -> object:
        """Return the value of a record, which keeps small numbers beside its place."""
        kind = notes.view[index * RECORD + 2] >> KIND_SHIFT & 0xFF
        return notes.number_at(index) if kind in (SIGNED, UNSIGNED) else notes.values[index]

    def _opens_payload(self, notes: Notes, index: int) -> bool:
        """Whether the record is the payload field that its events are to be written into."""
        event = self.event
        sought = bool(self.options.needles)
        return event.type_code == TRANSACTION_PAYLOAD_EVENT and notes.names[index] == "payload" and not sought

    def _put_tail(self, notes: Notes, index: int) -> None:
        """Keep the text of the fields after the payload until its events are written."""
        out = self.out
        here = out.size
        out.held = True
        self._close_to(0)
        here_closed = out.size
        for rest in range(index + 1, notes.count):
            self._put_field(notes, rest, self._value_at(notes, rest))
        self._close_to(0)
        tail = bytes(out.content()[here_closed:])
        out.size = here
        out.held = False
        self._begin_payload(tail)

    def _put_field(self, notes: Notes, index: int, value: object) -> None:
        """Write a field; it stays open for the fields nested in it."""
        out = self.out
        at = index * RECORD
        start = notes.view[at]
        end = notes.view[at + 1]
        form = notes.view[at + 2]
        name = notes.names[index]
        depth = form & DEPTH_MASK
        self._close_to(depth)
        while self.content_depth and depth <= self.content_depth[-1]:
            self.content_depth.pop()
        shift = 0 if self.content_depth else self.event.start - self.event.at
        out.put(b", {" if self.counts[depth] else b"{")
        self.counts[depth] += 1
        self.counts.append(0)
        kind = form >> KIND_SHIFT & 0xFF
        if kind == CONTENT:
            self.content_depth.append(depth)
            shift = 0
            value = None
        out.put(b'"start": ')
        out.put_int(start + shift)
        out.put(b', "end": ')
        out.put_int(end + shift)
        shown, meaning = self.explained(name, value, start)
        if form >> PREFIX_SHIFT:
            meaning = f"{meaning}, length {end - start - (form >> PREFIX_SHIFT)}"
        self._put_description(name.name if isinstance(name, Column) else str(name), shown, meaning)
        out.put(b', "derived": true, "fields": [' if kind == CONTENT else b', "fields": [')

    def _close_to(self, depth: int) -> None:
        """Close all open fields deeper than `depth`."""
        while len(self.counts) > depth + 1:
            self.out.put(b"]}")
            self.counts.pop()

    def _put_description(self, name: str, value: object, meaning: str) -> None:
        """Write name, value and meaning of an event or field."""
        out = self.out
        out.put(b', "name": ')
        put_json(out, name)
        out.put(b', "value": ')
        put_json(out, value if value is None or type(value) in _PLAIN else plain(value))
        out.put(b', "meaning": ')
        put_json(out, meaning)

    def _put_damage(self, reason: str) -> None:
        """Write what is wrong with an event or field."""
        self.out.put(b', "damage": ')
        put_json(self.out, reason)

    def explained(self, name: object, value: object, start: int) -> tuple[object, str]:
        """Return a field's value and its meaning in words."""
        if isinstance(name, Column):
            meaning = value.meaning if isinstance(value, Explained) else ""
            return value, f"{sql_type(name.info)}, {meaning}" if meaning else sql_type(name.info)
        name = str(name)
        if name == "unread":
            return None, str(value)
        if isinstance(value, Explained):
            return value.value, value.meaning
        if name in _COMPRESSED:
            return None, counted(len(value), "byte") if isinstance(value, bytes | memoryview) else ""
        in_header = start < self.event.body_start and not self.content_depth
        label = self.labels.find(-1 if in_header else self.event.type_code, name)
        words = label.words(value, self.event)
        if isinstance(words, Explained):
            return words.value, words.meaning
        if isinstance(value, bytes) and label.kind == TEXT:
            if len(value) > LONG:
                return long_text(memoryview(value), None) or value, words
            try:
                value = value.decode("utf-8")
            except UnicodeDecodeError:
                return value, words
        return value, words

    def summary(self, event: Event) -> str:
        """Return time, server and size of an event in words."""
        return f"{self.labels.clock.second(event.timestamp)}, server {event.server_id}, {event.length} bytes"
