"""A statement as the log has it: its text, the session that it ran in, and where and when that was."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from binlogcli.schema.sql.charsets import NO_CHARSET, Charset, Collations
from binlogcli.schema.sql.tokens import Dialect


@dataclass(frozen=True, slots=True)
class Session:
    """What a statement was executed under."""

    database: str = ""
    thread: int = 0
    dialect: Dialect = field(default_factory=Dialect)
    collations: Collations = field(default_factory=lambda: Collations(mariadb=False))
    server_charset: Charset = NO_CHARSET
    failed: bool = False  # it ended with an error, and is logged as it had done something by then
    effective: bool = False  # the log proves that it did something, though it says IF NOT EXISTS
    copies_temporary: bool = False  # the server wrote it in place of CREATE TABLE ... LIKE a temporary table


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
