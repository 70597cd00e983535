"""A position given as GTIDs, as either family's servers take it."""

from __future__ import annotations

import re
import uuid

from binlogcli.errors import SourceError

_MARIADB = re.compile(r"\d+-\d+-\d+(,\d+-\d+-\d+)*", re.ASCII)
_INTERVAL = re.compile(r"(\d{1,19})(?:-(\d{1,19}))?", re.ASCII)
_TAG = re.compile(r"[a-z_][a-z0-9_]{0,31}", re.IGNORECASE | re.ASCII)
_LARGEST = (1 << 63) - 1
Intervals = dict[tuple[bytes, str], list[tuple[int, int]]]


def mariadb_state(text: str) -> str:
    """GTIDs for `@slave_connect_state`: what follows them is sent."""
    state = "".join(text.split())
    if state and not _MARIADB.fullmatch(state):
        raise SourceError(
            f"{text!r} is no position of MariaDB", hint="write 0-1-100, for several domains 0-1-100,1-1-7"
        )
    return state


def mysql_intervals(text: str) -> Intervals:
    """A set as it is written."""
    intervals: Intervals = {}
    for item in filter(None, (piece.strip() for piece in text.split(","))):
        _read_item(item, intervals)
    return intervals


def mysql_set(intervals: Intervals) -> bytes:
    """A set in the encoding of PREVIOUS_GTIDS: what is not in it is sent."""
    tagged = any(tag for _, tag in intervals)
    # the last byte of the count says that there are tags
    parts = [(len(intervals) << 8 | 1 << 56 | 1 if tagged else len(intervals)).to_bytes(8, "little")]
    for (sid, tag), pieces in sorted(intervals.items()):
        parts.append(sid)
        if tagged:
            parts += [bytes([len(tag) << 1]), tag.encode()]
        merged = _merged(pieces)
        parts.append(len(merged).to_bytes(8, "little"))
        parts += [first.to_bytes(8, "little") + end.to_bytes(8, "little") for first, end in merged]
    return b"".join(parts)


def _read_item(item: str, intervals: Intervals) -> None:
    """`UUID:1-5:7:tag:3`: numbers before the first tag have none."""
    head, *parts = [part.strip() for part in item.split(":")]
    try:
        sid = uuid.UUID(head).bytes
    except ValueError:
        raise _no_set(item) from None
    tag = ""
    for part in parts:
        known = _INTERVAL.fullmatch(part)
        if known is not None:
            first, last = int(known[1]), int(known[2] or known[1])
            if not 1 <= first <= last < _LARGEST:
                raise _no_set(item)
            intervals.setdefault((sid, tag), []).append((first, last + 1))
        elif _TAG.fullmatch(part):
            tag = part.lower()
        else:
            raise _no_set(item)
    if not parts:
        raise _no_set(item)


def _merged(pieces: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for first, end in sorted(pieces):
        if merged and first <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((first, end))
    return merged


def _no_set(item: str) -> SourceError:
    return SourceError(f"{item!r} is no set of MySQL's GTIDs", hint="write UUID:1-5:7, several with commas")
