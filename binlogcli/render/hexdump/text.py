"""The annotated hexdump as text: for each event a heading, then its fields with bytes, names, values and meanings."""

from __future__ import annotations

from typing import Any

from binlogcli.events.event import Event
from binlogcli.events.noted import EventNoter
from binlogcli.log import kernel
from binlogcli.log.context import LogContext
from binlogcli.log.cursor import Cursor
from binlogcli.log.gaps import Damage, Padding
from binlogcli.log.notes import Notes, Told
from binlogcli.log.records import CONTENT, DEPTH_MASK, GROUP, KIND_SHIFT, PREFIX_SHIFT, RECORD, SIGNED, UNSIGNED
from binlogcli.names.event_types import event_type_name
from binlogcli.names.magics import LOG_MAGICS
from binlogcli.render.hexdump.find import find_all
from binlogcli.render.hexdump.label import Label
from binlogcli.render.hexdump.labels import Labels
from binlogcli.render.hexdump.lines import Lines
from binlogcli.render.hexdump.options import HexOptions
from binlogcli.render.hexdump.palette import ALARM, FAINT, HEADING, TEXT, UNKNOWN
from binlogcli.render.hexdump.values import bare, escaped, quoted, value_text
from binlogcli.rows.out import Out

BAR = "─".encode()
BETWEEN = b" " + BAR + b" "
ENCODED_KEPT = 4096
FORMAT_DESCRIPTION_EVENT = 15
MAGIC_SIZE = 4
GROUP_LIMIT = 64  # of a value whose parts follow
TEXT_LIMIT = 1 << 10  # characters of a value when all bytes are wanted


