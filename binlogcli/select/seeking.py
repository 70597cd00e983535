"""Where in a log to begin: by looking at event headers alone, without checksums and without decoding.

The headers are walked in order, some gigabytes a second; in a long log from the place on that bisection finds. A
position needs no walk: what stands there must prove to be an event.
"""

from __future__ import annotations

from binlogcli.log.format import LogFormat
from binlogcli.log.framer import Framer
from binlogcli.log.walker import SEALED
from binlogcli.select.bisection import FORMAT_TYPES, GTID_TYPES, XID_EVENT, Clock
from binlogcli.sources.source import Source

HEAD_TYPES = frozenset({1, 4, 15, 35, 161, 163, 164})  # what stands before the first transaction
OPENS = bytes(code in GTID_TYPES for code in range(256))
HEADS = bytes(code in HEAD_TYPES for code in range(256))
QUERY_EVENT = 2
RELAY_LOG_FLAG = 0x40
CHUNK = 1 << 16
SMALL = 4 * CHUNK  # a log of this size is read from its beginning
LONG = 64 * CHUNK  # and one of that size is bisected
BEGIN = b"BEGIN"


class Scout:
    """Walks over the headers of one log; the source is then wherever it ended."""

    def __init__(self, source: Source, max_event_size: int) -> None:
        self.source = source
        self.size = source.size or 0
        self.opens = OPENS
        self.heads = HEADS
        self.max_event_size = max_event_size
        self.framer = self.new_framer(verify=False)
        self.prover = self.new_framer(verify=True)

    def new_framer(self, *, verify: bool) -> Framer:
        """One that reads this log."""
        framer = Framer(verify=verify, max_event_size=self.max_event_size)
        framer.stream_size = self.size
        return framer

    def find(self, low: int, since: int) -> int:
        """Where decoding must begin for whole transactions from the first event at `low` and not before `since` on."""
        if self.size <= SMALL:
            return 0
        if since <= 0 and low > SMALL and self.stands_alone(low):
            return low
        floor = self.floor(since) if self.size > LONG and since > 0 else 0
        found = self.walk_from(floor, low, since)
        return self.walk_from(0, low, since) if found < 0 else found

    def floor(self, since: int) -> int:
        """Where in a long log the walk may begin: no event before is late enough."""
        log_format = self.head_format()
        if log_format is None:
            return 0
        self.prover.advance()
        if self.prover.state == SEALED:  # encrypted, and no key given: there is nothing to be found
            return 0
        return Clock(self.source, self.size, log_format).floor(since)

    def walk_from(self, floor: int, low: int, since: int) -> int:
        """Walk from the beginning, or from an event beyond it; -1 where what is asked for begins before that."""
        self.source.seek(floor)
        self.framer = self.new_framer(verify=False)
        if floor > 0:
            self.framer.use(self.prover.format)
            self.framer.headless = False
            self.framer.jump(floor)
        return self.walk(low, since, floor)

    def stands_alone(self, offset: int) -> bool:
        """Whether an event stands there that opens a transaction: then nothing before it matters but the format."""
        log_format = self.head_format()
        if log_format is None:
            return False
        self.source.seek(offset)
        prover = self.prover
        prover.use(log_format)
        prover.headless = False
        prover.jump(offset)
        while not prover.advance():
            if prover.hungry():
                prover.feed(self.source.read(max(CHUNK, prover.missing())))
            else:
                return False
        return prover.start == offset and self.opens[prover.type_code] > 0

    def head_format(self) -> LogFormat | None:
        """The format that the log begins with; None for a relay log, whose second one is that of the events."""
        framer = self.prover
        framer.feed(self.source.head(CHUNK))
        if not framer.advance() and not framer.advance():
            return None
        if framer.type_code not in FORMAT_TYPES or framer.flags & RELAY_LOG_FLAG:
            return None
        log_format: LogFormat = framer.format
        return log_format

    def walk(self, low: int, since: int, floor: int) -> int:
        """The last place before what is asked for where a transaction begins; the log's size where nothing is."""
        framer = self.framer
        boundary = -1 if floor > 0 else 0
        format_at = -1  # where a format description stands that is not at the head
        gtids = False
        in_head = floor == 0
        torn = False
        while True:
            if framer.advance():
                torn = False
                code = framer.type_code
                if self.opens[code]:
                    gtids = True
                    boundary = framer.start
                elif not gtids and code == QUERY_EVENT and self.is_begin():
                    boundary = framer.start
                if code in FORMAT_TYPES:
                    format_at = -1 if in_head else framer.start
                    boundary = framer.start if format_at >= 0 else boundary
                elif framer.start >= low and framer.timestamp >= since:
                    return min(boundary, format_at) if format_at >= 0 else boundary
                if not gtids and code == XID_EVENT:
                    boundary = framer.end
                in_head = in_head and self.heads[code] > 0
            elif framer.hungry():
                framer.feed(self.source.read(max(CHUNK, framer.missing())))
            elif framer.gap is not None:
                framer.take_gap()
                torn = True
            elif framer.done():
                return boundary if torn else self.size  # a torn end may be what is asked for

    def is_begin(self) -> bool:
        """Whether the QUERY event at hand is a BEGIN."""
        end = self.framer.body_end
        return bytes(self.framer.cursor.data[end - 5 : end]) == BEGIN
