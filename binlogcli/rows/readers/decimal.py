"""NEWDECIMAL: packed groups of nine digits, big-endian, all bytes inverted where the number is negative."""

from __future__ import annotations

from binlogcli.binary import kernel
from binlogcli.binary.cursor import Cursor
from binlogcli.binary.digits import Digits
from binlogcli.errors import DecodeError
from binlogcli.rows.column import Column, Sink
from binlogcli.rows.readers import reads
from binlogcli.rows.table.column_info import ColumnInfo

_BYTES_OF_DIGITS = (0, 1, 1, 2, 2, 3, 3, 4, 4, 4)
_MAX_PRECISION = 81  # the widest that the servers' own code can hold


def _bytes_of_digits(count: int) -> int:
    """Return the bytes that up to nine digits are packed into."""
    return (count + 1) // 2 if count < 9 else 4


def decimal_size(precision: int, scale: int) -> int:
    """Return the bytes of a DECIMAL(precision, scale); `DecodeError` where the servers have no such type."""
    if not 0 < precision <= _MAX_PRECISION or scale > precision:
        raise DecodeError(f"DECIMAL({precision},{scale}) does not exist")
    whole = precision - scale
    return whole // 9 * 4 + _BYTES_OF_DIGITS[whole % 9] + scale // 9 * 4 + _BYTES_OF_DIGITS[scale % 9]


def _digit_groups(precision: int, scale: int) -> list[tuple[str, int, int]]:
    """Return the groups in order: (`whole` or `fraction`, digits, bytes)."""
    whole = precision - scale
    counts = ([whole % 9] if whole % 9 else []) + [9] * (whole // 9)
    tail = [9] * (scale // 9) + ([scale % 9] if scale % 9 else [])
    groups = [("whole", count, _bytes_of_digits(count)) for count in counts]
    return groups + [("fraction", count, _bytes_of_digits(count)) for count in tail]


class DecimalColumn(Column):
    """DECIMAL(precision, scale) (NEWDECIMAL)."""

    def __init__(self, info: ColumnInfo) -> None:
        super().__init__(info)
        self.precision, self.scale = info.metadata[0], info.metadata[1]
        self.size = decimal_size(self.precision, self.scale)
        self.digits = Digits()
        self.groups = _digit_groups(self.precision, self.scale)

    def read(self, cursor: Cursor, sink: Sink) -> None:
        """Read the value at the cursor into the sink."""
        at = reads.need(cursor, "DECIMAL", self.size)
        _read_decimal(cursor, at, self.precision, self.scale, self.digits)
        sink.put_decimal(self, self.digits)


def decimal_text(body: Cursor, precision: int, scale: int) -> str:
    """Read the DECIMAL at the cursor and return it as text."""
    digits = Digits()
    _read_decimal(body, body.need("DECIMAL", decimal_size(precision, scale)), precision, scale, digits)
    return digits.text()


def _read_decimal(cursor: Cursor, at: int, precision: int, scale: int, digits: Digits) -> None:
    """Write the number at `at` to `digits`: one digit or more before the point, all digits of the scale after it."""
    negative = cursor.view[at] & 0x80 == 0
    digits.size = 0
    if negative:
        digits.chars[0] = 45  # -
        digits.size = 1
    flip = 0x80  # the sign is in the first byte alone
    left = precision - scale
    started = False
    while left > 0:
        count = left % 9 or 9
        group = read_group(cursor, at, count, flip, negative)
        at += _bytes_of_digits(count)
        flip = 0
        left -= count
        if started or group > 0:
            _put_group(digits, group, count if started else 0)
            started = True
    if not started:
        _put_group(digits, 0, 1)
    if scale > 0:
        digits.chars[digits.size] = 46  # .
        digits.size += 1
    left = scale
    while left > 0:
        count = min(9, left)
        _put_group(digits, read_group(cursor, at, count, flip, negative), count)
        at += _bytes_of_digits(count)
        flip = 0
        left -= count


def read_group(cursor: Cursor, at: int, count: int, flip: int, negative: bool) -> int:
    """Return the number in a group of `count` digits; `DecodeError` where it has more. `flip` is the sign's bit."""
    size = _bytes_of_digits(count)
    value = kernel.big(cursor.view, at, size)
    bits = flip
    value ^= bits << 8 * (size - 1)
    if negative:
        bits = 0xFFFFFFFF
        value ^= bits >> (32 - 8 * size)
    limit = kernel.power_of_ten(count)
    if value >= limit:
        raise DecodeError(f"a group of DECIMAL digits is {value}; it must be less than {limit}")
    return value


def _put_group(digits: Digits, value: int, width: int) -> None:
    """Append a number, with zeros before it up to `width` digits."""
    digits.size = kernel.put_number(digits.chars, digits.size, value, width)
