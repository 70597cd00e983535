"""The base class of all events, and the transaction that an event is part of.

`start` and `end` are offsets in the log, or in the decompressed content of the event at `within`.
`data[body_start:body_end]` is the body; an event keeps its `data` alive, so events may be kept. `kept` is the longest
part of the body, cut out or decompressed by `decode`, which takes it from there if the event is decoded again.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import ClassVar

from binlogcli.binary.cursor import Cursor
from binlogcli.gtids.text import mariadb_gtid, mysql_gtid
from binlogcli.log.context import LogContext
from binlogcli.log.walker import Walker
from binlogcli.names.event_types import event_type_name
from binlogcli.names.flags import flag_names


class Transaction:
    """What is known of a transaction so far, made by `TransactionTracker`; its events share one object.

    It has the parts of its GTID instead of the event that carries it: that event points to the transaction, and
    reference counting alone could not free a circle.
    """

    def __init__(self) -> None:
        self.mariadb_gtid = False  # whether the next three attributes are its GTID
        self.domain_id = self.server_id = self.seq_no = 0
        self.sid: str | None = None  # with `tag` and `gno` MySQL's GTID, or None
        self.tag = ""
        self.gno = 0
        self.xid: int | None = None  # known from its last event on
        self.thread_id: int | None = None
        self.xa: tuple[int, bytes, bytes] | None = None  # format, gtrid, bqual of what MariaDB's GTID prepares or ends
        self.standalone = False  # MariaDB: one statement that needs no COMMIT
        self.outcome = ""  # COMMIT or ROLLBACK from its last event on
        self.prepared: tuple[int, bytes, bytes] | None = None  # format, gtrid, bqual: XA COMMIT or ROLLBACK decides

    @property
    def gtid(self) -> str | None:
        """The GTID as the server writes it, or None."""
        if self.mariadb_gtid:
            return mariadb_gtid(self.domain_id, self.server_id, self.seq_no)
        return None if self.sid is None else mysql_gtid(self.sid, self.tag, self.gno)


class Event:
    """An event's header, body and transaction; used for types without a class too, with the body in `unknown`."""

    FIELDS: ClassVar[tuple[str, ...]] = ()

    def take(self, walker: Walker, within: int) -> None:
        """Copy the header from a walker that is at the event; `within` is -1 outside of payload events."""
        self.start = walker.start
        self.end = walker.end
        self.timestamp = walker.timestamp
        self.type_code = walker.type_code
        self.server_id = walker.server_id
        self.length = walker.length
        self.log_pos = walker.log_pos
        self.flags = walker.flags
        self.crc = walker.crc
        self.within_at = within
        self.data = walker.cursor.data
        self.at = walker.at
        self.body_start = walker.body_start
        self.body_end = walker.body_end
        self.unknown = b""
        self.kept = b""
        self.transaction: Transaction | None = None  # until the stream has found the one that the event is part of

    def take_again(self, event: Event) -> None:
        """Copy the header and the transaction of an event that was read before."""
        self.start = event.start
        self.end = event.end
        self.timestamp = event.timestamp
        self.type_code = event.type_code
        self.server_id = event.server_id
        self.length = event.length
        self.log_pos = event.log_pos
        self.flags = event.flags
        self.crc = event.crc
        self.within_at = event.within_at
        self.data = event.data
        self.at = event.at
        self.body_start = event.body_start
        self.body_end = event.body_end
        self.unknown = b""
        self.kept = event.kept
        self.transaction = event.transaction

    def copy_at(self, start: int, *, whole: bool) -> Event:
        """Return a copy of the header, said to begin at `start`, with the event's bytes if `whole`.

        The copy does not keep `data` alive, which may hold much more than the event.
        """
        copy = Event()
        copy.take_again(self)
        copy.start = start
        copy.data = self.raw if whole else b""
        copy.at = 0
        copy.body_start -= self.at
        copy.body_end -= self.at
        copy.kept = b""
        return copy

    def decode(self, body: Cursor, context: LogContext) -> None:
        """Read the fields of the body; `DecodeError` if they do not fit into it."""

    def finish(self, body: Cursor) -> None:
        """Keep the bytes that `decode` left in `unknown`."""
        if body.pos < body.end:
            self.unknown = body.rest("unknown")

    def as_dict(self) -> dict[str, object]:
        """Return the fields of the body under the server's names, flags and enumerations as their names."""
        fields: dict[str, object] = {name: getattr(self, name) for name in self.FIELDS}
        if self.unknown:
            fields["unknown"] = self.unknown
        return fields

    @property
    def type(self) -> str:
        """The type's name in the servers' sources."""
        return event_type_name(self.type_code)

    @property
    def flag_names(self) -> list[str]:
        """The header's flags by name."""
        return flag_names("header", self.flags)

    @property
    def time(self) -> datetime:
        """The time in the header, at which the statement began, in UTC."""
        return datetime.fromtimestamp(self.timestamp, UTC)

    @property
    def crc32(self) -> int | None:
        """The stored checksum, or None in a log without checksums."""
        return None if self.crc < 0 else self.crc

    @property
    def within(self) -> int | None:
        """The offset of the payload event that this one was decompressed from, or None."""
        return None if self.within_at < 0 else self.within_at

    @property
    def raw(self) -> bytes:
        """The bytes of the event, with header and checksum."""
        return self.data[self.at : self.at + self.length]

    def __repr__(self) -> str:
        place = f" within {self.within_at}" if self.within_at >= 0 else ""
        return f"<{self.type} at {self.start}{place}, {self.length} bytes>"
