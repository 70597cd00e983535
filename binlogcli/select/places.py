"""A place in a history of logs, as users write it: a time, FILE:POSITION, or a GTID; and when a log has come to it.

What holds at a time holds before the first event that is at it or later; at a position, before the event that begins
there; at a GTID, after its transaction. A place that the logs do not have is an error: what holds there is not known.
"""

from __future__ import annotations

import os
import re
from datetime import tzinfo
from typing import NamedTuple

from binlogcli.errors import BinlogError
from binlogcli.events.event import Event, Transaction
from binlogcli.events.stream import NO_LIMIT
from binlogcli.gtids.text import Source, mariadb_gtid, mysql_gtid
from binlogcli.select.times import TimeError, read_time, time_text
from binlogcli.sources.log_names import without_packed_ending

_POSITION = re.compile(r"(.+):(0[xX][0-9a-fA-F]{1,16}|[0-9]{1,19})", re.ASCII | re.DOTALL)
_FORMS = "write a time (2026-11-21 00:05:18), FILE:POSITION or one GTID"


_HINTS = {
    "--at": "omit --at for the definitions at the end of the logs",
    "--schema-at": "pass also the log that contains this point",
    "the option schemaAt": "pass also the log that contains this point",
}


class PlaceError(BinlogError):
    """A text that names no place, or a place that the logs do not have."""


class LogPlace(NamedTuple):
    """A place as it was written: one of `time` (seconds since the epoch), `file` with `position`, and `gtid`."""

    text: str
    time: int | None = None
    file: str = ""
    position: int = 0
    gtid: str = ""
    zone: tzinfo | None = None  # in which messages name times


def read_place(text: str, zone: tzinfo | None) -> LogPlace:
    """Return the place that a text names; a time without a zone is in `zone`. Raises `PlaceError`."""
    from binlogcli.gtids.parsing import GtidError, read_gtids  # 2 ms to compile, and only for this option

    try:
        return LogPlace(text, time=read_time(text, zone, up=True), zone=zone)
    except TimeError:
        pass
    try:
        found = read_gtids(text)
    except GtidError:
        known = _POSITION.fullmatch(text)
        if known is None:
            raise PlaceError(f"{text!r} is not a time, FILE:POSITION or GTID", hint=_FORMS) from None
        return LogPlace(text, file=known[1], position=int(known[2], 16 if known[2][:2].lower() == "0x" else 10))
    if len(found) == 1:
        ((source, numbers),) = found.items()
        if numbers.starts == numbers.ends and len(numbers.starts) == 1:
            return LogPlace(text, gtid=_gtid_text(source, numbers.starts[0]))
    raise PlaceError(f"{text!r} is more than one GTID", hint=_FORMS)


def _gtid_text(source: Source, number: int) -> str:
    first, second = source
    if isinstance(first, int):
        return mariadb_gtid(first, int(second), number)
    return mysql_gtid(first, str(second), number)


class PlaceWatch:
    """Tells when the logs of a run, read in their order, have come to a place. `reached` is set once they have."""

    def __init__(self, place: LogPlace, option: str = "--at") -> None:
        self.place = place
        self.option = option
        self.reached = False
        self._problem = ""
        self._last = 0  # time of the events so far
        self._transaction: Transaction | None = None  # that has the GTID

    @property
    def over(self) -> bool:
        """Whether nothing more is to be read: the place was reached, or it is known not to be there."""
        return self.reached or bool(self._problem)

    def limit(self, path: str) -> int:
        """Return the offset in a log before which to stop; `NO_LIMIT` where it is another log."""
        if not self.place.file or self.place.file not in _names(path):
            return NO_LIMIT
        return self.place.position

    def passes(self, event: Event) -> bool:
        """Take the next event of a log; return whether it stands before the place."""
        if self.place.time is not None:
            self._see_time(event.timestamp, self.place.time)
        elif self.place.gtid:
            self._see_transaction(event.transaction)
        return not self.over

    def _see_time(self, time: int, until: int) -> None:
        if time >= until and not self._last and time > until:
            self._problem = f"the logs start later, at {time_text(time, self.place.zone)}"
        self.reached = time >= until and not self._problem
        self._last = max(self._last, time)

    def _see_transaction(self, transaction: Transaction | None) -> None:
        if self._transaction is not None:
            self.reached = transaction is not self._transaction
        elif transaction is not None and transaction.gtid == self.place.gtid:
            self._transaction = transaction

    def end_log(self, path: str, start: int, end: int) -> None:
        """Take in that a log was read up to its limit or its end: the last event that was seen is [start, end)."""
        position = self.limit(path)
        if self._transaction is not None:
            self.reached = True
        elif position != NO_LIMIT and not self.over:
            self.reached = position in {start, end}
            if not self.reached and position < end:
                self._problem = f"no event starts there; the nearest one starts at {start}"
            elif not self.reached:
                self._problem = f"the log ends at {end}"

    def problem(self) -> PlaceError | None:
        """Return an error where the logs do not have the place, else None."""
        if self.reached:
            return None
        reason = self._problem or self._missing()
        return PlaceError(f"{self.option} {self.place.text}: {reason}", hint=_HINTS[self.option])

    def _missing(self) -> str:
        if self.place.time is not None:
            return (
                f"the logs end earlier, at {time_text(self._last, self.place.zone)}"
                if self._last
                else "no event has a time"
            )
        return "none of the logs has this name" if self.place.file else "no transaction has this GTID"


def _names(path: str) -> set[str]:
    """Return the names by which a user may mean a log: as it was given, its base name, without a packed ending."""
    name = os.path.basename(path)
    names = {path, name, name.rpartition(":")[2]}  # of a capture, its name and the log's
    return names | {without_packed_ending(name) for name in names}
