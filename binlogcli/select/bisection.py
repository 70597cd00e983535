"""Where a long log's clock passes a time: a few windows are read instead of all headers.

The times of single events go back and forth: each carries the time at which its statement began, and a transaction is
written when it commits. Commits are in order but for what the clock itself does, so only events that a commit stamps
are asked: the GTID before a transaction, the XID after it. Clocks are set, and a replica may mix the times of several
sources: where windows all over the log, or one of them within itself, show times more than SLACK out of order, no
place is named, and all headers are walked instead. What is out of order by less is not lost: the walk begins SLACK
before the time that is asked for.
"""

from __future__ import annotations

from binlogcli.log.format import LogFormat
from binlogcli.log.framer import Framer
from binlogcli.sources.source import Source

FORMAT_TYPES = (1, 15)
GTID_TYPES = (33, 34, 42, 162)
XID_EVENT = 16
COMMITS = bytes(code in GTID_TYPES or code == XID_EVENT for code in range(256))
FORMATS = bytes(code in FORMAT_TYPES for code in range(256))
SAMPLES = 32
WINDOW = 1 << 16
ENOUGH = 4 * WINDOW  # a stretch of this size is walked
SLACK = 600  # seconds
NEVER = 1 << 40
MASK32 = 0xFFFFFFFF


class Clock:
    """The commit times of one log, looked at here and there; the source is then wherever that ended."""

    def __init__(self, source: Source, size: int, log_format: LogFormat) -> None:
        self.source = source
        self.size = size
        # what looks like a longer event would be read to its end before it is known for none
        self.framer = Framer(verify=True, max_event_size=WINDOW)
        self.framer.stream_size = size
        self.framer.use(log_format)
        self.framer.headless = False
        self.commits = COMMITS
        self.formats = FORMATS
        self.place = self.earliest = self.latest = -1
        self.trusted = True

    def floor(self, since: int) -> int:
        """A place where a commit is told, before which none is late enough; 0 where that cannot be known."""
        target = since - SLACK
        low, high = self.bracket(target)
        while self.trusted and high - low > ENOUGH:
            middle = low + (high - low) // 2
            if not self.look(middle, high) or self.latest >= target:
                high = middle
            else:
                low = self.place
        return low if self.trusted else 0

    def bracket(self, target: int) -> tuple[int, int]:
        """The last place of evenly spread windows whose commits are all before `target`, and where the next begins."""
        low, high = 0, self.size
        reached = 0  # the latest time so far
        step = self.size // SAMPLES
        for number in range(1, SAMPLES):
            offset = number * step
            if not self.look(offset, offset + step):
                continue
            if self.earliest < reached - SLACK:
                self.trusted = False
            reached = max(reached, self.latest)
            if self.latest < target:
                low = self.place
            else:
                high = min(high, offset)
        return low, high

    def look(self, offset: int, limit: int) -> bool:
        """Read the times of the commits in the window at `offset`, or of the first one beyond it; False for none."""
        framer = self.framer
        self.source.seek(offset)
        framer.search_from(offset)
        self.place = -1
        self.earliest, self.latest = NEVER, -1
        while True:
            if framer.advance():
                if framer.start >= limit:
                    break
                if framer.log_pos != framer.end & MASK32:
                    continue  # a log in a log: in a value, say
                if self.commits[framer.type_code]:
                    self.note(framer.start, framer.timestamp)
                elif self.formats[framer.type_code]:
                    self.trusted = False  # several logs in one file
            elif framer.hungry():
                if self.place >= 0 or framer.base >= limit:
                    break
                framer.feed(self.source.read(max(WINDOW, framer.missing())))
            elif framer.gap is not None:
                framer.take_gap()
            elif framer.done():
                break
        return self.place >= 0

    def note(self, place: int, time: int) -> None:
        """A commit: windows in which the clock goes back are not to be trusted."""
        if time < self.latest - SLACK:
            self.trusted = False
        self.place = place
        self.earliest = min(self.earliest, time)
        self.latest = max(self.latest, time)
