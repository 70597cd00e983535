"""A log that was found in a file, as a source: its fragments one after another, each at its positions."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from binlogcli.carve.fragment import UNPROVEN, Fragment
from binlogcli.carve.logs import OWN, FoundLog
from binlogcli.log.format import HEADER_SIZE, LogFormat
from binlogcli.sources.image import Image
from binlogcli.sources.source import LogPiece, PiecedSource

_PIECE = 1 << 16
_ENCRYPTED = "the events after this one are encrypted; --carve finds only what is not"


class CarvedLog(PiecedSource):
    """The events of a found log. What is missing between its fragments is told as a gap."""

    carved = True

    def __init__(self, log: FoundLog, image: Image) -> None:
        super().__init__(log.name)
        self.log = log
        self.log_format: LogFormat | None = None if log.format_from == OWN else log.log_format
        self.unverified = log.last.proof == UNPROVEN
        self._starts = [fragment.position for fragment in log.fragments]
        self.remark = f"found in {image.name}; positions are those in the log"
        self._image = image
        self._pieces = self._read()

    def next_piece(self) -> LogPiece | None:
        """Return the next events; None at the end of what was found."""
        return next(self._pieces, None)

    def close(self) -> None:
        """Do nothing: the file is open for the logs that are read next."""

    def offset_of(self, position: int) -> int:
        """Return where in the file the event at a position of the log is; -1 where it is in none of the fragments."""
        at = bisect_right(self._starts, position) - 1
        fragment = self.log.fragments[max(at, 0)]
        inside = fragment.position <= position < fragment.last_position
        return fragment.offset + position - fragment.position if inside else -1

    def _read(self) -> Iterator[LogPiece]:
        before: Fragment | None = None
        for fragment in self.log.fragments:
            lost = ""
            lost_from = fragment.position
            if before is not None and fragment.position > before.last_position:
                lost = (
                    f"these positions were not found: the fragment before them ends at offset {before.end} of the "
                    f"file, the next one begins at offset {fragment.offset}"
                )
                lost_from = before.last_position
            for position, data in self._events(fragment):
                yield LogPiece(position, data, lost, lost_from)
                lost = ""
            before = fragment
        if before is not None and self.log.encrypted:
            yield LogPiece(before.last_position, b"", _ENCRYPTED, before.last_position)

    def _events(self, fragment: Fragment) -> Iterator[tuple[int, bytes]]:
        """Yield whole events of a fragment, some at a time, with the position of the first."""
        at = fragment.offset
        while at < fragment.end:
            data = self._image.read(at, min(_PIECE, fragment.end - at))
            size = _whole(data)
            if size == 0:
                size = int.from_bytes(data[9:13], "little")
                if size < HEADER_SIZE or at + size > fragment.end:
                    return
                data = self._image.read(at, size)
            yield fragment.position + at - fragment.offset, data[:size]
            at += size


def _whole(data: bytes) -> int:
    """Return how many bytes of the data are whole events."""
    at = 0
    while at + HEADER_SIZE <= len(data):
        size = int.from_bytes(data[at + 9 : at + 13], "little")
        if size < HEADER_SIZE or at + size > len(data):
            break
        at += size
    return at
