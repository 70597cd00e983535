"""Damaged copies of a log, each made from its number alone, so that any of them can be made again.

What is damaged: bits, bytes, stretches cut out, doubled or taken from elsewhere, the tail, the fields of event headers,
and the fields of event bodies as our own decoder names them. Where a checksum covers the place it is mended most of the
time, for otherwise no decoder would ever see the damage. Half of the copies are sound but for events that lie (`lies`).
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Callable
from pathlib import Path
from tempfile import NamedTemporaryFile

from binlogcli.errors import SourceError
from binlogcli.events.again.noted import EventNoter
from binlogcli.events.event import Event
from binlogcli.events.log import Log
from binlogcli.events.mysql import TransactionPayload
from fuzz.lies import Leaf, Story, tell_lies

LARGEST = (
    256 << 10
)  # longer logs are cut down to their first part: a thousand small copies find more than ten large ones
HEADER = 19
EXTREMES = (b"\0", b"\xff", b"\x7f", b"\x80", b"\x01", b"\xfb", b"\xfc", b"\xfd", b"\xfe")


class Specimen:
    """A sound log, and where its events and their fields stand."""

    def __init__(self, path: Path) -> None:
        self.name = f"{path.parent.parent.name}/{path.parent.name}/{path.name}"
        self.data = opened(path)[:LARGEST]
        self.events: list[tuple[int, int]] = []
        self.fields: list[list[tuple[int, int]]] = []
        self.leaves: list[list[Leaf]] = []  # the same, with their names, in offsets of the event
        self.checked: list[bool] = []  # whether the event has a checksum
        self.kinds: dict[int, list[int]] = {}  # the events of each type
        self.has_checksums = False
        try:
            self._learn()
        except SourceError:
            self.events = []  # encrypted from its first byte on: bytes are all there is to damage

    def _learn(self) -> None:
        noter = EventNoter()
        with NamedTemporaryFile() as file:
            Path(file.name).write_bytes(self.data)
            self._read(file.name, noter)

    def _read(self, path: str, noter: EventNoter) -> None:
        with Log(path) as log:
            for item in log:
                if isinstance(item, Event) and item.within is None and item.end <= len(self.data):
                    self.events.append((item.start, item.end))
                    noter.note(item, log.stream.context)
                    shift = item.start - item.at
                    leaves = [leaf for field in noter.notes.tree() for leaf in field.leaves() if leaf.end > leaf.start]
                    self.fields.append([(leaf.start + shift, leaf.end + shift) for leaf in leaves])
                    named = [(getattr(leaf.name, "name", None) or str(leaf.name), leaf) for leaf in leaves]
                    self.leaves.append([Leaf(name, leaf.start - item.at, leaf.end - item.at) for name, leaf in named])
                    self.checked.append(item.crc32 is not None)
                    self.kinds.setdefault(item.type_code, []).append(len(self.events) - 1)
                    self.has_checksums = self.has_checksums or item.crc32 is not None

    def mutant(self, number: int) -> bytes:
        """The damaged copy of this number: with events that lie, or with an injury, sometimes several."""
        chance = random.Random(f"{self.name} {number}")
        if self.events and chance.random() < 0.5:
            return self.liar(chance)
        data = bytearray(self.data)
        injuries = BODILY if not self.events else INJURIES
        for _ in range(chance.choice((1, 1, 1, 2, 5))):
            chance.choice(injuries)(self, chance, data)
        return bytes(data)

    def liar(self, chance: random.Random) -> bytes:
        """A copy in which some events lie; the positions and checksums of all are right."""
        chosen = {
            chance.choice(self.kinds[chance.choice(list(self.kinds))]) for _ in range(chance.choice((1, 1, 2, 4)))
        }
        out = bytearray()
        at = 0
        for number, (start, end) in enumerate(self.events):
            out += self.data[at:start]
            at = end
            raw = self.data[start:end]
            if number in chosen or len(out) != start:
                story = Story(raw, self.leaves[number], checksum=self.checked[number])
                if number in chosen:
                    tell_lies(story, chance)
                raw = story.told(len(out), checksum=self.checked[number])
            out += raw
        return bytes(out + self.data[at:])

    def mend(self, data: bytearray, start: int, end: int) -> None:
        """Make the checksum of the event at [start, end) right again."""
        if self.has_checksums and end - start >= HEADER + 4 and end <= len(data):
            data[end - 4 : end] = zlib.crc32(data[start : end - 4]).to_bytes(4, "little")


def opened(path: Path) -> bytes:
    """The log with the content of its TRANSACTION_PAYLOAD events not compressed, so that it can be damaged too."""
    data = path.read_bytes()
    if b"\x28\xb5\x2f\xfd" not in data:  # the first bytes of what zstd compressed
        return data
    with Log(str(path)) as log:
        events = [item for item in log if isinstance(item, Event)]
    out = bytearray(data[:4])
    for event in events:
        if event.within is not None:
            continue
        raw = bytearray(event.raw)
        if isinstance(event, TransactionPayload):
            content = b"".join(inner.raw for inner in events if inner.within == event.start)
            sizes = b"\xfd" + len(content).to_bytes(3, "little")
            fields = b"\x02\x03\xfc\xff\x00" + b"\x03\x04" + sizes + b"\x01\x04" + sizes + b"\x00"
            raw[HEADER:] = fields + content + bytes(0 if event.crc32 is None else 4)
        raw[9:13] = len(raw).to_bytes(4, "little")
        raw[13:17] = (len(out) + len(raw)).to_bytes(4, "little")
        if event.crc32 is not None:
            raw[-4:] = zlib.crc32(raw[:-4]).to_bytes(4, "little")
        out += raw
    return bytes(out)


def place(chance: random.Random, data: bytearray) -> tuple[int, int]:
    """A stretch, short more often than long."""
    start = chance.randrange(len(data) + 1)
    return start, min(len(data), start + int(2 ** chance.uniform(0, 13)))


def flip(_specimen: Specimen, chance: random.Random, data: bytearray) -> None:
    for _ in range(chance.choice((1, 1, 2, 20))):
        if data:
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)


def overwrite(_specimen: Specimen, chance: random.Random, data: bytearray) -> None:
    start, end = place(chance, data)
    data[start:end] = (
        chance.randbytes(end - start) if chance.random() < 0.5 else chance.choice(EXTREMES) * (end - start)
    )


def cut(_specimen: Specimen, chance: random.Random, data: bytearray) -> None:
    start, end = place(chance, data)
    del data[start : end if chance.random() < 0.5 else len(data)]


def splice(specimen: Specimen, chance: random.Random, data: bytearray) -> None:
    start, end = place(chance, bytearray(specimen.data))
    at = chance.randrange(len(data) + 1)
    data[at:at] = specimen.data[start:end]


def repeat_event(specimen: Specimen, chance: random.Random, data: bytearray) -> None:
    start, end = chance.choice(specimen.events)
    at, _ = chance.choice(specimen.events)
    data[at:at] = specimen.data[start:end]


def drop_event(specimen: Specimen, chance: random.Random, data: bytearray) -> None:
    start, end = chance.choice(specimen.events)
    del data[start:end]


def change_length(specimen: Specimen, chance: random.Random, data: bytearray) -> None:
    """The event's length: none, too short, a little off, past the end, beyond 2 and 4 GB."""
    start, end = chance.choice(specimen.events)
    size = end - start
    length = chance.choice((0, 1, 18, 19, 20, size - 1, size + 1, size - 4, size + 4, len(data), 1 << 31, 0xFFFFFFFF))
    data[start + 9 : start + 13] = (length & 0xFFFFFFFF).to_bytes(4, "little")
    if chance.random() < 0.5:
        specimen.mend(data, start, end)


