"""The names of logs: a base, a dot and a number, as servers give them; the endings that compressed copies get."""

from __future__ import annotations

import re
from typing import NamedTuple

PACKED_ENDINGS = (".gz", ".zst", ".xz", ".bz2")
SERVER_DIGITS = range(6, 11)  # how many digits servers write: six, and more from number 1000000 on
_NUMBERED = re.compile(r"(.*\.)([0-9]{1,20})", re.DOTALL)


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
    match = _NUMBERED.fullmatch(name)
    return LogName(match[1], match[2]) if match else None


def without_packed_ending(name: str) -> str:
    """Return a file's name without the ending of a compressed copy."""
    for ending in PACKED_ENDINGS:
        name = name.removesuffix(ending)
    return name
