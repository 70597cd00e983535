"""The state of an archive on the disk: its copies, the one that grows, and the state file that counts safe bytes.

A byte counts when it is on the disk and the state file says so. After a break the copy is cut to its last whole event.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from binlogcli.archive.directory import ArchiveGap, ArchiveState, Directory
from binlogcli.archive.log_copy import LogCopy
from binlogcli.errors import counted
from binlogcli.sources.protocol.packets import LOG_START

_SAFE_SECONDS = 5.0  # what is written is made safe at the latest after so long,
_SAFE_BYTES = 64 << 20  # or so much
_MOST_GAPS = 1000  # that the state remembers


class LogArchive:
    """An archive that is written to; `tell` receives messages for the user."""

    def __init__(self, directory: Directory, tell: Callable[[str], None]) -> None:
        self.directory = directory
        self.tell = tell
        self.state = directory.read_state() or ArchiveState()
        self.copy: LogCopy | None = None
        self.touched: dict[str, int] = {}  # logs that grew, and their sizes
        self.missing = False
        self.on_progress: Callable[[], None] = lambda: None  # called when more is safe than before
        self.on_complete: Callable[[], None] = lambda: None  # called when a log is complete, and the next one has begun
        self._synced_at = time.monotonic()
        self._unsynced = 0

    @property
    def end(self) -> int:
        """The position at which the archive ends in its last log."""
        return self.copy.end if self.copy is not None else self.state.position

    # copies ---------------------------------------------------------------------------------------------------

    def open_copy(self) -> LogCopy:
        """Return the copy in which the archive ends, cut to its last whole event."""
        if self.copy is None:
            state = self.state
            copy = self.directory.open_log(state.log)
            try:
                whole = copy.recover(state.position, state.last_event)
            except BaseException:
                copy.close()
                raise
            if not whole:
                size = counted(state.position, "byte")
                self.tell(f"{copy.name}: is shorter than recorded in the state file, {size}; its end is fetched again")
            self.copy = copy
        return self.copy

    def begin_copy(self, log: str) -> LogCopy:
        """Create the copy of a new log; the state file names it before any byte in it counts."""
        self.close()
        copy = self.directory.create_log(log)
        state = self.state
        before = (state.log, state.position, state.last_event)
        state.log, state.position, state.last_event = log, copy.end, 0
        try:
            self.directory.write_state(state)
        except BaseException:
            state.log, state.position, state.last_event = before
            copy.close()
            raise
        self.copy = copy
        if before[0]:
            self.on_complete()
        return copy

    def append(self, log: str, data: bytes, end: int, last_type: int) -> None:
        """Append bytes of a log, whose last whole event ends at `end`."""
        copy = self.copy if self.copy is not None else self.begin_copy(log)
        copy.write(data)
        copy.end = end
        copy.last_type = last_type or copy.last_type
        self._unsynced += len(data)

    def finish_copy(self, *, closed: bool) -> None:
        """Finish the copy; `closed`: the server has closed its log, and did not leave it open in a crash."""
        copy = self.copy
        if copy is not None:
            copy.finish(closed=closed)
            if self.state.position != copy.end:
                self.touched[self.state.log] = copy.end
            self.on_progress()

    def forget_copy(self) -> None:
        """Cut the copy to its safe bytes and close it after a write error, to be opened and recovered again."""
        copy, self.copy = self.copy, None
        if copy is not None:
            try:
                copy.cut(copy.safe)
            finally:
                copy.close()

    def take_back(self, end: int) -> None:
        """Cut the copy to where the server's log ends since a crash; keep the cut bytes in a file of their own."""
        copy = self.open_copy()
        aside = self.directory.set_aside(copy, self.state.log, end, copy.end)
        self.tell(
            f"{copy.name}: at {end}: the server lost the last {counted(copy.end - end, 'byte')} of this log in a crash;"
            f" they are kept in {aside}"
        )
        copy.cut(end)
        copy.recover(LOG_START, 0)
        self.make_safe()

    def note_gap(self, next_log: str, reason: str) -> None:
        """Report missing events, and record them in the state file for good."""
        state = self.state
        gap = ArchiveGap(state.log, self.end, next_log, reason)
        self.missing = True
        if gap not in state.gaps:
            if len(state.gaps) < _MOST_GAPS:
                state.gaps.append(gap)
            self.tell(f"{self.copy.name if self.copy is not None else gap.log}: at {gap.position}: {reason}")

    def close(self) -> None:
        """Close the copy."""
        copy, self.copy = self.copy, None
        if copy is not None:
            copy.close()

    # safety ---------------------------------------------------------------------------------------------------

    def settle(self) -> None:
        """Cut the copy to whole events and make them safe, between two connections."""
        if self.copy is not None:
            self.copy.cut()
            self.make_safe()

    def make_safe_in_time(self, *, idle: bool) -> None:
        """Make safe what has waited long enough; all where nothing comes (`idle`)."""
        late = time.monotonic() - self._synced_at > _SAFE_SECONDS
        if idle or late or self._unsynced > _SAFE_BYTES:
            self.make_safe()

    def make_safe(self) -> None:
        """Sync the copy first, then write the state file that counts its bytes."""
        copy = self.copy
        self._synced_at = time.monotonic()
        self._unsynced = 0
        if copy is None:
            return
        state = self.state
        copy.sync()
        if copy.safe != state.position:
            self.touched[state.log] = copy.safe
            self.on_progress()
        state.position, state.last_event = copy.safe, copy.last_type
        self.directory.write_state(state)
