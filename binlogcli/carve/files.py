"""The logs that were found in the files of a run, by name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from binlogcli.carve.logs import ASSUMED, FoundLog, logs_of
from binlogcli.carve.scanner import Scanner
from binlogcli.carve.source import CarvedLog
from binlogcli.sources.image import Image


class CarvedFiles:
    """The logs found so far; each is opened by its name as often as it is read."""

    def __init__(self, *, unproven: bool = False) -> None:
        self._unproven = unproven
        self._found: dict[str, tuple[FoundLog, Image]] = {}

    def scanner(self, path: str) -> Scanner:
        """Return what finds the events in a file. Raises `SourceError`."""
        return Scanner(Image(path), unproven=self._unproven)

    def find(self, scanner: Scanner) -> list[FoundLog]:
        """Find the logs in a file and return them. Raises `SourceError`."""
        logs = logs_of(scanner.image.name, scanner.scan())
        self._found |= {log.name: (log, scanner.image) for log in logs}
        return logs

    def open(self, name: str) -> CarvedLog:
        """Return the source of a log."""
        return CarvedLog(*self._found[name])

    def listing(self) -> list[dict[str, Any]]:
        """Return the fragments of all files as plain data, in the order of the files; times in seconds, 0: none."""
        rows = [row for log, image in self._found.values() for row in _rows_of(log, image.name)]
        names = {image.name: at for at, (_, image) in enumerate(self._found.values())}
        return sorted(rows, key=lambda row: (names[row["file"]], row["offset"]))


def _rows_of(log: FoundLog, file: str) -> Iterator[dict[str, Any]]:
    """Yield the rows about the fragments of a log."""
    version = log.log_format.server_version
    for fragment in log.fragments:
        yield {
            "file": file,
            "offset": fragment.offset,
            "bytes": fragment.size,
            "log": log.name,
            "first_position": fragment.position,
            "last_position": fragment.last_position,
            "events": fragment.count,
            "first_time": fragment.first_time,
            "last_time": fragment.last_time,
            "server_ids": list(fragment.server_ids),
            "proven_by": fragment.proof,
            "checksums": fragment.summed,
            "server_version": None if log.format_from == ASSUMED else version,
            "format": log.format_from,
            "encrypted_after": log.encrypted and fragment is log.last,
        }
