"""A statement as the log has it: its text, the session that it ran in, and where and when that was."""

from __future__ import annotations

from typing import NamedTuple

from binlogcli.schema.replay import Session


class Place(NamedTuple):
    """Where in an ordered history of logs an event stands."""

    file: str
    position: int  # the event's offset, or that of the payload event that it was decompressed from
    time: int  # of the event's header, in seconds since the epoch
    gtid: str | None


class LoggedStatement(NamedTuple):
    """A statement that may have changed a definition."""

    text: str | bytes
    session: Session
    place: Place
    damaged: bool = False  # so that its text may be another
