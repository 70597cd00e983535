"""The progress of `to-parquet`: bytes converted, as the tasks write them into files of their own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from binlogcli.cli.progress import bar, shows


class ProgressBar:
    """A bar on stderr, where that is a terminal."""

    def __init__(self) -> None:
        self.shows = shows()

    @contextmanager
    def begin(self, size: int, stage: Path) -> Iterator[None]:
        """Show a bar while `size` bytes are converted; `stage` is the directory of the tasks' files."""
        if not self.shows:
            yield
            return
        with bar(lambda: size, lambda: min(done(stage), size)):
            yield


def done(stage: Path) -> int:
    """Return the number of bytes that the tasks have converted so far."""
    total = 0
    for path in stage.glob("*.progress"):
        try:
            total += int.from_bytes(path.read_bytes()[:8], "little")
        except OSError:  # it is gone
            continue
    return total
