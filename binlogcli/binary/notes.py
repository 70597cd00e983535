"""The fields that a decoder read: the records behind the annotated hexdump, and the proof that no byte was missed.

Kept flat, in the order in which the fields begin, because an event may have a million of them: four numbers, a name
and a value for each. `tree` returns them as nested objects. A `reader` may take records away while others are added.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any, Protocol

from binlogcli.binary.records import (
    CONTENT,
    DEPTH_MASK,
    GROUP,
    KIND_SHIFT,
    OBJECT,
    PREFIX_SHIFT,
    RECORD,
    SIGNED,
    UNSIGNED,
)

if TYPE_CHECKING:
    from binlogcli.binary.fields import Field

_FIRST_ROOM = 256
_MAX_SIGNED = 0x7FFFFFFFFFFFFFFF
_MANY = 1 << 13  # records after which `breathe` calls the reader


class _NoteReader(Protocol):
    """Takes records away while an event is still being decoded."""

    def take_notes(self, notes: Notes) -> None:
        """Take all records that are there."""


class Notes:
    """The fields of one event, in records of these kinds (`records`).

    GROUP has fields of its own; CONTENT too, whose bytes are decompressed and stored in `values`.
    """

    def __init__(self) -> None:
        self.names: list[object] = []
        self.values: list[object] = []
        self.numbers = array("q", bytes(8 * RECORD * _FIRST_ROOM))
        self.view = self.numbers
        self.room = _FIRST_ROOM
        self.count = 0
        self.taken = 0
        self.covered = 0
        self.open: list[int] = []
        self.outer: list[tuple[int, int, bytes]] = []
        self.reader: _NoteReader | None = None
        self.walker: Any = None  # for `Rows.note_rows`: its walker and sink, kept from event to event

    def clear(self, pos: int) -> None:
        """Remove all records; the first field is expected at `pos`."""
        self.names.clear()
        self.values.clear()
        self.open.clear()
        self.outer.clear()
        self.count = 0
        self.taken = 0
        self.covered = pos

    def grow(self) -> None:
        """Double the room for records."""
        self.room *= 2
        numbers = array("q", bytes(8 * RECORD * self.room))
        numbers[: len(self.numbers)] = self.numbers
        self.numbers = numbers
        self.view = numbers

    def add(self, name: object, start: int, end: int, form: int, number: int, value: object) -> None:
        """Add a record; `form` is its kind, and the length of the prefix that counts the rest."""
        if self.count == self.room:
            self.grow()
        at = self.count * RECORD
        self.view[at] = start
        self.view[at + 1] = end
        self.view[at + 2] = form | len(self.open)
        self.view[at + 3] = number
        self.names.append(name)
        self.values.append(value)
        self.count += 1

    def number(self, name: str, start: int, end: int, value: int) -> None:
        """Add a number that fits into 64 bits with a sign."""
        self.covered = end
        self.add(name, start, end, SIGNED << KIND_SHIFT, value, None)

    def unsigned(self, name: str, start: int, end: int, value: int) -> None:
        """Add a number of up to 64 bits without a sign."""
        self.covered = end
        low = value & _MAX_SIGNED
        if value > _MAX_SIGNED:  # kept as the signed number of the same bits
            low = low - _MAX_SIGNED - 1
        self.add(name, start, end, UNSIGNED << KIND_SHIFT, low, None)

    def leaf(self, name: object, start: int, end: int, value: object) -> None:
        """Add any other value. A name is a str, or a column."""
        self.covered = end
        self.add(name, start, end, OBJECT << KIND_SHIFT, 0, value)

    def counted(self, name: object, start: int, end: int, value: object, prefix: int) -> None:
        """Add a value after its length of `prefix` bytes."""
        self.covered = end
        self.add(name, start, end, OBJECT << KIND_SHIFT | prefix << PREFIX_SHIFT, 0, value)

    def enter(self, name: object, start: int) -> None:
        """Begin a field of this name that has fields of its own."""
        self.add(name, start, start, GROUP << KIND_SHIFT, 0, None)
        self.open.append(self.taken + self.count - 1)

    def expect(self, end: int) -> None:
        """Set the end of the group that was entered last, for a reader that takes it away before it ends."""
        at = self.open[len(self.open) - 1] - self.taken
        if at >= 0:
            self.view[at * RECORD + 1] = end

    def enter_content(self, name: str, content: bytes) -> None:
        """Begin the fields of `content`, which the last field decompresses to."""
        self.add(name, 0, len(content), CONTENT << KIND_SHIFT, 0, content)
        self.open.append(self.taken + self.count - 1)
        self.outer.append((len(self.open), self.covered, content))
        self.covered = 0

    def leave(self, end: int, value: object) -> None:
        """End the group that was entered last."""
        at = self.open.pop() - self.taken
        if at >= 0:
            self.view[at * RECORD + 1] = end
            self.values[at] = value

    def leave_content(self, reason: str = "") -> None:
        """End the fields of the content; its unread bytes are noted as unknown, or as unread for a reason."""
        _, covered, content = self.outer.pop()
        if self.covered < len(content):
            self.leaf("unread" if reason else "unknown", self.covered, len(content), reason or content[self.covered :])
        self.open.pop()
        self.covered = covered

    def close(self, depth: int, reason: str = "") -> None:
        """End all groups deeper than `depth` at the end of the last field: a decoder failed inside of them."""
        while len(self.open) > depth:
            inner = self.outer[len(self.outer) - 1][0] if self.outer else 0
            if inner == len(self.open):
                self.leave_content(reason)
            else:
                self.leave(self.covered, None)

    def depth(self) -> int:
        """Return the number of open groups."""
        return len(self.open)

    def breathe(self) -> None:
        """Let the reader take the records, if there are many."""
        if self.count >= _MANY and self.reader is not None:
            self.reader.take_notes(self)
            self.taken += self.count
            self.count = 0
            self.names.clear()
            self.values.clear()

    def replay(self, other: Notes, shift: int) -> None:
        """Add all records of other notes, moved by `shift` bytes."""
        depth = len(self.open)
        at = 0
        for index in range(other.count):
            form = other.view[at + 2]
            start = other.view[at] + shift
            end = other.view[at + 1] + shift
            self.add(other.names[index], start, end, form, other.view[at + 3], other.values[index])
            self.view[self.count * RECORD - 2] = form + depth
            at += RECORD
        self.covered = other.covered + shift

    def copy_since(self, first: int, shift: int) -> Notes:
        """Return a copy of the records from `first` on, moved back by `shift` bytes, to be replayed."""
        found = Notes()
        depth = len(self.open)
        for index in range(first, self.count):
            at = index * RECORD
            start = self.view[at] - shift
            end = self.view[at + 1] - shift
            form = self.view[at + 2] - depth
            found.add(self.names[index], start, end, form, self.view[at + 3], self.values[index])
        found.covered = self.covered - shift
        return found

    def number_at(self, index: int) -> int:
        """Return a record's number."""
        value = self.view[index * RECORD + 3]
        if self.view[index * RECORD + 2] >> KIND_SHIFT & 0xFF == UNSIGNED and value < 0:
            return int(value) + (1 << 64)
        return int(value)

    def tree(self) -> list[Field]:
        """Return the fields as nested objects."""
        from binlogcli.binary.fields import Field  # only tests and callers of the API ask for them

        roots: list[Field] = []
        stack: list[Field] = []
        for index in range(self.count):
            start, end, form, _ = (int(number) for number in self.numbers[index * RECORD : index * RECORD + RECORD])
            kind = form >> KIND_SHIFT & 0xFF
            value = self.number_at(index) if kind in (SIGNED, UNSIGNED) else self.values[index]
            found = Field(self.names[index], start, end, value, kind, form >> PREFIX_SHIFT, [])
            del stack[form & DEPTH_MASK :]
            (stack[len(stack) - 1].children if stack else roots).append(found)
            stack.append(found)
        return roots
