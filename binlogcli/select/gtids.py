"""Sets of GTIDs as users write them, of both families: `UUID[:TAG]:1-5:7,...` and `0-1-100`, `0-1-100..200`."""

from __future__ import annotations

import re
from bisect import bisect_right

from binlogcli.errors import BinlogError
from binlogcli.events.transactions import Transaction

Source = tuple[int, int] | tuple[str, str]  # MariaDB: domain and server; MySQL: UUID and tag

MARIADB_ITEM = re.compile(r"(\d+)-(\d+)-(\d+)(?:\.\.(\d+))?", re.ASCII)
UUID = re.compile(r"\{?([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})\}?", re.IGNORECASE)
TAG = re.compile(r"[a-z_][a-z0-9_]{0,31}", re.IGNORECASE | re.ASCII)
INTERVAL = re.compile(r"(\d+)(?:\s*-\s*(\d+))?", re.ASCII)
MAX_MARIADB_SEQ = (1 << 64) - 1
MAX_MYSQL_GNO = (1 << 63) - 2
MAX_ID = (1 << 32) - 1  # of a MariaDB domain or server
FORMS = "write UUID:1-5:7 or UUID:tag:1-5 (MySQL), 0-1-100 or 0-1-100..200 (MariaDB), several with commas"


class GtidError(BinlogError):
    """A text that is no set of GTIDs."""


class GtidChoice:
    """Numbers in intervals, by where they come from; `found` tells whether any GTID was ever in it."""

    def __init__(self, intervals: dict[Source, list[tuple[int, int]]]) -> None:
        self.starts: dict[Source, list[int]] = {}
        self.ends: dict[Source, list[int]] = {}
        self.found = False
        for source, pieces in intervals.items():
            merged = merge(pieces)
            self.starts[source] = [first for first, _ in merged]
            self.ends[source] = [last for _, last in merged]

    def contains(self, source: Source, number: int) -> bool:
        """Whether the GTID is in the set."""
        starts = self.starts.get(source)
        if starts is None:
            return False
        at = bisect_right(starts, number) - 1
        inside = at >= 0 and number <= self.ends[source][at]
        self.found = self.found or inside
        return inside

    def holds(self, transaction: Transaction) -> bool:
        """Whether the transaction is in the set; one without a GTID is in none."""
        if transaction.mariadb_gtid:
            return self.contains((transaction.domain_id, transaction.server_id), transaction.seq_no)
        if transaction.sid is not None:
            return self.contains((transaction.sid, transaction.tag), transaction.gno)
        return False


def merge(pieces: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Intervals in order, those that touch or overlap made one; both ends are included."""
    merged: list[tuple[int, int]] = []
    for first, last in sorted(pieces):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], last))
        else:
            merged.append((first, last))
    return merged


def read_gtids(text: str) -> GtidChoice:
    """A set as it was typed; `GtidError` says which part is none."""
    intervals: dict[Source, list[tuple[int, int]]] = {}
    for piece in text.split(","):
        item = piece.strip()
        if not item:
            continue
        known = MARIADB_ITEM.fullmatch(item)
        if known is not None:
            source, interval = _mariadb(item, known)
            intervals.setdefault(source, []).append(interval)
        else:
            _mysql(item, intervals)
    if not intervals:
        raise GtidError("no GTID was given", hint=FORMS)
    return GtidChoice(intervals)


def _mariadb(item: str, known: re.Match[str]) -> tuple[Source, tuple[int, int]]:
    domain, server, first = int(known[1]), int(known[2]), int(known[3])
    last = first if known[4] is None else int(known[4])
    if domain > MAX_ID or server > MAX_ID or last > MAX_MARIADB_SEQ:
        raise GtidError(f"a number in {item!r} is larger than MariaDB's can be", hint=FORMS)
    if last < first:
        raise GtidError(f"{item!r} ends before it begins", hint=FORMS)
    return (domain, server), (first, last)


def _mysql(item: str, intervals: dict[Source, list[tuple[int, int]]]) -> None:
    """`UUID:1-5:7:tag:3`: numbers before the first tag have none."""
    head, *parts = [part.strip() for part in item.split(":")]
    known = UUID.fullmatch(head)
    if known is None or not parts:
        raise GtidError(f"{item!r} is no GTID", hint=FORMS)
    sid = "-".join(known.groups()).lower()
    tag, numbers = "", 0
    for part in parts:
        interval = INTERVAL.fullmatch(part)
        if interval is not None:
            intervals.setdefault((sid, tag), []).append(_numbers(item, interval))
            numbers += 1
        elif TAG.fullmatch(part):
            tag, numbers = part.lower(), 0
        else:
            raise GtidError(f"{part!r} in {item!r} is neither a number, nor a range, nor a tag", hint=FORMS)
    if numbers == 0:
        raise GtidError(f"no number follows the tag in {item!r}", hint=FORMS)


def _numbers(item: str, interval: re.Match[str]) -> tuple[int, int]:
    first = int(interval[1])
    last = first if interval[2] is None else int(interval[2])
    if not 1 <= first <= last <= MAX_MYSQL_GNO:
        raise GtidError(f"{interval[0]!r} in {item!r} is no range of numbers from 1 on", hint=FORMS)
    return first, last
