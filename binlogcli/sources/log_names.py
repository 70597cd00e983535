"""The names of logs: a base, a dot and a number, as servers give them; the endings that compressed copies get."""

from __future__ import annotations

import os
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


def follows(file: str, before: str) -> bool:
    """Whether a log is the next one of the server that wrote the one before, by their names."""
    name, last = (read_log_name(without_packed_ending(path)) for path in (file, before))
    return name is not None and last is not None and name.base == last.base and name.number == last.number + 1


def cannot_follow(file: str, before: str) -> bool:
    """Whether the server of the log before cannot have written this one later: another base, or no higher number."""
    name, last = (read_log_name(os.path.basename(without_packed_ending(path))) for path in (file, before))
    return name is not None and last is not None and (name.base != last.base or name.number <= last.number)
