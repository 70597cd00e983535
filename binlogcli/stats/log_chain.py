"""The chain of logs: where each begins and ends, the GTIDs before it, and how it is linked to the next one.

What a log begins with is read from its first bytes, and what it ends with from its last ones or from the events that
were read, so that nothing is read a second time for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

from binlogcli.errors import BinlogError
from binlogcli.events.control import FormatDescription, StartV3
from binlogcli.events.event import Event
from binlogcli.events.mariadb import GtidList
from binlogcli.events.mysql import PreviousGtids
from binlogcli.events.stream import EventStream
from binlogcli.gtids.intervals import Intervals
from binlogcli.gtids.parsing import GtidError, read_gtids
from binlogcli.gtids.text import is_mariadb, mariadb_gtid, set_text
from binlogcli.names.event_types import (
    FORMAT_DESCRIPTION_EVENT,
    ROTATE_EVENT,
    START_ENCRYPTION_EVENT,
    START_EVENT_V3,
    STOP_EVENT,
)
from binlogcli.sources.log_names import follows, read_log_name
from binlogcli.sources.source import PiecedSource, Source, Stream
from binlogcli.stats.log_order import TAIL, base_name, missing, name_in_tail, next_name

_BEFORE_GTIDS = (START_EVENT_V3, FORMAT_DESCRIPTION_EVENT, START_ENCRYPTION_EVENT)
_HEADS = (1 << 12, 1 << 16, 1 << 24)  # first bytes in which the GTIDs before a log are looked for


@dataclass(slots=True)
class ChainedLog:
    """What is known of one log. Positions are 0 where they are not known."""

    file: str
    server_id: int = 0
    server_version: str = ""
    created: int = 0  # seconds since the epoch; 0 where the server was not started with this log
    first_position: int = 0
    last_position: int = 0  # the end of the last event that was read
    previous_gtids: str | None = None  # None: the log does not say, or its head was not read
    ends: str = ""  # "rotated", "server stopped", "no end"; "" where it was not read to its end
    next_log: str | None = None  # as its ROTATE event names it


class _Head(Stream):
    """The first bytes of a log."""

    def __init__(self, name: str, data: bytes) -> None:
        super().__init__(name)
        self._data = data

    def _pull(self, size: int) -> bytes:
        data, self._data = self._data[:size], self._data[size:]
        return data

    def close(self) -> None:
        """Do nothing."""


def begin_chained(file: str, source: Source) -> ChainedLog:
    """Return what the first bytes of a log tell; to be called before any event is read."""
    found = ChainedLog(file)
    if isinstance(source, PiecedSource):
        return found
    for size in _HEADS:
        head = source.head(size)
        if _read_head(found, head) or len(head) < size:
            break
    return found


def _read_head(found: ChainedLog, head: bytes) -> bool:
    """Take what the first events tell; return False where the bytes end before them."""
    for event in EventStream(_Head(found.file, head)):
        if not isinstance(event, Event):
            return False
        if isinstance(event, FormatDescription | StartV3) and not found.first_position:  # relay logs have two
            found.first_position = event.start
            found.server_id, found.server_version = event.server_id, event.server_version
            found.created = event.created
        elif isinstance(event, PreviousGtids):
            found.previous_gtids = str(event.gtid_set)
            return True
        elif isinstance(event, GtidList):
            found.previous_gtids = ",".join(mariadb_gtid(*gtid) for gtid in event.list)
            return True
        elif event.type_code not in _BEFORE_GTIDS:
            return True
    return False


def end_chained(found: ChainedLog, source: Source, stream: EventStream) -> None:
    """Add what the end of a log tells, as far as it was read."""
    outer = stream.outer
    found.last_position = outer.base + outer.pos
    found.first_position = found.first_position or min(4, found.last_position)
    at_end = outer.ended or (source.size is not None and found.last_position >= source.size)
    if at_end and (stream.chooser is None or outer.type_code in (ROTATE_EVENT, STOP_EVENT)):
        found.ends = {ROTATE_EVENT: "rotated", STOP_EVENT: "server stopped"}.get(outer.type_code, "no end")
    try:
        found.next_log = next_name(source)
    except BinlogError:
        return
    if found.next_log is None and isinstance(source, Stream) and found.ends == "rotated":
        found.next_log = name_in_tail(source.tail(TAIL))
    if found.next_log is not None:
        found.ends, found.last_position = "rotated", source.size or found.last_position


def chain(logs: Sequence[ChainedLog]) -> list[dict[str, Any]]:
    """Return the logs in their order, each with `link`: how it is linked to the next one."""
    entries = [asdict(log) for log in logs]
    for (before, after), entry in zip(pairwise(logs), entries, strict=False):
        entry["link"] = _link(before, after)
    return entries


def _link(before: ChainedLog, after: ChainedLog) -> dict[str, Any]:
    """Return how a log is linked to the one after it."""
    found: dict[str, Any] = {"to": after.file}
    name = base_name(after.file)
    if before.next_log is not None and base_name(before.next_log) == name:
        return found | {"kind": "follows", "why": "its ROTATE event names it"}
    if base_name(before.file) == name:
        return found | {"kind": "overlap", "why": "both have the same name"}
    if lost := _lost_gtids(before, after):
        why = f"the GTIDs before the second one lack {lost}, which are before the first one"
        return found | {"kind": "overlap", "why": why}
    absent = [log for log, _ in missing([{"file": before.file}, {"file": after.file}])]
    if absent:
        return found | {"kind": "gap", "why": "logs are missing between them", "missing": absent}
    if follows(after.file, before.file):
        return found | {"kind": "follows", "why": "by the numbers in their names"}
    if _same_beginning(before, after):
        return found | {"kind": "overlap", "why": "both begin at the same point of the server's history"}
    if before.next_log is not None and read_log_name(name) is not None:
        why = "its ROTATE event names another log"
        return found | {"kind": "gap", "why": why, "missing": [before.next_log]}
    return found | {"kind": "unknown", "why": "neither a ROTATE event nor their names link them"}


def _lost_gtids(before: ChainedLog, after: ChainedLog) -> str:
    """Return GTIDs that are before a log and not before the one after it, as where the order is wrong; "" for none."""
    if not before.previous_gtids or after.previous_gtids is None:
        return ""
    try:
        earlier = read_gtids(before.previous_gtids)
        later = read_gtids(after.previous_gtids) if after.previous_gtids else {}
    except GtidError:  # numbers that no server writes
        return ""
    if all(map(is_mariadb, earlier)):  # of each domain the last number of each server, which grow together
        reached: dict[Any, int] = {}
        for (domain, _), known in later.items():
            reached[domain] = max(reached.get(domain, -1), known.pairs()[-1][1])
        return ",".join(
            mariadb_gtid(int(domain), int(server), known.pairs()[-1][1])
            for (domain, server), known in earlier.items()
            if reached.get(domain, -1) < known.pairs()[-1][1]
        )
    lost = {
        source: [pair for pair in known.pairs() if not _within(pair, later.get(source))]
        for source, known in earlier.items()
    }
    return set_text({source: pairs for source, pairs in lost.items() if pairs})


def _within(pair: tuple[int, int], known: Intervals | None) -> bool:
    """Whether all numbers of a range are in a set."""
    return known is not None and any(first <= pair[0] and pair[1] <= last for first, last in known.pairs())


def _same_beginning(one: ChainedLog, other: ChainedLog) -> bool:
    """Whether two logs begin at the same point of a server's history."""
    same = (one.server_id, one.server_version, one.previous_gtids) == (
        other.server_id,
        other.server_version,
        other.previous_gtids,
    )
    return same and bool(one.previous_gtids) and one.created == other.created
