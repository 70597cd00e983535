"""Where in a log to begin: by looking at event headers alone, without checksums and without decoding.

A log's clock may go backwards: a statement carries the time it began at, a replica repeats its sources' times, and
clocks are set. Bisection would then pass over the first event that is late enough, and silently lose it, so the headers
are walked in order, some gigabytes a second. A position needs no walk: what stands there must prove to be an event.
"""

from __future__ import annotations

from binlogcli.log.format import LogFormat
from binlogcli.log.framer import Framer
from binlogcli.sources.source import Source

FORMAT_TYPES = (1, 15)
GTID_TYPES = (33, 34, 42, 162)
HEAD_TYPES = frozenset({1, 4, 15, 35, 161, 163, 164})  # what stands before the first transaction
OPENS = bytes(code in GTID_TYPES for code in range(256))
HEADS = bytes(code in HEAD_TYPES for code in range(256))
QUERY_EVENT = 2
XID_EVENT = 16
RELAY_LOG_FLAG = 0x40
CHUNK = 1 << 16
SMALL = 4 * CHUNK  # a log of this size is read from its beginning
BEGIN = b"BEGIN"


class Scout:
    """Walks over the headers of one log; the source is then wherever it ended."""

    def __init__(self, source: Source, max_event_size: int) -> None:
        self.source = source
        self.size = source.size or 0
        self.opens = OPENS
        self.heads = HEADS
        self.framer = Framer(verify=False, max_event_size=max_event_size)
        self.framer.stream_size = self.size
        self.prover = Framer(verify=True, max_event_size=max_event_size)
        self.prover.stream_size = self.size

    def find(self, low: int, since: int) -> int:
        """Where decoding must begin for whole transactions from the first event at `low` and not before `since` on."""
        if self.size <= SMALL:
            return 0
        if since <= 0 and low > SMALL and self.stands_alone(low):
            return low
        self.source.seek(0)
        return self.walk(low, since)

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

    def walk(self, low: int, since: int) -> int:
        """The last place before what is asked for where a transaction begins; the log's size where nothing is."""
        framer = self.framer
        boundary = 0
        format_at = -1  # where a format description stands that is not at the head
        gtids = False
        in_head = True
        while True:
            if framer.advance():
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
            elif framer.done():
                return self.size

    def is_begin(self) -> bool:
        """Whether the QUERY event at hand is a BEGIN."""
        end = self.framer.body_end
        return bytes(self.framer.cursor.data[end - 5 : end]) == BEGIN
