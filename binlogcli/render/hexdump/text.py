"""The annotated hexdump as text: for each event a heading, then its fields with bytes, names, values and meanings."""

from __future__ import annotations

from binlogcli.binary.cursor import Cursor
from binlogcli.binary.explained import Explained
from binlogcli.binary.long_text import LongText
from binlogcli.binary.notes import Notes
from binlogcli.binary.records import CONTENT, DEPTH_MASK, GROUP, KIND_SHIFT, PREFIX_SHIFT, RECORD, SIGNED, UNSIGNED
from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.errors import DEFECTS, counted
from binlogcli.events.again.noted import EventNoter
from binlogcli.events.damage import damage_in
from binlogcli.events.event import Event
from binlogcli.log.context import LogContext
from binlogcli.log.gaps import Damage, Padding
from binlogcli.names.magics import LOG_MAGICS
from binlogcli.render.escape import visible
from binlogcli.render.hexdump.drawing.lines import Lines
from binlogcli.render.hexdump.drawing.palette import FAINT, FILLER, TEXT, UNKNOWN
from binlogcli.render.hexdump.drawing.pen import Pen
from binlogcli.render.hexdump.find import Finder, find_all
from binlogcli.render.hexdump.headings import Headings
from binlogcli.render.hexdump.options import HexOptions, OffsetOf
from binlogcli.render.hexdump.words.label import Label
from binlogcli.render.hexdump.words.label_cache import LabelCache
from binlogcli.render.hexdump.words.values import bare, quoted, value_text

_ENCODED_KEPT = 4096
_MAGIC_SIZE = 4
_GROUP_LIMIT = 72  # characters of a value whose parts follow; enough for the longest DECIMAL
_TEXT_LIMIT = 1 << 10  # characters of a value when all bytes are shown
_UNSIGNED_MASK = 0xFFFFFFFFFFFFFFFF
_POSITION_MASK = 0xFFFFFFFF  # positions in headers have 32 bits


