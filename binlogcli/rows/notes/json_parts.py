"""Notes every byte of a binary JSON document: counts, sizes, entries with their offsets, keys and values.

The reader is the one that makes values; it records what it reads. A document may leave bytes unused (after updates in
place), and a hostile one may point to some bytes twice: the notes cover each byte once all the same.
"""

from __future__ import annotations

import json
import struct

from binlogcli.binary.cursor import Cursor
from binlogcli.binary.explained import Explained
from binlogcli.binary.notes import Notes
from binlogcli.errors import DecodeError
from binlogcli.names.column_types import column_type_name
from binlogcli.rows.readers.jsonb import (
    INLINED_LARGE,
    INLINED_SMALL,
    LARGE_ARRAY,
    LITERAL,
    NUMBERS,
    OPERATIONS,
    STRING,
    JsonReader,
)

_JSON_TYPES = {
    0: "small object",
    1: "large object",
    2: "small array",
    3: "large array",
    4: "literal",
    5: "int16",
    6: "uint16",
    7: "int32",
    8: "uint32",
    9: "int64",
    0x0A: "uint64",
    0x0B: "double",
    0x0C: "string",
    0x0F: "opaque",
}


_LONGEST_PATH = 256  # each value's path is kept, and long keys are in the paths of many
_UNUSED = Explained(None, "left over by changes in place", "")


def _leg(key: str) -> str:
    """Return a key as it is written in a path: in quotes unless it is a plain name."""
    return key if key.isidentifier() else json.dumps(key, ensure_ascii=False)


def _joined(path: str, leg: str) -> str:
    """Return a path with a leg added; the middle of a long one is left out."""
    path += leg
    half = _LONGEST_PATH // 2
    return path if len(path) <= _LONGEST_PATH else f"{path[:half]}…{path[-half:]}"


class _PartsReader(JsonReader):
    """Reads a document and records its parts; `path` is that of the value being read."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.parts: list[tuple[int, int, str, object]] = []
        self.paths: dict[int, str] = {}
        self.path = "$"

    def see(self, start: int, end: int, name: str, value: object) -> None:
        """Record a part of the document."""
        self.parts.append((start, end, name, value))

    def see_container(self, start: int, width: int, places: list[int], keys: list[str] | None) -> None:
        """Record the head of a container, and the path of each entry."""
        self.see(start, start + width, "element_count", Explained(len(places), self.path))
        self.see(start + width, start + 2 * width, "size", self.number(start + width, width))
        for at, place in enumerate(places):
            self.paths[place] = _joined(self.path, f"[{at}]" if keys is None else f".{_leg(keys[at])}")

    def key(self, entry: int, start: int, width: int) -> str:
        """Return a key, and record its entry and its characters."""
        found = super().key(entry, start, width)
        offset = self.number(entry, width)
        size = self.number(entry + width, 2)
        self.see(entry, entry + width, "key_offset", Explained(offset, found))
        self.see(entry + width, entry + width + 2, "key_length", size)
        self.see(start + offset, start + offset + size, "key", found)
        return found

    def element(self, entry: int, start: int, width: int, depth: int) -> object:
        """Return an entry's value, and record the entry: type, then the value itself or its offset."""
        outer = self.path
        self.path = self.paths.get(entry, outer)
        kind = self.bytes(entry, 1)[0]
        self.see(entry, entry + 1, "value_type", Explained(kind, _JSON_TYPES.get(kind, "unknown")))
        if kind in (INLINED_LARGE if width == 4 else INLINED_SMALL):
            value = super().value(kind, entry + 1, depth + 1)
            self.see(entry + 1, entry + 1 + width, "value", Explained(value, self.path))
        else:
            offset = self.number(entry + 1, width)
            self.see(entry + 1, entry + 1 + width, "value_offset", Explained(offset, self.path))
            value = self.value(kind, start + offset, depth + 1)
        self.path = outer
        return value

    def value(self, kind: int, at: int, depth: int) -> object:
        """Return a value, and record its bytes; a container records its own."""
        found = super().value(kind, at, depth)
        if kind <= LARGE_ARRAY:
            return found
        if kind == LITERAL:
            end = at + 1
        elif kind in NUMBERS:
            end = at + struct.calcsize(NUMBERS[kind])
        else:
            if kind != STRING:
                code = self.bytes(at, 1)[0]
                self.see(at, at + 1, "opaque_type", Explained(code, column_type_name(code)))
                at += 1
            size, content = self.length(at)
            self.see(at, content, "length", size)
            at = content
            end = content + size
        self.see(at, end, "value", Explained(found, self.path))
        return found


def note_document(notes: Notes, data: bytes, start: int, end: int) -> None:
    """Note a document's parts: data[start:end], its type byte first."""
    if start == end:
        return
    kind = data[start]
    notes.leaf("json_type", start, start + 1, Explained(kind, _JSON_TYPES.get(kind, "unknown")))
    reader = _PartsReader(data[start:end])
    try:
        reader.value(kind, 1, 0)
    except DecodeError as error:
        notes.leaf("unread", start + 1, end, str(error))
        return
    pos = 1
    for first, last, name, value in sorted(reader.parts, key=_place):
        if first > pos:
            notes.leaf("unused", start + pos, start + first, _UNUSED)
            pos = first
        if first == pos and last > pos:  # otherwise bytes that another part has named already
            notes.leaf(name, start + first, start + last, value)
            pos = last
    if start + pos < end:
        notes.leaf("unused", start + pos, end, _UNUSED)


def _place(part: tuple[int, int, str, object]) -> tuple[int, int]:
    return part[0], part[1]


def note_diffs(notes: Notes, data: bytes, start: int, end: int) -> None:
    """Note the changes of a partial update, data[start:end]; from illegal bytes on they are noted as unread."""
    body = Cursor(data, start, end)
    body.listen(notes)
    depth = notes.depth()
    try:
        while body.left() > 0:
            _note_diff(notes, body)
    except DecodeError as error:
        notes.close(depth)
        if notes.covered < end:
            notes.leaf("unread", notes.covered, end, str(error))


def _note_diff(notes: Notes, body: Cursor) -> None:
    body.enter("diff")
    at = body.need("operation", 1)
    operation = body.data[at]
    body.note("operation", at, Explained(operation, OPERATIONS.get(operation, "unknown")))
    if operation not in OPERATIONS:
        raise DecodeError(f"{operation} is not an operation of a JSON diff")
    path = body.text("path", body.lenenc("path_length"))
    if OPERATIONS[operation] != "remove":
        size = body.lenenc("value_length")
        at = body.need("value", size)
        notes.enter("value", at)
        note_document(notes, body.data, at, at + size)
        notes.leave(at + size, None)
    body.leave(path)