def change_header(specimen: Specimen, chance: random.Random, data: bytearray) -> None:
    """One of the header's other fields: time, type, server, position, flags."""
    start, end = chance.choice(specimen.events)
    at, size = chance.choice(((0, 4), (4, 1), (4, 1), (4, 1), (5, 4), (13, 4), (17, 2)))
    data[start + at : start + at + size] = chance.randbytes(size)
    if chance.random() < 0.75:
        specimen.mend(data, start, end)


def change_field(specimen: Specimen, chance: random.Random, data: bytearray) -> None:
    """A field of the body: an extreme, a neighbour of what it was, or anything; the checksum is right again."""
    which = chance.randrange(len(specimen.events))
    if not specimen.fields[which]:
        return
    start, end = chance.choice(specimen.fields[which])
    kind = chance.randrange(3)
    if kind == 0:
        data[start:end] = chance.choice(EXTREMES) * (end - start)
    elif kind == 1 and end - start <= 8:
        value = int.from_bytes(data[start:end], "little") + chance.choice((-1, 1))
        data[start:end] = (value % (1 << 8 * (end - start))).to_bytes(end - start, "little")
    else:
        data[start:end] = chance.randbytes(end - start)
    specimen.mend(data, *specimen.events[which])


def shorten_body(specimen: Specimen, chance: random.Random, data: bytearray) -> None:
    """An event that ends early in its body, with a length and a checksum that say so."""
    start, end = chance.choice(specimen.events)
    trailer = 4 if specimen.has_checksums else 0
    if end > len(data) or end - start <= HEADER + trailer:
        return
    keep = chance.randrange(HEADER, end - start - trailer)
    event = bytearray(data[start : start + keep]) + bytes(trailer)
    event[9:13] = len(event).to_bytes(4, "little")
    specimen.mend(event, 0, len(event))
    data[start:end] = event


Injury = Callable[[Specimen, random.Random, bytearray], None]
BODILY: tuple[Injury, ...] = (flip, overwrite, cut, splice)
INJURIES: tuple[Injury, ...] = (
    *BODILY,
    repeat_event,
    drop_event,
    change_length,
    change_header,
    shorten_body,
    shorten_body,
    change_field,
    change_field,
    change_field,
    change_field,
)
