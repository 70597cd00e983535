"""Names of the files that logs are split into: LOG.POSITION, and what distinguishes the part.

Names in a log are not trusted: each byte that is not a letter, a digit, `_` or `-` is written as %XX, in the name of
the log `.` and `+` stay, except at its start. A long name is cut, and ends in a checksum of all of it.
"""

from __future__ import annotations

import os
import zlib
from datetime import UTC, datetime

from binlogcli.extract.unit import Table
from binlogcli.sources.log_names import without_packed_ending

_PLAIN = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")
_IN_LOGS = _PLAIN | frozenset(b".+")
_LONGEST = 80  # bytes of each part of a name


def log_name(path: str) -> str:
    """Return the name of a log for files made of it."""
    name = without_packed_ending(os.path.basename(path.rstrip("/"))).replace(":", ".") or "log"
    made = _safe("stdin" if name == "-" else name, _IN_LOGS)
    return "%2E" + made[1:] if made.startswith(".") else made


def part_name(log: str, position: int, suffix: str = "") -> str:
    """Return the name of a part that starts at a position: its digits are such that names sort by it."""
    return f"{log}.{position:012d}" + (f".{suffix}" if suffix else "")


def table_suffix(table: Table) -> str:
    """Return what the name of a table's file ends in."""
    if not table.database and not table.table:
        return "no-table"
    database = _safe(table.database, _PLAIN) or "no-database"
    return f"{database}.{_safe(table.table, _PLAIN)}" if table.table else database


def hour_suffix(time: int) -> str:
    """Return what the name of an hour's file ends in: the hour, in UTC."""
    return datetime.fromtimestamp(time - time % 3600, UTC).strftime("%Y%m%dT%HZ")


def _safe(name: str, plain: frozenset[int]) -> str:
    raw = name.encode("utf-8", "surrogateescape")
    made = "".join(chr(byte) if byte in plain else f"%{byte:02X}" for byte in raw)
    return made if len(made) <= _LONGEST else f"{made[: _LONGEST - 9]}~{zlib.crc32(raw):08x}"
