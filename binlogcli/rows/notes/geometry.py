"""Notes every byte of a geometry: SRID, then well-known binary, shape by shape and point by point."""

from __future__ import annotations

import struct

from binlogcli.binary.cursor import Cursor
from binlogcli.binary.explained import Explained
from binlogcli.binary.notes import Notes
from binlogcli.errors import DecodeError
from binlogcli.rows.table.metadata import GEOMETRY_TYPES

_POINT, _LINESTRING, _POLYGON, _FIRST_MULTI, _COLLECTION = 1, 2, 3, 4, 7
_POINT_SIZE = 16
_MAX_DEPTH = 64


class _ShapeReader:
    """Reads one geometry; each of its shapes has its own byte order."""

    def __init__(self, body: Cursor, notes: Notes) -> None:
        self.body = body
        self.notes = notes
        self.order = "<"

    def number(self, name: str) -> int:
        """Read and note four bytes, unsigned, in the shape's byte order."""
        at = self.body.need(name, 4)
        value = int(struct.unpack_from(self.order + "I", self.body.data, at)[0])
        self.notes.leaf(name, at, at + 4, value)
        return value

    def shape(self, depth: int) -> None:
        """Read a shape: byte order, type, then what the type requires; `DecodeError` for unknown types."""
        body = self.body
        if depth > _MAX_DEPTH:
            raise DecodeError("a geometry that is nested too deeply")
        at = body.need("byte_order", 1)
        little = body.data[at] == 1
        self.order = "<" if little else ">"
        self.notes.leaf("byte_order", at, at + 1, Explained(body.data[at], "little-endian" if little else "big-endian"))
        at = body.need("wkb_type", 4)
        kind = int(struct.unpack_from(self.order + "I", body.data, at)[0])
        name = GEOMETRY_TYPES[kind] if 0 < kind < len(GEOMETRY_TYPES) else "unknown"
        self.notes.leaf("wkb_type", at, at + 4, Explained(kind, name))
        if kind == _POINT:
            self.point()
        elif kind == _LINESTRING:
            self.points()
        elif kind == _POLYGON:
            for _ in range(self.number("rings")):
                body.enter("ring")
                self.points()
                body.leave()
        elif _FIRST_MULTI <= kind <= _COLLECTION:
            for _ in range(self.number("shapes")):
                body.enter("shape")
                self.shape(depth + 1)
                body.leave()
        else:
            raise DecodeError(f"{kind} is not a geometry type")

    def points(self) -> None:
        """Read a count and that many points."""
        for _ in range(self.number("points")):
            self.point()

    def point(self) -> None:
        """Read two doubles."""
        at = self.body.need("point", _POINT_SIZE)
        x, y = struct.unpack_from(self.order + "dd", self.body.data, at)
        self.notes.leaf("point", at, at + _POINT_SIZE, f"({x!r} {y!r})")


def note_geometry(notes: Notes, data: bytes, start: int, end: int) -> None:
    """Note the parts of data[start:end]; where it is not legal, the rest is noted as unread."""
    body = Cursor(data, start, end)
    body.listen(notes)
    depth = notes.depth()
    try:
        body.u4("srid")
        _ShapeReader(body, notes).shape(0)
    except DecodeError as error:
        notes.close(depth)
        notes.leaf("unread", notes.covered, end, str(error))
        return
    if body.pos < end:
        body.end = end
        body.rest("unknown")
