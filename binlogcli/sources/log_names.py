"""The names of logs: a base, a dot and a number, as servers give them; the endings that compressed copies get."""

from __future__ import annotations

from typing import NamedTuple

PACKED_ENDINGS = (".gz", ".zst", ".xz", ".bz2")
SERVER_DIGITS = range(6, 11)  # how many digits servers write: six, and more from number 1000000 on
_LONGEST = 20  # digits of a number


class LogName(NamedTuple):
    """The parts of a log's name, such as `binlog.` and `000123`."""

    base: str
    digits: str

    @property
    def number(self) -> int:
        """The value of the digits."""
        return int(self.digits)

    def with_number(self, number: int) -> str:
        """Return the name of the log of that number, with as many digits or more."""
        return f"{self.base}{number:0{len(self.digits)}d}"


def read_log_name(name: str) -> LogName | None:
    """Return the parts of a name that ends in a dot and ASCII digits; None for other names."""
    base, dot, digits = name.rpartition(".")
    is_numbered = dot and len(digits) <= _LONGEST and digits.isascii() and digits.isdecimal()
    return LogName(base + dot, digits) if is_numbered else None


def without_packed_ending(name: str) -> str:
    """Return a file's name without the ending of a compressed copy."""
    for ending in PACKED_ENDINGS:
        name = name.removesuffix(ending)
    return name