class HexText:
    """Draws events and damage into a buffer."""

    def __init__(self, out: Out, options: HexOptions) -> None:
        self.out = out
        self.options = options
        self.lines = Lines(out, options.width, painted=options.painted, max_bytes=options.max_bytes)
        self.labels = Labels(options.zone)
        self.noter = EventNoter()
        self.noter.notes.reader = self
        self.wanted = options.needles
        self.text_limit = options.max_bytes or TEXT_LIMIT
        self.event = Event()
        self.type_code = 0
        self.header = self.labels.header
        self.columns = self.labels.columns
        self.known = self.labels.types[0]
        self.body_at = 0
        self.shift = 0
        self.content_depth = -1
        self.contents: list[tuple[int, Cursor, int, bool, list[tuple[int, int]]]] = []
        self.second = -1
        self.time = b""
        self.types = [f"{event_type_name(code)} ({code})".encode("ascii") for code in range(256)]
        self.width = self.lines.layout.width
        self.bars = BAR * self.width
        self.encoded: dict[str, bytes] = {}
        self.resumed = False

    # logs and events ---------------------------------------------------------------------------------------------

    def begin_log(self, name: str, head: bytes) -> None:
        """The name of the log, and its first bytes, which belong to no event."""
        lines = self.lines
        self.put_heading([f"log {escaped(name)}"], FAINT)
        if head[:MAGIC_SIZE] in LOG_MAGICS:
            lines.source.load(head[:MAGIC_SIZE])
            self.turn(0, False)
            lines.begin(b"magic", 5, 0, TEXT)
            lines.add_text("binary log" if head[0] == 0xFE else "encrypted binary log")
            lines.put_leaf(0, MAGIC_SIZE)

    def put_event(self, event: Event, context: LogContext, damage: Damage | None = None) -> bool:
        """Draw one event, also one that could not be read to its end; False where it does not hold what was sought."""
        hits: list[tuple[int, int]] = []
        if self.wanted:
            hits = find_all(self.wanted, event.data, event.at, event.at + event.length)
            if not hits and not self.holds(event, context):
                return False
        self.event = event
        self.put_event_heading(event, damage)
        lines = self.lines
        lines.place(event.end)
        lines.source = self.noter.cursor
        if lines.source.data is not event.data:
            lines.source.load(event.data)
        self.turn(event.start - event.at, event.within_at >= 0)
        lines.hits = hits
        if not self.options.fields:
            lines.begin(b"", 0, 0, 0)
            lines.put_leaf(event.at, event.at + event.length)
            return True
        self.type_code = event.type_code
        self.known = self.labels.types[event.type_code]
        self.body_at = event.body_start
        self.contents.clear()
        self.content_depth = -1
        self.noter.note(event, context)
        self.take_notes(self.noter.notes)
        lines.hits = []
        return True

    def holds(self, event: Event, context: LogContext) -> bool:
        """Whether what is sought stands in content that the event holds in compressed form."""
        noter = EventNoter()
        noter.note(event, context)
        for content in [value for value in noter.notes.values if isinstance(value, bytes)]:
            if find_all(self.wanted, content, 0, len(content)):
                return True
        return False

    def turn(self, shift: int, derived: bool) -> None:
        """Offsets count from elsewhere."""
        self.lines.shift = shift
        self.lines.derived = derived

    def put_event_heading(self, event: Event, damage: Damage | None) -> None:
        """Where, what, when, who, how large, and whether the checksum holds."""
        if event.timestamp != self.second:
            self.second = event.timestamp
            self.time = self.labels.clock.second(event.timestamp).encode("ascii")
        if damage is None and self.put_short_heading(event):
            return
        parts = [
            f"at {event.start}" if event.within_at < 0 else f"in {event.within_at} at {event.start}",
            self.types[event.type_code].decode("ascii"),
            self.time.decode("ascii"),
            f"server {event.server_id}",
            f"{event.length} bytes",
        ]
        if event.crc >= 0:
            parts.append(f"crc32 0x{event.crc:08x} {self.verdict(event)}")
        if self.resumed:
            parts.insert(1, "RESYNCHRONISED")
            self.resumed = False
        if damage is not None:
            parts.append(escaped(damage.reason))
        self.put_heading(parts, HEADING if damage is None else ALARM)

    def put_short_heading(self, event: Event) -> bool:
        """The same on one line, where nothing is out of order; False where it takes more."""
        if self.resumed or event.within_at >= 0 or not self.options.verified:
            return False
        cell = self.lines.cell
        cell.size = 0
        cell.put(b" at ")
        cell.put_int(event.start)
        cell.put(BETWEEN)
        cell.put(self.types[event.type_code])
        cell.put(BETWEEN)
        cell.put(self.time)
        cell.put(b" \xe2\x94\x80 server ")
        cell.put_int(event.server_id)
        cell.put(BETWEEN)
        cell.put_int(event.length)
        cell.put(b" bytes ")
        bars = 4
        if event.crc >= 0:
            bars = 5
            cell.put(b"\xe2\x94\x80 crc32 0x")
            cell.put_hex32(event.crc)
            cell.put(b" ok ")
        fill = self.width - 2 - cell.size + 2 * bars
        if fill < 0:
            return False
        out = self.out
        self.lines.paint(HEADING)
        out.put(BAR)
        out.put(BAR)
        self.lines.copy_cell(0, cell.size)
        out.put(self.bars[: 3 * fill])
        self.lines.unpaint()
        out.put(b"\n")
        return True

    def verdict(self, event: Event) -> str:
        """Whether the checksum is that of the event's bytes."""
        if self.options.verified:
            return "ok"
        end = event.at + event.length - 4
        if event.type_code == FORMAT_DESCRIPTION_EVENT:
            raw = bytearray(event.data[event.at : end])
            raw[17] &= 0xFE  # computed as if the file were closed
            computed = kernel.crc32_range(bytes(raw), 0, len(raw))
        else:
            computed = kernel.crc32_range(event.data, event.at, end)
        return "ok" if computed == event.crc else f"WRONG, computed 0x{computed:08x}"

    def put_heading(self, parts: list[str], style: bytes) -> None:
        """A line across the screen; what does not fit stands on lines below."""
        lines = self.lines
        width = lines.layout.width
        lines.paint(style)
        self.out.put(BAR)
        self.out.put(BAR)
        used = 2
        room = width - 4
        for part in [whole[at : at + room] for whole in parts for at in range(0, len(whole), room)]:
            if used > 2 and used + len(part) + 3 > width:
                lines.unpaint()
                self.out.put(b"\n")
                lines.paint(style)
                self.out.put(b"  ")
                used = 2
            elif used > 2:
                self.out.put(BAR)
                used += 1
            self.out.put(b" ")
            self.out.put(part.encode("utf-8", "backslashreplace"))
            self.out.put(b" ")
            used += len(part) + 2
        self.out.put(BAR * max(width - used, 0))
        lines.unpaint()
        self.out.put(b"\n")

    def end_log(self) -> None:
        """No event follows any more."""

    def put_gap(self, gap: Damage | Padding, raw: bytes) -> None:
        """A stretch without events, with as many of its bytes as are at hand."""
        damaged = isinstance(gap, Damage)
        within = gap.within if isinstance(gap, Damage) else None
        place = f"at {gap.start}" if within is None else f"in {within} at {gap.start}"
        reason = escaped(gap.reason) if isinstance(gap, Damage) else "zero bytes after the last event"
        title = "DAMAGE" if damaged else "padding"
        self.put_heading([place, title, f"{gap.end - gap.start} bytes", reason], ALARM if damaged else FAINT)
        lines = self.lines
        lines.source = Cursor(raw)
        lines.hits = find_all(self.wanted, raw, 0, len(raw)) if self.wanted else []
        self.turn(gap.start, within is not None)
        if raw:
            lines.begin(b"unread" if damaged else b"padding", 6 if damaged else 7, 0, UNKNOWN)
            lines.put_leaf(0, len(raw))
        if gap.end - gap.start > len(raw):
            lines.put_left_out(gap.end - gap.start - len(raw))
        self.resumed = damaged and within is None
        lines.hits = []

    # fields ------------------------------------------------------------------------------------------------------

    def take_notes(self, notes: Notes) -> None:
        """Draw the fields noted so far."""
        names = notes.names
        values = notes.values
        index = 0
        while index < notes.count:
            at = index * RECORD
            start = notes.view[at]
            end = notes.view[at + 1]
            form = notes.view[at + 2]
            depth = form & DEPTH_MASK
            kind = form >> KIND_SHIFT & 0xFF
            while self.content_depth >= depth:
                self.leave_content()
            name = names[index]
            label = self.label_of(name, start)
            self.lines.begin(label.text, label.width, depth, 0 if kind in (GROUP, CONTENT) else label.kind)
            if kind in (SIGNED, UNSIGNED):
                self.put_number(label, kind, notes.view[at + 3])
                self.lines.put_leaf(start, end)
            elif kind == CONTENT:
                self.enter_content(depth, values[index])
            else:
                self.lines.prefix = form >> PREFIX_SHIFT
                limit = self.text_limit if kind != GROUP else GROUP_LIMIT
                self.put_object(label, values[index], form >> PREFIX_SHIFT, end - start, limit)
                if kind == GROUP:
                    self.lines.put_group(start)
                elif end > start:
                    self.lines.put_leaf(start, end)
            index += 1

    def enter_content(self, depth: int, content: Any) -> None:
        """The fields that follow stand in decompressed bytes."""
        lines = self.lines
        lines.add_text(f"decompressed, {len(content)} bytes with offsets of their own")
        self.contents.append((self.content_depth, lines.source, lines.shift, lines.derived, lines.hits))
        self.content_depth = depth
        lines.source = Cursor(content)
        lines.hits = find_all(self.wanted, content, 0, len(content)) if self.wanted else []
        self.turn(0, True)
        lines.put_group(0)

    def leave_content(self) -> None:
        """Back to the bytes that hold the compressed ones."""
        lines = self.lines
        self.content_depth, lines.source, lines.shift, lines.derived, lines.hits = self.contents.pop()

    def label_of(self, name: Any, start: int) -> Label:
        """The label of a field; a column's is kept by the column."""
        if isinstance(name, str):
            in_header = start < self.body_at and self.content_depth < 0
            label = (self.header if in_header else self.known).get(name)
            return label if label is not None else self.labels.find(-1 if in_header else self.type_code, name)
        label = self.columns.get(name)
        return label if label is not None else self.labels.find_column(name)

    def put_number(self, label: Label, kind: int, value: int) -> None:
        """A number and its meaning into the cell."""
        cell = self.lines.cell
        if label.hexed:
            cell.put(b"0x%x" % value)
        elif kind == UNSIGNED and value < 0:
            cell.put(b"%d" % (value + (1 << 64)))
        else:
            cell.put_int(value)
        if label.describe is not None:
            words = label.words(value, self.event)
            if self.lines.fits(len(words)) or not label.in_heading:
                self.put_meaning(words)

    def put_object(self, label: Label, value: object, prefix: int, size: int, limit: int) -> None:
        """Any other value and its meaning into the cell."""
        lines = self.lines
        if type(value) is str:
            self.put_str(label, value, limit)
        elif type(value) is int:
            if -(1 << 62) < value < 1 << 62:
                self.put_number(label, SIGNED, value)
            else:
                lines.add_text(str(value))
        elif label.describe is not None:
            told = label.words(value, self.event)
            if isinstance(told, Told):
                self.put_told(told, limit)
            else:
                lines.add_text(value_text(value, limit))
                self.put_meaning(told)
        elif type(value) is Told:
            self.put_told(value, limit)
        elif type(value) is bytes and 0 < len(value) <= 2 * limit and lines.put_clean(value, len(value), limit, True):
            pass
        elif value is not None:
            lines.add_text(value_text(value, limit))
        if prefix > 0:
            self.put_length(size - prefix)

    def put_str(self, label: Label, value: str, limit: int) -> None:
        """Text, in quotes where it is a name or a value that is text."""
        lines = self.lines
        quote = label.kind == TEXT
        if value.isascii():
            raw = value.encode("ascii")
            if lines.put_clean(raw, min(len(raw), limit), limit, quote):
                return
        lines.add_text(quoted(value, limit) if quote else bare(value, limit))

    def put_told(self, told: Told, limit: int) -> None:
        """A value that brings its meaning along."""
        shown = told.shown
        if shown is None:
            shown = told_text(told, limit)
            told.shown = shown
        self.lines.add_text(shown)
        self.put_meaning(told.meaning)

    def put_length(self, size: int) -> None:
        """The length that stands before a value."""
        self.lines.begin_meaning(len("length 00"))
        self.lines.cell.put(b"length ")
        self.lines.cell.put_int(size)

    def put_meaning(self, words: str) -> None:
        """What the value means into the cell; the bytes of words that were used before are used again."""
        if not words:
            return
        raw = self.encoded.get(words)
        if raw is None:
            if len(self.encoded) >= ENCODED_KEPT:
                self.encoded.clear()
            raw = escaped(words).encode("utf-8", "backslashreplace")
            self.encoded[words] = raw
        self.lines.begin_meaning(len(raw))
        if not raw.isascii():
            self.lines.wide = True
        self.lines.cell.put(raw)


def told_text(told: Told, limit: int) -> str:
    """A value that brings its meaning along: numbers and drawings as they are, other strings in quotes."""
    value = told.value
    if isinstance(value, str) and (value[:2] in ("0x", "0b") or not value.strip("-Nd1") or not told.meaning):
        return escaped(value)
    return value_text(value, limit)
