"""Readers of the temporal types: those since MySQL 5.6, the old ones, and MariaDB's old ones with fractions."""

from __future__ import annotations

from binlogcli.binary import kernel
from binlogcli.binary.cursor import Cursor
from binlogcli.errors import DecodeError
from binlogcli.rows.column import Column, Moment, Sink
from binlogcli.rows.readers import reads
from binlogcli.rows.table.column_info import ColumnInfo

_DATETIME_ZERO = 0x8000000000
_FRACTION_UNITS = (1, 10000, 10000, 100, 100, 1, 1)  # microseconds of the last stored unit, by fsp
_POWERS = (1, 10, 100, 1000, 10000, 100000, 1000000)
_OLD_TIME_SECONDS = 3020400  # 838:59:59 and a second: the zero of MariaDB's TIME(n)
OLD_TIME_WIDTHS = (3, 4, 4, 5, 5, 5, 6)
OLD_DATETIME_WIDTHS = (8, 6, 6, 7, 7, 7, 8)


class TemporalColumn(Column):
    """Base of the temporal readers: the moment that is filled, and the number of digits of the fraction."""

    def __init__(self, info: ColumnInfo, fsp: int = 0) -> None:
        super().__init__(info)
        if fsp > 6:
            raise DecodeError(f"{fsp} fractional digits are not possible")
        self.fsp = fsp
        self.fraction_bytes = (fsp + 1) // 2
        self.unit = _FRACTION_UNITS[fsp]
        self.power = _POWERS[6 - fsp]
        self.moment = Moment()
        self.moment.fsp = fsp


class DateColumn(TemporalColumn):
    """DATE: three bytes, little-endian: day 5 bits, month 4, year 15."""

    def read(self, cursor: Cursor, sink: Sink) -> None:
        """Read the value at the cursor into the sink."""
        value = reads.little(cursor, "DATE", 3)
        self.moment.day = value & 31
        self.moment.month = value >> 5 & 15
        self.moment.year = value >> 9
        sink.put_date(self, self.moment)


class TimestampColumn(TemporalColumn):
    """Old TIMESTAMP: four bytes, little-endian; MariaDB's with fractions: four big-endian, then the fraction."""

    def read(self, cursor: Cursor, sink: Sink) -> None:
        """Read the value at the cursor into the sink."""
        moment = self.moment
        if self.fsp == 0:
            moment.seconds = reads.little(cursor, "TIMESTAMP", 4)
        else:
            moment.seconds = reads.big(cursor, "TIMESTAMP", 4)
            width = (self.fsp + 1) // 2
            fraction = reads.big(cursor, "fraction", width)
            moment.micro = _micro_of(fraction * self.power)
        sink.put_timestamp(self, moment)


class Timestamp2Column(TemporalColumn):
    """TIMESTAMP(n): four bytes of seconds, then the fraction, big-endian."""

    def read(self, cursor: Cursor, sink: Sink) -> None:
        """Read the value at the cursor into the sink."""
        moment = self.moment
        moment.seconds = reads.big(cursor, "TIMESTAMP2", 4)
        if self.fsp > 0:
            width = self.fraction_bytes
            moment.micro = _micro_of(reads.big(cursor, "fraction", width) * self.unit)
        sink.put_timestamp(self, moment)


class Datetime2Column(TemporalColumn):
    """DATETIME(n): 5 bytes big-endian (17 bits year*13+month, day 5, hour 5, minute 6, second 6), then the fraction."""

    def read(self, cursor: Cursor, sink: Sink) -> None:
        """Read the value at the cursor into the sink."""
        moment = self.moment
        value = reads.big(cursor, "DATETIME2", 5)
        if value < _DATETIME_ZERO:
            raise DecodeError("a DATETIME below zero")
        value -= _DATETIME_ZERO
        moment.year = (value >> 22) // 13
        moment.month = (value >> 22) % 13
        moment.day = value >> 17 & 31
        moment.hour = value >> 12 & 31
        moment.minute = value >> 6 & 63
        moment.second = value & 63
        if self.fsp > 0:
            width = self.fraction_bytes
            moment.micro = _micro_of(reads.big(cursor, "fraction", width) * self.unit)
        sink.put_datetime(self, moment)


