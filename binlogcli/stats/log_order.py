"""Puts several logs in the order of their history, and finds which are missing between them.

A log that ends in a ROTATE event holds the name of the next; so does the number in its name. Logs of which neither is
known keep the places in which they were given.
"""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from binlogcli.names.event_types import ROTATE_EVENT
from binlogcli.sources.log_names import LogName, read_log_name, without_packed_ending
from binlogcli.sources.source import Source

_LEAST_DIGITS = 3  # of a log's number; copies of logs may end with shorter ones
TAIL = 1 << 11  # bytes at the end of a log that hold its ROTATE event
_HEADER, _POSITION, _CHECKSUM = 19, 8, 4
_LONGEST_GAP = 50  # names of missing logs that are listed


def base_name(path: str) -> str:
    """Return the name that a server gave the log: without its directory and the ending of a packed file."""
    return without_packed_ending(path.replace("\\", "/").rpartition("/")[2])


def _numbered(name: str) -> LogName | None:
    """Return the parts of a log's name; None where it has no number of at least _LEAST_DIGITS digits."""
    parts = read_log_name(name)
    return None if parts is None or len(parts.digits) < _LEAST_DIGITS else parts


def next_name(source: Source) -> str | None:
    """Return the name in the ROTATE event at the end of a plain log; None where the last bytes hold no such event."""
    if not source.seekable or not source.size:
        return None
    first = max(source.size - TAIL, 0)
    source.seek(first)
    tail = b""
    while more := source.read(TAIL):
        tail += more
    source.seek(0)
    return name_in_tail(tail)


def name_in_tail(tail: bytes) -> str | None:
    """Return the name in the ROTATE event that the last bytes of a log hold; None where they hold none."""
    for size in range(_HEADER + _POSITION + 1, min(len(tail), 600)):
        at = len(tail) - size
        if tail[at + 4] == ROTATE_EVENT and int.from_bytes(tail[at + 9 : at + 13], "little") == size:
            return _ident(tail[at + _HEADER + _POSITION :])
    return None


def _ident(raw: bytes) -> str | None:
    """Return a log's name, with or without a checksum after it; None where it has no number."""
    for end in (len(raw) - _CHECKSUM, len(raw)):
        name = raw[:end].decode("utf-8", "surrogateescape") if end > 0 else ""
        if _numbered(name) is not None:
            return name
    return None


def ordered(paths: Sequence[str], following: dict[str, str | None]) -> list[str]:
    """Return the logs in the order of their history; `following` has for each the name in its ROTATE event."""
    by_name: dict[tuple[str, str], str] = {}
    for path in paths:
        by_name.setdefault((posixpath.dirname(path), base_name(path)), path)
    by_number = _by_number(by_name)
    successors: dict[str, str] = {}
    followers: set[str] = set()
    for path in paths:
        name = following.get(path)
        after = by_name.get((posixpath.dirname(path), base_name(name))) if name else None
        after = after or by_number.get(path)
        if after is not None and after != path and after not in followers:
            successors[path] = after
            followers.add(after)
    order: dict[str, None] = {}
    for path in [*(path for path in paths if path not in followers), *paths]:
        at: str | None = path
        while at is not None and at not in order:
            order[at] = None
            at = successors.get(at)
    return list(order)


def _by_number(by_name: dict[tuple[str, str], str]) -> dict[str, str]:
    """Return for each log the one in its directory with the next larger number."""
    series: dict[tuple[str, str], list[tuple[int, str]]] = {}
    for (directory, name), path in by_name.items():
        known = _numbered(name)
        if known is not None:
            series.setdefault((directory, known.base), []).append((known.number, path))
    found: dict[str, str] = {}
    for logs in series.values():
        logs.sort()
        found |= {one: other for (_, one), (_, other) in pairwise(logs)}
    return found


def missing(logs: Sequence[dict[str, Any]]) -> list[tuple[str, str]]:
    """Return the names of logs that are missing between two others, each with the log after the gap."""
    found: list[tuple[str, str]] = []
    for before, after in pairwise(logs):
        one, other = _numbered(base_name(before["file"])), _numbered(base_name(after["file"]))
        if one is None or other is None or one.base != other.base:
            continue
        end = min(other.number, one.number + _LONGEST_GAP)
        absent = [one.with_number(number) for number in range(one.number + 1, end)]
        found += [(name, after["file"]) for name in absent]
    return found
