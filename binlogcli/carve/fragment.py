"""A stretch of a file that holds whole events of one log, one after another."""

from __future__ import annotations

from dataclasses import dataclass

from binlogcli.log.format import LogFormat

CHECKSUM = "checksum"  # each event by its own
CHAIN = "positions"  # by the positions of the events before and after it
UNPROVEN = "nothing"  # its fields look like those of an event


@dataclass(slots=True)
class Fragment:
    """Events in [offset, end) of the file; `position` is where the first one stands in its log."""

    offset: int
    end: int
    position: int
    count: int
    first_time: int  # in seconds since the epoch; 0 where no event has any
    last_time: int
    server_ids: tuple[int, ...]
    types: bytes  # 256 bytes: 1 for each type of event
    last_type: int
    proof: str
    summed: bool  # whether events end in checksums
    begins: bool = False  # whether it begins with the first event of a log
    log_format: LogFormat | None = None  # as its format description says

    @property
    def size(self) -> int:
        """Bytes of the events."""
        return self.end - self.offset

    @property
    def last_position(self) -> int:
        """Where the last event ends in the log."""
        return self.position + self.size
