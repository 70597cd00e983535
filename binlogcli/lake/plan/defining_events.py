"""The events of a log that tell of definitions, kept while its headers are walked over."""

from __future__ import annotations

from binlogcli.binary.cursor import Cursor
from binlogcli.errors import DecodeError
from binlogcli.lake.history import LOST, PlacedEvent
from binlogcli.log.boundaries import may_define
from binlogcli.log.compressed import inflate
from binlogcli.log.framer import Framer

_ERROR_AT = 9  # in the body of a statement: the number of the error that it has ended with
_FAILED = b"\1\0"
_LARGEST_EMPTY_SET = 16  # bytes of the body of GTID_LIST or PREVIOUS_GTIDS without a GTID, a checksum included


class DefiningEventKeeper:
    """Keeps the events that `events.ddl` follows; of those whose checksum is wrong, statements alone.

    Such a statement is kept as one that has failed: its tables are unknown from then on, in later logs, too.
    """

    def __init__(self, max_event_size: int, *, verify: bool) -> None:
        self.max_event_size = max_event_size
        self.verify = verify
        self.events: list[PlacedEvent] = []

    def keep(self, framer: Framer) -> None:
        """Keep the event at hand."""
        if not self.verify or framer.is_sound():
            self.events.append((framer.start, framer.cursor.data[framer.at : framer.at + framer.length]))

    def keep_empty_set(self, framer: Framer) -> None:
        """Keep a set of GTIDs at the beginning of a log if there may be none in it: the server's history begins."""
        if framer.body_end - framer.body_start <= _LARGEST_EMPTY_SET:
            self.keep(framer)

    def lose(self, start: int) -> None:
        """Note a stretch without events, in which statements may be missing."""
        self.events.append((start, LOST))

    def keep_statement(self, framer: Framer, gtid: PlacedEvent | None) -> None:
        """Keep the statement at hand after the GTID of its transaction."""
        if gtid is not None and (not self.events or self.events[-1][0] < gtid[0]):
            self.events.append(gtid)
        event = framer.cursor.data[framer.at : framer.at + framer.length]
        if self.verify and not framer.is_sound():
            error = framer.body_start - framer.at + _ERROR_AT
            event = event[:error] + _FAILED + event[error + len(_FAILED) :]
        self.events.append((framer.start, event))

    def may_define(self, framer: Framer, start: int) -> bool:
        """Whether the compressed statement at hand, from `start` on in the cursor's data, may define a table."""
        try:
            text = inflate(Cursor(framer.cursor.data[start : framer.body_end]), "query", self.max_event_size, b"")
        except DecodeError:
            return False
        return may_define(text, 0, len(text))