class HexText:
    """Draws the events and gaps of logs into `out`; made by the command `hexdump`."""

    def __init__(self, out: TextBuffer, options: HexOptions) -> None:
        self.out = out
        self.options = options
        pen = Pen(out, painted=options.painted)
        self.lines = Lines(pen, options.width, max_bytes=options.max_bytes)
        self.cell = self.lines.cell
        self.labels = LabelCache(options.zone)
        self.headings = Headings(pen, self.lines.layout.width, self.labels.clock, verified=options.verified)
        self.noter = EventNoter()
        self.noter.notes.reader = self
        self.problem: Damage | None = None
        self.wanted = list(options.needles)
        self.finder = Finder(self.wanted)
        self.text_limit = options.max_bytes or _TEXT_LIMIT
        self.event = Event()
        self.type_code = 0
        self.header = self.labels.header
        self.columns = self.labels.columns
        self.known = self.labels.types[0]
        self.body_at = 0
        self.content_depth = -1
        self.contents: list[tuple[int, Cursor, int, bool, list[tuple[int, int]]]] = []
        self.encoded: dict[str, bytes] = {}

    # logs and events ---------------------------------------------------------------------------------------------

    def begin_log(self, name: str, head: bytes, remark: str = "", offset_of: OffsetOf | None = None) -> None:
        """Write the log's name, `remark` on how its bytes differ from its file's, and the magic number in `head`.

        Of a carved log `offset_of` says where in the file a position is.
        """
        self.headings.offset_of = offset_of
        lines = self.lines
        self.headings.put([f"log {visible(name)}", *filter(None, visible(remark).split("; "))], FAINT)
        if head[:_MAGIC_SIZE] in LOG_MAGICS:
            lines.turn(Cursor(head[:_MAGIC_SIZE]), 0, derived=False, hits=[])
            lines.begin(b"magic", 5, 0, TEXT)
            self.cell.add_text("binary log" if head[0] == 0xFE else "encrypted binary log")
            lines.put_leaf(0, _MAGIC_SIZE)

    def put_event(self, event: Event, context: LogContext, damage: Damage | None = None) -> bool:
        """Draw an event; return False and draw nothing where it holds none of the needles.

        `problem` is then what could not be read of the event, None if all could.
        """
        self.problem = None
        begun, drained = self.out.size, self.out.drained
        try:
            return self._draw_event(event, context, damage)
        except DEFECTS as error:
            if self.out.drained == drained:
                self.out.size = begun
            self.problem = damage_in(event, error)
            self.put_gap(self.problem, event.raw)
            return True

    def _draw_event(self, event: Event, context: LogContext, damage: Damage | None) -> bool:
        """Draw heading and fields; return False and draw nothing where it holds none of the needles."""
        hits = self.finder.hits(event, context) if self.wanted else []
        if hits is None:
            return False
        self.event = event
        self.headings.put_event(event, damage)
        lines = self.lines
        lines.place(event.end)
        source = self.noter.cursor
        if source.data is not event.data:
            source.load(event.data)
        side = lines.side
        side.source = source
        side.shift = event.start - event.at
        side.derived = event.within_at >= 0
        side.hits = hits
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
        self.problem = self.noter.damage
        self.take_notes(self.noter.notes)
        side.hits = []
        return True

    def end_log(self) -> None:
        """Write nothing at the end of a log."""

    def put_gap(self, gap: Damage | Padding, raw: bytes) -> None:
        """Draw a gap, of which `raw` are the first bytes."""
        self.headings.put_gap(gap, raw)
        damaged = isinstance(gap, Damage)
        within = gap.within if isinstance(gap, Damage) else None
        lines = self.lines
        lines.place(gap.end)
        hits = find_all(self.wanted, raw, 0, len(raw)) if self.wanted else []
        lines.turn(Cursor(raw), gap.start, derived=within is not None, hits=hits)
        if raw:
            lines.begin(b"unread" if damaged else b"padding", 6 if damaged else 7, 0, UNKNOWN)
            lines.put_leaf(0, len(raw))
        if gap.end - gap.start > len(raw):
            lines.put_left_out(gap.end - gap.start - len(raw))
        lines.side.hits = []

    # fields ------------------------------------------------------------------------------------------------------

    def take_notes(self, notes: Notes) -> None:
        """Draw the fields in `notes`; called when there are many of them, and at the end of the event."""
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
            label = self._label_of(name, start)
            self.lines.begin(label.text, label.width, depth, 0 if kind in (GROUP, CONTENT) else label.kind)
            if kind in (SIGNED, UNSIGNED):
                self.put_number(label, kind, notes.view[at + 3], end - start)
                self.lines.put_leaf(start, end)
            elif kind == CONTENT:
                self.enter_content(depth, values[index])  # type: ignore[arg-type] # decompressed bytes
            else:
                prefix = form >> PREFIX_SHIFT
                self.lines.side.prefix = prefix
                limit = self.text_limit if kind != GROUP else _GROUP_LIMIT
                self.put_object(label, values[index], prefix, end - start, limit)
                if kind == GROUP:
                    self.lines.put_group(start)
                elif end > start:
                    self.lines.put_leaf(start, end)
            index += 1
        self.out.breathe()

    def enter_content(self, depth: int, content: bytes) -> None:
        """Draw the fields that follow from decompressed bytes."""
        side = self.lines.side
        self.cell.add_text(f"decompressed, {counted(len(content), 'byte')} with offsets of their own")
        self.contents.append((self.content_depth, side.source, side.shift, side.derived, side.hits))
        self.content_depth = depth
        hits = find_all(self.wanted, content, 0, len(content)) if self.wanted else []
        self.lines.turn(Cursor(content), 0, derived=True, hits=hits)
        self.lines.put_group(0)

    def leave_content(self) -> None:
        """Draw from the bytes again that were left for decompressed ones."""
        side = self.lines.side
        self.content_depth, side.source, side.shift, side.derived, side.hits = self.contents.pop()

    def _label_of(self, name: object, start: int) -> Label:
        """Return the label of a field (`name` is text) or of a column's value (`name` is the column)."""
        if isinstance(name, str):
            in_header = start < self.body_at and self.content_depth < 0
            label = (self.header if in_header else self.known).get(name)
            return label if label is not None else self.labels.find(-1 if in_header else self.type_code, name)
        label = self.columns.get(name)
        return label if label is not None else self.labels.find_column(name)  # type: ignore[arg-type] # a Column

    def put_number(self, label: Label, kind: int, value: int, size: int) -> None:
        """Put a number of `size` bytes and its meaning into the cell."""
        text = self.cell.text
        if label.hexed:
            self.cell.put_hex(value & _UNSIGNED_MASK, size)
        elif kind == UNSIGNED and value < 0:
            text.put(b"%d" % (value + (1 << 64)))
        else:
            text.put_int(value)
        if label.describe is None or (label.is_end and value == self.event.end & _POSITION_MASK):
            return
        words = label.words(value, self.event)
        if self.cell.fits(len(words)) or not label.in_heading:
            self._put_meaning(words)

    def put_object(self, label: Label, value: object, prefix: int, size: int, limit: int) -> None:
        """Put any other value and its meaning into the cell; `prefix` bytes of length stand before it."""
        cell = self.cell
        if type(value) is str or type(value) is LongText:
            self._put_str(label, value, limit)
        elif type(value) is int:
            if -(1 << 62) < value < 1 << 62:
                self.put_number(label, SIGNED, value, size)
            else:
                cell.add_text(str(value))
        elif type(value) is Explained:
            self._put_explained(value, limit)
        elif label.describe is not None:
            explained = label.words(value, self.event)
            if isinstance(explained, Explained):
                self._put_explained(explained, limit)
            else:
                cell.add_text(value_text(value, limit))
                self._put_meaning(explained)
        elif label.kind == FILLER:
            cell.add_text(counted(size, "byte"))
        elif type(value) is bytes and 0 < len(value) <= 2 * limit and cell.put_clean(value, len(value), limit, True):
            pass
        elif value is not None:
            cell.add_text(value_text(value, limit))
        if prefix > 0:
            self._put_length(value, size - prefix)

    def _put_str(self, label: Label, value: str | LongText, limit: int) -> None:
        """Put text into the cell, in quotes if it is a name or a text value."""
        length = value.length if isinstance(value, LongText) else len(value)
        value = value.head(limit) if isinstance(value, LongText) else value
        quote = label.kind == TEXT
        if value.isascii() and self.cell.put_clean(value[:limit].encode("ascii"), length, limit, quote):
            return
        self.cell.add_text(quoted(value, limit, length) if quote else bare(value, limit))

    def _put_explained(self, explained: Explained, limit: int) -> None:
        """Put a value with a meaning of its own into the cell."""
        shown = explained.shown
        if shown is None:
            shown = "null" if explained.value is None else value_text(explained.value, limit)
            explained.shown = shown
        self._put_words(shown)
        self._put_meaning(explained.meaning)

    def _put_length(self, value: object, size: int) -> None:
        """Put the stored length of a value into the cell; fixed-width bytes are stored without trailing zeros."""
        cell = self.cell
        if type(value) is bytes and len(value) > size:
            self._put_meaning(f"length {size}, the zeros after it are not stored")
            return
        cell.begin_meaning(len("length 00"))
        cell.text.put(b"length ")
        cell.text.put_int(size)

    def _put_meaning(self, words: str) -> None:
        """Put the meaning into the cell."""
        if words:
            self.cell.begin_meaning(len(words))
            self._put_words(words)

    def _put_words(self, words: str) -> None:
        """Put words into the cell; their escaped bytes are kept for the next time."""
        raw = self.encoded.get(words)
        if raw is None:
            if len(self.encoded) >= _ENCODED_KEPT:
                self.encoded.clear()
            raw = visible(words).encode("utf-8", "backslashreplace")
            self.encoded[words] = raw
        if len(raw) > len(words) and not raw.isascii():
            self.cell.wide = True
        self.cell.text.put(raw)
