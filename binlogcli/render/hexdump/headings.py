"""The lines across the screen above events, gaps and logs: place, type, time, server, size and checksum."""

from __future__ import annotations

from binlogcli.binary import kernel
from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.errors import counted
from binlogcli.events.event import Event
from binlogcli.log.gaps import Damage, Padding
from binlogcli.names.event_types import FORMAT_DESCRIPTION_EVENT, event_type_name
from binlogcli.render.escape import visible
from binlogcli.render.hexdump.drawing.palette import ALARM, FAINT, HEADING
from binlogcli.render.hexdump.drawing.pen import Pen
from binlogcli.render.hexdump.options import OffsetOf
from binlogcli.render.hexdump.words.clock import HexClock

_BAR = "─".encode()
_BETWEEN = b" " + _BAR + b" "
_HEADER_SIZE, _TYPE_AT, _LENGTH_AT = 19, 4, 9  # an event's header: its size, offsets of type code and length
_NO_TIME = b"no time"  # timestamp 0: events that a server makes for a replica


class Headings:
    """Writes headings; `verified`: checksums were tested by the reader, so that an event with a wrong one is damage."""

    def __init__(self, pen: Pen, width: int, clock: HexClock, *, verified: bool) -> None:
        self.pen = pen
        self.width = width
        self.clock = clock
        self.verified = verified
        self.bars = _BAR * width
        self.line = TextBuffer()
        self.types = [f"{event_type_name(code)} ({code})".encode("ascii") for code in range(256)]
        self.second = 0
        self.time = _NO_TIME
        self.resumed = False
        self.offset_of: OffsetOf | None = None

    def put_event(self, event: Event, damage: Damage | None) -> None:
        """Write the heading of an event, also of one that could not be read to its end."""
        if event.timestamp != self.second:
            self.second = event.timestamp
            self.time = self.clock.second(event.timestamp).encode("ascii") if event.timestamp else _NO_TIME
        if damage is None and self._put_short(event):
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
        if self.offset_of is not None and event.within_at < 0:
            parts.insert(1, f"offset {self.offset_of(event.start)}")
        if self.resumed:
            parts.insert(1, "RESYNCHRONISED")
            self.resumed = False
        if damage is not None:
            parts.insert(1, "DAMAGE")
            parts.append(visible(damage.reason))
        self.put(parts, HEADING if damage is None else ALARM)

    def _put_short(self, event: Event) -> bool:
        """Write the heading on one line; return False and write nothing where it needs more, or is not plain."""
        if self.resumed or event.within_at >= 0 or not self.verified or self.offset_of is not None:
            return False
        line = self.line
        line.size = 0
        line.put(b" at ")
        line.put_int(event.start)
        line.put(_BETWEEN)
        line.put(self.types[event.type_code])
        line.put(_BETWEEN)
        line.put(self.time)
        line.put(b" \xe2\x94\x80 server ")
        line.put_int(event.server_id)
        line.put(_BETWEEN)
        line.put_int(event.length)
        line.put(b" bytes ")
        bars = 4
        if event.crc >= 0:
            bars = 5
            line.put(b"\xe2\x94\x80 crc32 0x")
            line.put_hex32(event.crc)
            line.put(b" ok ")
        fill = self.width - 2 - line.size + 2 * bars
        if fill < 0:
            return False
        out = self.pen.out
        self.pen.paint(HEADING)
        out.put(_BAR)
        out.put(_BAR)
        self.pen.copy(line, 0, line.size)
        out.put(self.bars[: 3 * fill])
        self.pen.unpaint()
        out.put(b"\n")
        return True

    def verdict(self, event: Event) -> str:
        """Return whether the checksum is right, in words."""
        if self.verified:
            return "ok"
        end = event.at + event.length - 4
        if event.type_code == FORMAT_DESCRIPTION_EVENT:
            raw = bytearray(event.data[event.at : end])
            raw[17] &= 0xFE  # computed as if the file were closed
            computed = kernel.crc32_range(bytes(raw), 0, len(raw))
        else:
            computed = kernel.crc32_range(event.data, event.at, end)
        return "ok" if computed == event.crc else f"WRONG, computed 0x{computed:08x}"

    def put_gap(self, gap: Damage | Padding, raw: bytes) -> None:
        """Write the heading of a gap, of which `raw` are the first bytes; the next event resumes after damage."""
        size = gap.end - gap.start
        if isinstance(gap, Damage):
            place = f"at {gap.start}" if gap.within is None else f"in {gap.within} at {gap.start}"
            self.put([place, "DAMAGE", counted(size, "byte"), *self._likeness(raw, size), visible(gap.reason)], ALARM)
            self.resumed = gap.within is None
            return
        self.put([f"at {gap.start}", "padding", counted(size, "byte"), "zero bytes after the last event"], FAINT)
        self.resumed = False

    def _likeness(self, raw: bytes, size: int) -> list[str]:
        """Return the event type that a damaged stretch of exactly one event's length began as, if any, in words."""
        if len(raw) < _HEADER_SIZE or int.from_bytes(raw[_LENGTH_AT : _LENGTH_AT + 4], "little") != size:
            return []
        return [f"it started as a {self.types[raw[_TYPE_AT]].decode('ascii')}"]

    def put(self, parts: list[str], style: bytes) -> None:
        """Write parts in a line across the screen, on more lines where they do not fit."""
        pen = self.pen
        out = pen.out
        pen.paint(style)
        out.put(_BAR)
        out.put(_BAR)
        used = 2
        room = self.width - 4
        for part in [whole[at : at + room] for whole in parts for at in range(0, len(whole), room)]:
            if used > 2 and used + len(part) + 3 > self.width:
                pen.unpaint()
                out.put(b"\n")
                pen.paint(style)
                out.put(b"  ")
                used = 2
            elif used > 2:
                out.put(_BAR)
                used += 1
            out.put(b" ")
            out.put(part.encode("utf-8", "backslashreplace"))
            out.put(b" ")
            used += len(part) + 2
        out.put(_BAR * max(self.width - used, 0))
        pen.unpaint()
        out.put(b"\n")
