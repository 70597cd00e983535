"""Reads damaged copies of one network capture in every way there is; a process of its own, as `worker` is.

capture_worker.py FIRST COUNT CAPTURE...     ends with 0 when all is well; otherwise the last line of stdout is the copy
"""

from __future__ import annotations

import io
import json
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.events.log import Log
from binlogcli.events.stream import ReadOptions
from binlogcli.log.gaps import Damage, Padding
from binlogcli.render.dialogue import JsonDialogue, TextDialogue
from binlogcli.render.hexdump.options import HexOptions
from binlogcli.render.hexdump.packets import PacketJson, PacketText
from binlogcli.render.hexdump.text import HexText
from binlogcli.render.ndjson.events import JsonLines
from binlogcli.sources.capture.logs import CapturedLogs
from binlogcli.sources.opening import open_source
from fuzz.copies import Way, work

PCAP_HEAD, RECORD_HEAD = 24, 16


def frames_of(data: bytes) -> Iterator[bytes]:
    """The records of a pcap file of this machine's byte order."""
    at = PCAP_HEAD
    while at < len(data):
        end = at + RECORD_HEAD + int.from_bytes(data[at + 8 : at + 12], "little")
        yield data[at:end]
        at = end


def mutant(data: bytes, name: str, number: int) -> bytes:
    """The damaged copy of this number: bytes of the file, or frames as wholes."""
    chance = random.Random(f"{name} {number}")
    if data[:4] == b"\xd4\xc3\xb2\xa1" and chance.random() < 0.6:
        return data[:PCAP_HEAD] + b"".join(damaged_frames(list(frames_of(data)), chance))
    copy = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 10))):
        start = chance.randrange(len(copy) + 1)
        end = min(len(copy), start + int(2 ** chance.uniform(0, 10)))
        kind = chance.randrange(5)
        if kind == 0:
            copy[start:end] = chance.randbytes(end - start)
        elif kind == 1:
            del copy[start : end if chance.random() < 0.7 else len(copy)]
        elif kind == 2:
            copy[start:start] = data[end : end + end - start]
        elif copy:
            copy[min(start, len(copy) - 1)] ^= 1 << chance.randrange(8)
    return bytes(copy)


def damaged_frames(frames: list[bytes], chance: random.Random) -> list[bytes]:
    """Frames lost, doubled, out of order, and with other bytes in their content."""
    for _ in range(chance.choice((1, 1, 3, 30))):
        at = chance.randrange(len(frames))
        kind = chance.randrange(6)
        if kind == 0 and len(frames) > 10:
            del frames[at : at + chance.choice((1, 1, 5))]
        elif kind == 1:
            frames.insert(chance.randrange(len(frames) + 1), frames[at])
        elif kind == 2:
            end = min(len(frames), at + chance.choice((2, 5, 50)))
            frames[at:end] = frames[at:end][::-1]
        else:
            frames[at] = with_other_bytes(frames[at], chance)
    return frames


def with_other_bytes(frame: bytes, chance: random.Random) -> bytes:
    """A record whose frame is damaged, and its head not."""
    changed = bytearray(frame)
    for _ in range(chance.choice((1, 1, 4))):
        at = chance.randrange(RECORD_HEAD, len(changed))
        changed[at] = chance.choice((0, 255, changed[at] ^ 1 << chance.randrange(8), chance.randrange(256)))
    return bytes(changed)


def logs_of(path: str, options: ReadOptions) -> Iterator[Log]:
    with open_source(path) as source:
        captured = CapturedLogs(source, options.max_event_size)
        for found in captured:
            with Log(found.name, options, None, found) as log:
                yield log
        for problem in captured.problems():
            problem.line()


def read_objects(path: str, options: ReadOptions) -> None:
    """All events as objects with all their fields."""
    for log in logs_of(path, options):
        for item in log:
            if not isinstance(item, (Damage, Padding)):
                item.as_dict()
            if item.start > item.end:
                raise AssertionError(f"{item!r} ends before it starts")


def render_json(path: str, options: ReadOptions) -> None:
    """JSON: every line an object."""
    written = io.BytesIO()
    out = TextBuffer()
    for log in logs_of(path, options):
        log.source.listener = JsonDialogue(out, "a.pcap")  # type: ignore[attr-defined]
        JsonLines(out).run(log, written.write, lambda damage: None)
    for line in written.getvalue().decode("utf-8").split("\n")[:-1]:
        json.loads(line)


def listen(path: str, options: ReadOptions, out: TextBuffer, make: Callable[[TextBuffer], object]) -> None:
    """Read all, with somebody who listens."""
    for log in logs_of(path, options):
        log.source.listener = make(out)  # type: ignore[attr-defined]
        for _ in log:
            pass


def render_packets(path: str, options: ReadOptions) -> None:
    """The bytes of packets as text, as comments, and as JSON, whose fields tile them."""
    listen(path, options, TextBuffer(), lambda out: PacketText(HexText(out, HexOptions())))
    listen(path, options, TextBuffer(), TextDialogue)
    written = TextBuffer()
    listen(path, options, written, lambda out: PacketJson(out, "a.pcap"))
    for line in bytes(written.content()).decode().split("\n")[:-1]:
        packet = json.loads(line)
        place = packet["start"]
        for field in packet["fields"]:
            if field["start"] != place:
                raise AssertionError(f"{packet['name']}: {field['name']} begins at {field['start']}, not at {place}")
            place = field["end"]
        if place != packet["end"]:
            raise AssertionError(f"{packet['name']}: ends at {place}, not at {packet['end']}")


WAYS: tuple[Way, ...] = (read_objects, render_json, render_packets)


def mutants(capture: Path) -> Callable[[int], bytes]:
    """What makes the damaged copies of a capture."""
    data = capture.read_bytes()
    return lambda number: mutant(data, capture.name, number)


if __name__ == "__main__":
    work(mutants, WAYS)
