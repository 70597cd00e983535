"""The events of logs that tell of definitions: kept from run to run, and replayed by those who read a part of a log.

The idea: a split is read by a process that sees nothing of the log before it, nor of earlier logs. When a run is
planned, each log is walked over anyhow; the few events that a catalog follows (statements that may define tables with
their GTIDs, format descriptions, empty sets of GTIDs) are kept on the way. They go into the commit record as they are,
so that later runs know them, and a reader that learns more statements profits from old records.

Logs of one folder, server and base name are a series: servers are often numbered alike. Its order is that of the logs'
beginnings and numbers, whatever the order of their conversion. A log whose name has no number is a series by itself.
"""

from __future__ import annotations

import base64
import hashlib
import os
import zlib
from bisect import bisect_left
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from binlogcli.lake.errors import LakeError
from binlogcli.names.event_types import FORMAT_EVENTS, QUERY_COMPRESSED_EVENT, QUERY_EVENT
from binlogcli.sources.log_names import read_log_name

LogKey = tuple[str, str]  # a log's name without folder and packed ending, and the checksum of its head
PlacedEvent = tuple[int, bytes]  # its position in the log, and its bytes, decrypted
Series = tuple[str, int, str]  # the folder, the server's number, and the base of its logs' names

_HEADER = 19  # bytes of an event's header
_PLACE = 8  # bytes of a position in a record
_TYPE_AT, _SERVER_AT, _SIZE_AT = 4, 5, 9  # in the header, after the time
_STATEMENTS = frozenset((QUERY_EVENT, QUERY_COMPRESSED_EVENT))
# In place of a stretch that cannot be read, and of one that could not; headers alone, of a type that no server writes
LOST, REPAIRED = (bytes(_SIZE_AT) + bytes((_HEADER,)) + bytes(7) + bytes((flag, 0)) for flag in (0, 1))


class SchemaPlace(NamedTuple):
    """When schema files were made: before the event at `position` of a log; None for after the last log."""

    log: LogKey | None = None
    position: int = 0


@dataclass(frozen=True)
class DefiningEvents:
    """The events of one log that tell of definitions, in its order."""

    name: str
    folder: str  # where the log was found first
    events: tuple[PlacedEvent, ...]

    def has_statements(self) -> bool:
        """Whether there is more than what every log begins with."""
        return any(event[_TYPE_AT] in _STATEMENTS for _, event in self.events)

    def series(self) -> Series:
        """Return the series that the log belongs to."""
        parts = read_log_name(self.name)
        server_id = int.from_bytes(self._format()[_SERVER_AT:_SIZE_AT], "little")
        return self.folder, server_id, self.name if parts is None else parts.base

    def order(self) -> tuple[int, int, str]:
        """Return the place of the log in its series, as a sort key."""
        parts = read_log_name(self.name)
        return int.from_bytes(self._format()[:_TYPE_AT], "little"), 0 if parts is None else parts.number, self.name

    def _format(self) -> bytes:
        """Return the first format description; empty without one."""
        return next((event for _, event in self.events if event[_TYPE_AT] in FORMAT_EVENTS), b"")

    def repaired(self, places: Iterable[int]) -> DefiningEvents:
        """Return the same for a log in which the stretches that began at these places can be read by now."""
        known = {place for place, _ in self.events}
        more = [(place, REPAIRED) for place in places if place not in known]
        return replace(self, events=tuple(sorted((*self.events, *more)))) if more else self

    def before(self, position: int) -> int:
        """Return how many of the events stand before a position."""
        return bisect_left(self.events, (position,))

    def within(self, start: int, end: int) -> DefiningEvents:
        """Return the events in a part of the log."""
        return replace(self, events=tuple(one for one in self.events if start <= one[0] < end))

    def with_more(self, other: DefiningEvents) -> DefiningEvents:
        """Return these events and those of `other`, which was read later, in their order: one for each place."""
        known = dict(self.events)
        more = known | dict(other.events)
        return replace(self, events=tuple(sorted(more.items()))) if more != known else self

    def without(self, other: DefiningEvents | None) -> DefiningEvents:
        """Return the events that `other` has not, or has not like this."""
        known = set() if other is None else set(other.events)
        return replace(self, events=tuple(one for one in self.events if one not in known)) if known else self

    def packed(self) -> str:
        """Return the events as text for a record."""
        parts = [place.to_bytes(_PLACE, "little") + event for place, event in self.events]
        return base64.b64encode(zlib.compress(b"".join(parts))).decode()

    @classmethod
    def unpacked(cls, name: str, folder: str, text: str) -> DefiningEvents:
        """Make it of what `packed` returned. Raises ValueError for other texts."""
        try:
            data = zlib.decompress(base64.b64decode(text, validate=True))
        except zlib.error as error:
            raise ValueError(str(error)) from error
        events = []
        at = 0
        while at < len(data):
            start = at + _PLACE
            size = int.from_bytes(data[start + _SIZE_AT : start + _SIZE_AT + 4], "little")
            if size < _HEADER or start + size > len(data):
                raise ValueError("an event is truncated")
            events.append((int.from_bytes(data[at:start], "little"), data[start : start + size]))
            at = start + size
        return cls(name, folder, tuple(events))