class Time2Column(TemporalColumn):
    """TIME(n): 3 bytes big-endian over 0x800000 (hour 10 bits, minute 6, second 6) and the fraction, as one number."""

    def read(self, cursor: Cursor, sink: Sink) -> None:
        """Read the value at the cursor into the sink."""
        moment = self.moment
        width = 3 + self.fraction_bytes
        value = reads.big(cursor, "TIME2", width)
        zero = 0x800000
        zero <<= 8 * self.fraction_bytes
        moment.negative = value < zero
        value = zero - value if moment.negative else value - zero
        fraction = value & ((1 << (8 * self.fraction_bytes)) - 1)
        moment.micro = _micro_of(fraction * self.unit)
        value >>= 8 * self.fraction_bytes
        moment.hour = value >> 12 & 1023
        moment.minute = value >> 6 & 63
        moment.second = value & 63
        sink.put_time(self, moment)


class DatetimeColumn(TemporalColumn):
    """Old DATETIME: eight bytes, the decimal number YYYYMMDDhhmmss; MariaDB's with fractions: one packed number."""

    def read(self, cursor: Cursor, sink: Sink) -> None:
        """Read the value at the cursor into the sink."""
        width = OLD_DATETIME_WIDTHS[self.fsp]
        if self.fsp == 0:
            self.from_decimal(reads.little(cursor, "DATETIME", 8))
        else:
            self.from_packed(reads.big(cursor, "DATETIME", width))
        sink.put_datetime(self, self.moment)

    def from_decimal(self, value: int) -> None:
        """Fill the moment from YYYYMMDDhhmmss."""
        moment = self.moment
        if value > 99999999999999:
            raise DecodeError(f"{value} is not a DATETIME")
        date = value // 1000000
        time = value % 1000000
        moment.year = date // 10000
        moment.month = date // 100 % 100
        moment.day = date % 100
        moment.hour = time // 10000
        moment.minute = time // 100 % 100
        moment.second = time % 100

    def from_packed(self, value: int) -> None:
        """Fill the moment from (((year*13+month)*32+day)*24+hour)*3600+..., in units of the fraction's last digit."""
        moment = self.moment
        units = _POWERS[self.fsp]
        moment.micro = value % units * self.power
        value //= units
        moment.second = value % 60
        moment.minute = value // 60 % 60
        moment.hour = value // 3600 % 24
        date = value // 86400
        moment.day = date % 32
        moment.month = date // 32 % 13
        moment.year = date // 416
        if moment.year > 9999:
            raise DecodeError(f"{moment.year} is not a year")


class TimeColumn(TemporalColumn):
    """Old TIME: three bytes, the signed decimal number HHMMSS; MariaDB's with fractions: one packed number."""

    def read(self, cursor: Cursor, sink: Sink) -> None:
        """Read the value at the cursor into the sink."""
        width = OLD_TIME_WIDTHS[self.fsp]
        if self.fsp == 0:
            self.from_decimal(kernel.to_signed(reads.little(cursor, "TIME", 3), 24))
        else:
            self.from_packed(reads.big(cursor, "TIME", width))
        sink.put_time(self, self.moment)

    def from_decimal(self, value: int) -> None:
        """Fill the moment from HHMMSS."""
        moment = self.moment
        moment.negative = value < 0
        value = -value if value < 0 else value
        moment.hour = value // 10000
        moment.minute = value // 100 % 100
        moment.second = value % 100

    def from_packed(self, value: int) -> None:
        """Fill the moment from seconds in units of the fraction's last digit, counted from -838:59:60."""
        moment = self.moment
        units = _POWERS[self.fsp]
        number = value
        number -= _OLD_TIME_SECONDS * units
        moment.negative = number < 0
        number = -number if number < 0 else number
        moment.micro = number % units * self.power
        number //= units
        if number >= _OLD_TIME_SECONDS:
            raise DecodeError("a TIME over 838:59:59")
        moment.hour = number // 3600
        moment.minute = number // 60 % 60
        moment.second = number % 60


def _micro_of(value: int) -> int:
    """Return a fraction in microseconds; `DecodeError` where it is a second or more."""
    if value > 999999:
        raise DecodeError(f"a fraction of {value} microseconds")
    return value
