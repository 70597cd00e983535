"""Notes the layout of one value of a row: a length before it, groups of digits, a fraction, a document's structure.

The value itself was read by its column just before. A column that is not in `_PARTS` or `_BYTES_PARTS` has one part.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from binlogcli.binary.cursor import Cursor
from binlogcli.binary.explained import Explained, drawn
from binlogcli.binary.notes import Notes
from binlogcli.errors import DecodeError, counted
from binlogcli.rows.column import Column, Sink
from binlogcli.rows.notes.geometry import note_geometry
from binlogcli.rows.notes.json_parts import note_diffs, note_document
from binlogcli.rows.notes.temporal_words import describe_parts
from binlogcli.rows.readers.decimal import DecimalColumn, read_group
from binlogcli.rows.readers.numbers import BitColumn
from binlogcli.rows.readers.strings import BytesColumn, CompressedColumn, GeometryColumn, JsonColumn, VectorColumn
from binlogcli.rows.readers.temporal import (
    Datetime2Column,
    TemporalColumn,
    Time2Column,
    Timestamp2Column,
    TimestampColumn,
)
from binlogcli.rows.sinks.python_values import LastValue
from binlogcli.rows.value_texts import shortest_single
from binlogcli.rows.walk import ImageNoter

_DIFF_LENGTH = 4
_JSON_NULL = Explained(None, "", "null")
_UNCHANGED = "no change"
_RAW_DEFLATE = 8
_DRAWN_COLUMNS = 1 << 16  # in the drawings of null bits that are kept


def _draw_nulls(names: list[str], bits: bytes) -> Explained:
    """Draw the null bits of columns with these names, a character each: `N` for NULL."""
    null = [at for at in range(len(names)) if bits[at >> 3] >> (at & 7) & 1]
    marks = ["-"] * len(names)
    for at in null:
        marks[at] = "N"
    return drawn("".join(marks), "NULL: " + ", ".join([names[at] for at in null]) if null else "no NULL")


def _draw_partial(names: list[str], bits: bytes) -> Explained:
    """Draw the bits of JSON columns with these names: `d` where the log holds changes, not a document."""
    partial = [at for at in range(len(names)) if bits[at >> 3] >> (at & 7) & 1]
    marks = "".join(["d" if at in partial else "-" for at in range(len(names))])
    return drawn(marks, "changes of " + ", ".join([names[at] for at in partial]) if partial else "no changes")


class PartNoter(ImageNoter):
    """Notes the images of event after event."""

    def __init__(self) -> None:
        self.drawn_columns: list[Column] = []
        self.drawings: dict[bytes, Explained] = {}

    def note_image(self, cursor: Cursor, columns: list[Column], nulls: int, sink: Sink) -> None:
        """Read the image whose null bits are at `nulls`, and note each value with its column."""
        self.note_nulls(cursor, columns, nulls)
        for at, column in enumerate(columns):
            if cursor.data[nulls + (at >> 3)] >> (at & 7) & 1:
                sink.put_null(column)
                continue
            start = cursor.pos
            column.read(cursor, sink)
            self.note_value(cursor, column, start, sink)

    def note_nulls(self, cursor: Cursor, columns: list[Column], nulls: int) -> None:
        """Note null bits, drawn column by column; drawings are cached for the columns that came last."""
        if columns is not self.drawn_columns:
            self.drawn_columns = columns
            self.drawings.clear()
        bits = cursor.data[nulls : cursor.pos]
        found = self.drawings.get(bits)
        if found is None:
            if len(self.drawings) * len(columns) > _DRAWN_COLUMNS:
                self.drawings.clear()
            found = _draw_nulls([column.name for column in columns], bits)
            self.drawings[bits] = found
        cursor.note("null_bits", nulls, found)

    def note_record_nulls(self, cursor: Cursor, columns: list[Column], nulls: int, null: frozenset[int]) -> None:
        """Note the null bytes of a record, drawn column by column."""
        bits = sum(1 << at for at, column in enumerate(columns) if column.index in null)
        drawing = _draw_nulls([column.name for column in columns], bits.to_bytes((len(columns) + 7) >> 3, "little"))
        cursor.note("null_bits", nulls, drawing)

    def note_partial(self, cursor: Cursor, columns: list[JsonColumn], start: int) -> None:
        """Note the bits of JSON columns."""
        bits = cursor.data[start : cursor.pos]
        cursor.note("partial_bits", start, _draw_partial([column.name for column in columns], bits))

    def note_value(self, cursor: Cursor, column: Column, start: int, sink: Sink) -> None:
        """Note a value that was read into the sink, from `start` to the cursor."""
        notes = cursor.notes
        value = _last_of(sink)
        if isinstance(column, BytesColumn):
            _note_counted(cursor, column, start, value)
            return
        parts = _PARTS.get(type(column))
        if parts is None:
            notes.leaf(column, start, cursor.pos, value)
        else:
            parts(cursor, column, start, value)

    def note_diff(self, cursor: Cursor, column: Column, start: int, sink: Sink) -> None:
        """Note the changes of a JSON document that were read into the sink, from `start` to the cursor."""
        notes = cursor.notes
        notes.enter(column, start)
        notes.leaf("length", start, start + _DIFF_LENGTH, cursor.little(start, _DIFF_LENGTH))
        note_diffs(notes, cursor.data, start + _DIFF_LENGTH, cursor.pos)
        found = _last_of(sink)
        notes.leave(cursor.pos, found if cursor.pos > start + _DIFF_LENGTH else Explained(found, "", _UNCHANGED))


def _note_counted(cursor: Cursor, column: BytesColumn, start: int, value: object) -> None:
    """Note a value after its length."""
    notes = cursor.notes
    split = _BYTES_PARTS.get(type(column))
    inside = start + column.prefix
    if split is None:
        notes.counted(column, start, cursor.pos, value, column.prefix)
        return
    notes.enter(column, start)
    notes.leaf("length", start, inside, cursor.little(start, column.prefix))
    split(notes, column, cursor.data, inside, cursor.pos)
    notes.leave(cursor.pos, _JSON_NULL if value is None else value)


def _last_of(sink: Sink) -> object:
    """Return the value that a column passed to the sink."""
    if not isinstance(sink, LastValue):
        return None
    found = sink
    return found.last


def _note_decimal(cursor: Cursor, column: DecimalColumn, start: int, value: object) -> None:
    """Note groups of nine digits, each in the fewest bytes; the first and the last group may have fewer."""
    notes = cursor.notes
    end = cursor.pos
    if len(column.groups) < 2:
        notes.leaf(column, start, end, value)
        return
    notes.enter(column, start)
    at = start
    negative = cursor.data[start] & 0x80 == 0
    for place, count, size in column.groups:
        group = read_group(cursor, at, count, 0x80 if at == start else 0, negative)
        notes.number(place, at, at + size, group)
        at += size
    notes.leave(end, Explained(value, "negative: all bits inverted") if negative else value)


def _note_fraction(cursor: Cursor, column: TemporalColumn, start: int, value: object) -> None:
    """Note a packed number, then the digits of a second."""
    notes = cursor.notes
    end = cursor.pos
    split = end - column.fraction_bytes
    if split == end:
        notes.leaf(column, start, end, value)
        return
    micros = column.power if type(column) is TimestampColumn else column.unit
    packed, fraction = describe_parts(_PACKED[type(column)], cursor.data[start:end], end - split, micros)
    notes.enter(column, start)
    notes.leaf("packed", start, split, packed)
    notes.leaf("fraction", split, end, fraction)
    notes.leave(end, value)


def _note_bits(cursor: Cursor, column: BitColumn, start: int, value: object) -> None:
    """Note a number, and its bits."""
    cursor.notes.leaf(column, start, cursor.pos, _bits_of(value, (cursor.pos - start) * 8))


@lru_cache(maxsize=1024)
def _bits_of(value: int, size: int) -> Explained:
    return Explained(value, f"0b{value:0{size}b}" if value > 1 else "")


def _note_json(notes: Notes, _column: BytesColumn, data: bytes, start: int, end: int) -> None:
    note_document(notes, data, start, end)


def _note_geometry(notes: Notes, _column: BytesColumn, data: bytes, start: int, end: int) -> None:
    note_geometry(notes, data, start, end)


def _note_vector(notes: Notes, _column: BytesColumn, data: bytes, start: int, end: int) -> None:
    whole = end - (end - start) % 4
    for at in range(start, whole, 4):
        notes.leaf("float", at, at + 4, float(shortest_single(struct.unpack_from("<f", data, at)[0])))
    if whole < end:
        notes.leaf("unknown", whole, end, data[whole:end])


def _note_compressed(notes: Notes, column: CompressedColumn, data: bytes, start: int, end: int) -> None:
    """Note a header byte, then the value as it is, or its length and a zlib stream with its content."""
    if start == end:
        return
    head = data[start]
    if head >> 4 == 0:
        notes.leaf("header", start, start + 1, Explained(head, "not compressed", f"0x{head:02x}"))
        notes.leaf("data", start + 1, end, data[start + 1 : end])
        return
    size = head & 7
    stream = "deflate" if head & _RAW_DEFLATE else "zlib"
    meaning = f"{stream}, length in {counted(size, 'byte')}"
    notes.leaf("header", start, start + 1, Explained(head, meaning, f"0x{head:02x}"))
    packed = start + 1 + size
    notes.leaf("original_length", start + 1, packed, int.from_bytes(data[start + 1 : packed], "big"))
    notes.leaf(stream, packed, end, data[packed:end])
    try:
        content = column.unpack(data[start:end])
    except DecodeError:
        return
    notes.enter_content("content", content)
    notes.leaf("data", 0, len(content), content)
    notes.leave_content()


_PACKED: dict[type[Column], str] = {
    TimestampColumn: "TIMESTAMP",
    Timestamp2Column: "TIMESTAMP",
    Datetime2Column: "DATETIME",
    Time2Column: "TIME",
}
_Parts = Callable[[Cursor, Any, int, object], None]
_PARTS: dict[type[Column], _Parts] = {
    BitColumn: _note_bits,
    DecimalColumn: _note_decimal,
    TimestampColumn: _note_fraction,
    Timestamp2Column: _note_fraction,
    Datetime2Column: _note_fraction,
    Time2Column: _note_fraction,
}
_BYTES_PARTS: dict[type[Column], Callable[[Notes, Any, bytes, int, int], None]] = {
    CompressedColumn: _note_compressed,
    JsonColumn: _note_json,
    GeometryColumn: _note_geometry,
    VectorColumn: _note_vector,
}