@dataclass(frozen=True)
class History:
    """What the logs that are known tell of definitions, by log."""

    logs: Mapping[LogKey, DefiningEvents]

    def with_events(self, found: Iterable[tuple[LogKey, DefiningEvents]]) -> History:
        """Return a history that has these events of logs, too, each of them once."""
        logs = dict(self.logs)
        for key, log in found:
            logs[key] = logs[key].with_more(log) if key in logs else log
        return History(logs)

    def as_record(self, before: History | None = None) -> list[dict[str, Any]]:
        """Return what is in it, and was not in the history `before`, as a commit record has it."""
        found = []
        for key, log in self.logs.items():
            known = before.logs.get(key) if before is not None else None
            if known is log:
                continue
            new = log.without(known)
            if new.events:
                entry = {"name": key[0], "head_sha256": key[1], "folder": log.folder, "events": new.packed()}
                found.append(entry)
        return found

    def renamed(self, old: LogKey, new: LogKey) -> History:
        """Return a history that has the events of the log `old` as those of `new`."""
        if old == new or old not in self.logs:
            return self
        return History({new if key == old else key: log for key, log in self.logs.items()})

    def with_record(self, fields: Iterable[Mapping[str, Any]]) -> History:
        """Return a history that has what `as_record` returned. Raises ValueError if it cannot be unpacked."""
        return self.with_events(
            ((one["name"], one["head_sha256"]), DefiningEvents.unpacked(one["name"], one["folder"], one["events"]))
            for one in fields
        )

    def orders(self, keys: Container[LogKey]) -> dict[str, tuple[int, int, str]]:
        """Return the places of some logs in their series, as sort keys, by their names."""
        return {log.name: log.order() for key, log in self.logs.items() if key in keys}

    def of(self, logs: Iterable[tuple[str, LogKey]], schemas: SchemaPlace | None = None) -> LogHistory:
        """Return what those need to know who read these logs, given as (path, key).

        Schema files are of the beginning of each series without `schemas`. Raises LakeError if they are of a place
        that a series does not have.
        """
        keys: dict[Series, list[LogKey]] = {}
        for key, log in self.logs.items():
            keys.setdefault(log.series(), []).append(key)
        places: dict[str, tuple[int, int]] = {}
        found: list[tuple[DefiningEvents, ...]] = []
        numbers: dict[LogKey, tuple[int, int]] = {}  # of the logs in `found`: series, and index in it
        for path, key in logs:
            if key in self.logs and key not in numbers:
                ordered = sorted(keys[self.logs[key].series()], key=lambda one: self.logs[one].order())
                numbers |= {one: (len(found), index) for index, one in enumerate(ordered)}
                found.append(tuple(self.logs[one] for one in ordered))
            if key in numbers:
                places[path] = numbers[key]
        telling = [any(log.has_statements() for log in one) for one in found]
        series = tuple(one if telling[number] else () for number, one in enumerate(found))
        ends = () if schemas is None else tuple(self._reach(one, schemas) for one in series)
        places = {path: place for path, place in places.items() if telling[place[0]]}
        return LogHistory(places, series, _identity(series, ends), ends)

    def _reach(self, series: Sequence[DefiningEvents], schemas: SchemaPlace) -> tuple[int, int]:
        """Return the place that schema files are of in a series: a log's index, and how many of its events are before.

        Raises LakeError if the series does not have it.
        """
        if not series or schemas.log is None:
            return len(series), 0
        log = self.logs.get(schemas.log)
        index = next((number for number, one in enumerate(series) if one is log), -1)
        if log is None or index < 0:
            reason = f"--schema-at specifies a point in {schemas.log[0]}, which is a log of another server or directory"
            hint = "convert the logs of each server in a separate run"
            raise LakeError(reason, file=os.path.join(series[-1].folder, series[-1].name), hint=hint)
        return index, log.before(schemas.position)


NO_HISTORY = History({})


@dataclass(frozen=True)
class LogHistory:
    """The histories of the series that some logs belong to, if there are statements in them.

    `places` has the logs by path: the number of their series, and their index in it.
    """

    places: Mapping[str, tuple[int, int]]
    series: tuple[tuple[DefiningEvents, ...], ...]
    identity: str  # a checksum of the rest, by which a process knows what it has replayed
    schemas: tuple[tuple[int, int], ...] = ()  # where schema files are of in each series; empty: at its beginning

    def has_statements(self, path: str) -> bool:
        """Whether a log, or one of its series, has a statement that may define a table."""
        return path in self.places

    def begun(self, path: str) -> dict[str, int]:
        """Return when the logs of a series were begun up to one of them, by their names, the last of a name."""
        if path not in self.places:
            return {}
        series, index = self.places[path]
        return {log.name: log.order()[0] for log in self.series[series][: index + 1]}


def _identity(series: Sequence[Sequence[DefiningEvents]], schemas: Sequence[tuple[int, int]]) -> str:
    """Return a checksum that distinguishes histories."""
    digest = hashlib.sha256(repr(schemas).encode())
    for logs in series:
        digest.update(len(logs).to_bytes(_PLACE, "little"))
        for log in logs:
            digest.update(log.name.encode("utf-8", "surrogateescape") + b"\0")
            for place, event in log.events:
                digest.update(place.to_bytes(_PLACE, "little") + event)
    return digest.hexdigest()
