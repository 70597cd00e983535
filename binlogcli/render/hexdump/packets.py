"""Packets in the annotated hexdump: the frame of an event on its way, and whole packets that bring no event.

Offsets count the bytes that one side of the connection has sent. The event's own bytes follow as those of a log do.
"""

from __future__ import annotations

from typing import NamedTuple

from binlogcli.binary.cursor import Cursor
from binlogcli.binary.json_writer import put_json
from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.errors import counted
from binlogcli.render.dialogue import moment
from binlogcli.render.escape import controls
from binlogcli.render.hexdump.drawing.palette import HEADING, NUMBER, TEXT, UNKNOWN
from binlogcli.render.hexdump.text import HexText
from binlogcli.render.hexdump.words.packet_fields import explained
from binlogcli.render.hexdump.words.values import plain, value_text
from binlogcli.sources.protocol.messages import SECRETS, Message, Place, SentEvent
from binlogcli.sources.protocol.packets import LARGEST_CHUNK, SEMI_SYNC

_LENGTH_SIZE, _HEADER = 3, 4
_STATUS_MEANING = "event follows"
_SEMI_SYNC_MEANINGS = {0: "no acknowledgement requested", 1: "acknowledgement requested"}


class Part(NamedTuple):
    """A field of a packet, from `start` to `end`; `value` is None where its bytes are not explained here."""

    name: str
    start: int
    end: int
    value: object
    meaning: str = ""
    shown: str = ""


def _parts_of_event(sent: SentEvent) -> tuple[list[Part], bytes]:
    """Return the fields of the packets that bring an event, and their bytes up to the event."""
    marks = b"" if sent.semi_sync_flags is None else bytes([SEMI_SYNC, sent.semi_sync_flags])
    left = 1 + len(marks) + len(sent.event)
    at, sequence = sent.place.start, sent.sequence
    parts, head = [], b""
    while True:
        chunk = min(left, LARGEST_CHUNK)
        parts += _header_parts(at, chunk, sequence)
        at += _HEADER
        if not head:
            head = chunk.to_bytes(_LENGTH_SIZE, "little") + bytes([sequence]) + b"\0" + marks
            parts.append(Part("status", at, at + 1, 0, _STATUS_MEANING))
            if marks:
                parts.append(Part("semi_sync_indicator", at + 1, at + 2, SEMI_SYNC))
                wanted = _SEMI_SYNC_MEANINGS.get(marks[1], "")
                parts.append(Part("semi_sync_flags", at + 2, at + 3, marks[1], wanted))
            begun = 1 + len(marks)
        else:
            begun = 0
        if chunk > begun:
            parts.append(Part("event", at + begun, at + chunk, None, "explained below, at its position in the log"))
        at += chunk
        left -= chunk
        sequence = sequence + 1 & 0xFF
        if chunk < LARGEST_CHUNK:
            return parts, head


def _parts_of_message(message: Message) -> tuple[list[Part], bytes]:
    """Return the fields of a packet without an event, and its bytes; a split message counts as one packet."""
    size = len(message.payload)
    parts = _header_parts(message.place.start, size, message.sequence)
    start = message.place.start + _HEADER
    read = 0
    for noted in message.fields:
        at, end = start + noted.start, start + noted.end
        if noted.name in SECRETS and end > at:
            parts.append(Part(noted.name, at, end, None, "secret, not shown"))
        else:
            said = explained(message.name, noted.name, noted.value, end - at, message.family)
            parts.append(Part(noted.name, at, end, said.value, said.meaning, said.shown or ""))
        read = noted.end
    if read < size:
        name = "unread" if message.fields else "content"
        parts.append(Part(name, start + read, start + size, None, "" if message.fields else "not shown"))
    head = min(size, LARGEST_CHUNK).to_bytes(_LENGTH_SIZE, "little") + bytes([message.sequence])
    return parts, head + message.payload


def _header_parts(at: int, size: int, sequence: int) -> list[Part]:
    """Return the fields of a packet's header."""
    length = Part("length", at, at + _LENGTH_SIZE, min(size, LARGEST_CHUNK))
    return [length, Part("sequence", at + _LENGTH_SIZE, at + _HEADER, sequence)]


class PacketJson:
    """Writes packets as JSON, one per line, among the events."""

    def __init__(self, out: TextBuffer, file: str) -> None:
        self.out = out
        self.file = file

    def message(self, message: Message) -> None:
        """Write a packet without an event."""
        self.put(message.name, message.place, _parts_of_message(message)[0])

    def sent(self, event: SentEvent) -> None:
        """Write a packet whose event comes next."""
        self.put("packet", event.place, _parts_of_event(event)[0])

    def put(self, name: str, place: Place, parts: list[Part]) -> None:
        """Write the line of a packet."""
        fields = []
        for part in parts:
            said = _described(part.name, plain(part.value), part.meaning)
            fields.append({"start": part.start, "end": part.end, **said, "fields": []})
        meaning = f"packet {place.number}, {place.source} > {place.target}, {moment(place.time, None)}"
        line = {"file": self.file, "start": place.start, "end": parts[-1].end, **_described(name, None, meaning)}
        put_json(self.out, {**line, "fields": fields})
        self.out.put(b"\n")


def _described(name: str, value: object, meaning: str) -> dict[str, object]:
    """Return name, value and meaning of a line or field as JSON members."""
    return {"name": name, "value": value, "meaning": meaning}


class PacketText:
    """Writes packets as text: a heading, and lines for each field."""

    def __init__(self, drawer: HexText) -> None:
        self.drawer = drawer

    def message(self, message: Message) -> None:
        """Write a packet without an event."""
        parts, data = _parts_of_message(message)
        self._put_heading(message.name, message.place, len(data))
        self._put_parts(parts, data, message.place.start)

    def sent(self, event: SentEvent) -> None:
        """Write the frame of a packet whose event comes next."""
        parts, head = _parts_of_event(event)
        self._put_heading("event packet", event.place, event.place.end - event.place.start)
        self._put_parts([part for part in parts if part.end <= event.place.start + len(head)], head, event.place.start)

    def _put_heading(self, name: str, place: Place, size: int) -> None:
        """Write the heading: number, name, sides, time and size of a packet."""
        sides = f"{place.source} > {place.target}"
        self.drawer.headings.put(
            [f"packet {place.number}", name, sides, moment(place.time, None), counted(size, "byte")], HEADING
        )

    def _put_parts(self, parts: list[Part], data: bytes, base: int) -> None:
        """Write the fields; `data` begins at offset `base`."""
        lines = self.drawer.lines
        cell = lines.cell
        lines.turn(Cursor(data), base, derived=False, hits=[])
        limit = self.drawer.options.max_bytes or len(data)
        for part in parts:
            name = part.name.encode()
            kind = UNKNOWN if part.value is None else NUMBER if isinstance(part.value, int) else TEXT
            lines.begin(name, len(name), 0, kind)
            if part.value is not None:
                cell.add_text(part.shown or value_text(part.value, limit).translate(controls()))
            if part.meaning:
                cell.begin_meaning(len(part.meaning))
                cell.add_text(part.meaning)
            if part.end > part.start:
                lines.put_leaf(part.start - base, part.end - base)
