"""One column being built: values in memory in Arrow's layout, which Arrow takes over without a copy.

Only widths and layouts are decided here; `lake.tables.types` maps the columns of a table to them.
"""

from __future__ import annotations

from binlogcli.binary import kernel
from binlogcli.binary.cursor import Cursor
from binlogcli.binary.digits import Digits
from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.errors import DecodeError
from binlogcli.rows.sinks import column_loops

_EMPTY = bytearray()
_FIRST_ROWS = 64
_FIRST_BYTES = 512
_END_SIZE = 4  # bytes of an offset in a column of values of any length
_MOST_BYTES = 0x7FFFFFFF  # the largest such offset


class ColumnBuffer:
    """The values of one column so far.

    `data` holds values of `width` bytes, or of any length where that is 0: then `ends` holds the offset of each value
    and of the last one's end. In a list `unit` is the size of an element. A NULL has its bit cleared in `valid`, which
    is empty as long as there are none. `labels` are the texts of an ENUM's numbers, `more` is a second column filled
    along with this one, `table` maps characters of one byte to UTF-8.
    """

    def __init__(self, width: int, unit: int = 1) -> None:
        self.width = width
        self.unit = unit
        self.count = self.nulls = 0
        self.size = self.room = 0
        self.ends_room = self.valid_room = 0
        self.expected = self.ends_expected = 0
        self.data = self.chars = _EMPTY
        self.ends = self.places = _EMPTY
        self.valid = self.bits = _EMPTY
        self.labels: list[str] | None = None
        self.label_count = 0
        self.more: ColumnBuffer = None  # type: ignore[assignment] # most have none
        self.recoding = False
        self.table = bytes(_EMPTY)
        self.addresses = False  # UUID and such, which are bytes in the log and text here
        self.turned = False  # text that became binary, because a value was not valid

    def expect(self, size: int) -> None:
        """Set the capacity in bytes that is allocated with the first value."""
        self.expected = size

    def expect_like(self, other: ColumnBuffer) -> None:
        """Set the capacity to what another column holds, and an eighth more."""
        self.expected = other.size + other.size // 8
        if self.width == 0:
            self.ends_expected = (other.count + other.count // 8) * _END_SIZE

    def grow(self, more: int) -> None:
        """Make room for `more` bytes."""
        least = _FIRST_ROWS * self.width if self.width else _FIRST_BYTES
        room = max(self.room * 2, self.size + more, least, self.expected)
        data = column_loops.new_room(room)
        if self.size > 0:
            kernel.copy_range(data, 0, self.chars, 0, self.size)
        self.data = data
        self.chars = data
        self.room = room

    def put(self, value: int) -> None:
        """Append a number of the column's width, up to eight bytes."""
        if self.size + self.width > self.room:
            self.grow(self.width)
        column_loops.put_little(self.chars, self.size, value, self.width)
        self.size += self.width
        self.count += 1

    def put_many(self, value: int, count: int) -> None:
        """Append a number `count` times."""
        if self.size + self.width * count > self.room:
            self.grow(self.width * count)
        column_loops.put_run(self.chars, self.size, value, self.width, count, 0)
        self.size += self.width * count
        self.count += count

    def put_up(self, value: int, count: int) -> None:
        """Append `count` consecutive numbers."""
        if self.size + self.width * count > self.room:
            self.grow(self.width * count)
        column_loops.put_run(self.chars, self.size, value, self.width, count, 1)
        self.size += self.width * count
        self.count += count

    def lengthened(self, low: int, high: int) -> ColumnBuffer:
        """Return its numbers of eight bytes as ones of sixteen: `low` added to each, and `high` as the upper half."""
        column = ColumnBuffer(16)
        if self.count > 0:
            column.grow(16 * self.count)
            column_loops.lengthen(column.chars, self.chars, self.count, low, high)
        column.count = self.count
        column.size = 16 * self.count
        return column

    def put_wide(self, value: int, negative: bool) -> None:
        """Append a number of 64 bits in sixteen bytes."""
        if self.size + 16 > self.room:
            self.grow(16)
        column_loops.put_little(self.chars, self.size, value, 8)
        column_loops.fill(self.chars, self.size + 8, self.size + 16, 255 if negative else 0)
        self.size += 16
        self.count += 1

    def put_digits(self, digits: Digits) -> None:
        """Append a decimal in sixteen bytes."""
        if self.size + 16 > self.room:
            self.grow(16)
        column_loops.put_decimal(self.chars, self.size, digits.chars, digits.size)
        self.size += 16
        self.count += 1

    def recode_by(self, table: bytes) -> None:
        """Set the table by which characters become UTF-8."""
        self.table = table
        self.recoding = True

    def append(self, data: bytes) -> None:
        """Append a whole value of any length."""
        if self.size + len(data) > self.room:
            self.grow(len(data))
        self.size = kernel.put_all(self.chars, self.size, data)
        self.close_value()

    def append_range(self, data: Cursor, start: int, end: int) -> None:
        """Append a whole value of any length: the bytes [start, end)."""
        if self.size + end - start > self.room:
            self.grow(end - start)
        self.size = kernel.copy_range(self.chars, self.size, data.view, start, end)
        self.close_value()

    def append_out(self, out: TextBuffer) -> None:
        """Append a whole value of any length: the content of a text buffer."""
        if self.size + out.size > self.room:
            self.grow(out.size)
        self.size = kernel.copy_range(self.chars, self.size, out.chars, 0, out.size)
        self.close_value()

    def close_value(self) -> None:
        """End a value of any length: the bytes since the last one."""
        at = self.count * _END_SIZE
        if at + 2 * _END_SIZE > self.ends_room:
            self.grow_ends()
        if self.size > _MOST_BYTES:
            raise DecodeError(f"values of {self.size} bytes are more than a column can hold")
        column_loops.put_little(self.places, at + _END_SIZE, self.size // self.unit, _END_SIZE)
        self.count += 1

    def grow_ends(self) -> None:
        """Make room for more offsets; the first is 0."""
        room = max(self.ends_room * 2, (_FIRST_ROWS + 1) * _END_SIZE, self.ends_expected)
        ends = column_loops.new_room(room)
        if self.ends_room > 0:
            kernel.copy_range(ends, 0, self.places, 0, self.ends_room)
        else:
            column_loops.fill(ends, 0, _END_SIZE, 0)
        self.ends = ends
        self.places = ends
        self.ends_room = room

    def put_null(self) -> None:
        """Append NULL."""
        self.pad(self.count + 1)

    def pad(self, count: int) -> None:
        """Append NULLs until there are `count` values."""
        if count > self.count:
            if count > 8 * self.valid_room:
                self.grow_valid(count)
            column_loops.clear_bits(self.bits, self.count, count)
            self.nulls += count - self.count
        if self.width > 0 and count > self.count:
            self.pad_numbers(count)
        while self.count < count:
            self.close_value()

    def pad_numbers(self, count: int) -> None:
        """Append zeros in place of numbers."""
        end = count * self.width
        if end > self.room:
            self.grow(end - self.size)
        column_loops.fill(self.chars, self.size, end, 0)
        self.size = end
        self.count = count

    def grow_valid(self, count: int) -> None:
        """Make room for the bits of `count` values, all of them valid."""
        room = max(self.valid_room * 2, (count + 7) // 8 + 8)
        valid = column_loops.new_room(room)
        column_loops.fill(valid, self.valid_room, room, 255)
        if self.valid_room > 0:
            kernel.copy_range(valid, 0, self.bits, 0, self.valid_room)
        self.valid = valid
        self.bits = valid
        self.valid_room = room

    def finish(self, count: int) -> None:
        """Complete the column: NULLs up to `count` values, and a bit for each value where any is NULL."""
        self.pad(count)
        if self.nulls > 0 and count > 8 * self.valid_room:
            self.grow_valid(count)
        if self.more is not None:
            self.more.finish(count)

    def cut(self, count: int) -> None:
        """Drop all but the first `count` values, after a row that could not be read to its end."""
        if self.count > count:
            if count >> 3 < self.valid_room and not self.bits[count >> 3] >> (count & 7) & 1:
                self.bits[count >> 3] |= 1 << (count & 7)
                self.nulls -= 1
            self.count = count
            self.size = count * self.width if self.width > 0 else self.end_of(count)
        if self.more is not None:
            self.more.cut(count)

    def end_of(self, count: int) -> int:
        """Return the offset at which the first `count` values end."""
        return kernel.little(self.places, count * _END_SIZE, _END_SIZE) * self.unit

    def label(self, text: str) -> int:
        """Return the number of a label that the table definition lacks; it is added."""
        labels = self.labels or []
        for at in range(self.label_count, len(labels)):
            if labels[at] == text:
                return at
        labels.append(text)
        return len(labels) - 1
