"""Places in a file whose bytes look like an event: its header, and what its type says of the bytes after it.

The idea: most places are ruled out by three bytes of the header (the type, the highest byte of the length, the flags
that no server sets), nearly all others by the fields at the beginning of the body: names that end in a zero byte,
lengths that add up, identifiers whose high bytes are zero. A checksum, which costs as much as the event is long, is
computed only for what is left. So the less the fields of a type say, the shorter such an event has to be: random bytes
name lengths of a GB.

A shape is a set of bits: PLAIN if the event may be one without checksum, SUMMED if it may be one with. An event whose
type fixes its size has one of them.

The compiled modules take the C form in `shapes.h`; this one runs uncompiled, and both give the same answers.
"""

from __future__ import annotations

import re

from binlogcli.carve.body import LARGEST, SHORT, Body
from binlogcli.carve.body_shapes import SHAPES
from binlogcli.names.event_types import IGNORABLE_LOG_EVENT

_HEADER = 19
_UNKNOWN_FLAGS = 0x3C00  # header flags that no server sets
_IGNORABLE = 0x80  # LOG_EVENT_IGNORABLE_F
# what `find_shape` looks at first; (?=) finds places that overlap
_LIKELY = re.compile(
    rb"(?=....[\x01-\x2b\xa0-\xac].......[\x00-\x40].....["
    + b"".join(b"\\x%02x" % byte for byte in range(256) if byte & _UNKNOWN_FLAGS >> 8 == 0)
    + rb"])",
    re.DOTALL,
)

Buffer = bytes | bytearray | memoryview


def shape_of(data: Buffer, at: int, size: int, left: int) -> int:
    """Return the shape of the event that may begin at data[at:size], of `left` bytes that the file has from there."""
    if at + _HEADER > size:
        return 0
    head = bytes(data[at : at + _HEADER])
    length = int.from_bytes(head[9:13], "little")
    position = int.from_bytes(head[13:17], "little")
    flags = int.from_bytes(head[17:19], "little")
    if not _HEADER <= length <= min(LARGEST, left) or flags & _UNKNOWN_FLAGS:
        return 0
    if position < length if length > SHORT else 0 < position < 4:
        return 0
    read = SHAPES.get(head[4])
    if read is None or (head[4] == IGNORABLE_LOG_EVENT and not flags & _IGNORABLE):
        return 0
    end = min(at + length, size, at + _HEADER + SHORT)
    return read(Body(bytes(data[at + _HEADER : end]), length - _HEADER))


def find_shape(data: Buffer, at: int, stop: int, size: int, left: int) -> int:
    """Return the first place in [at, stop) of data[:size] that has a shape, or -1; `left` as for `shape_of` at `at`."""
    file = left + at
    while at < stop:
        found = _LIKELY.search(data, at, size)
        if found is None or found.start() >= stop:
            return -1
        at = found.start()
        if shape_of(data, at, size, file - at):
            return at
        at += 1
    return -1
