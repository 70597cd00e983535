"""The progress bar of `to-parquet`: bytes converted, as the tasks tell them in files of their own."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

INTERVAL = 0.2


class Progress:
    """A bar on stderr, where that is a terminal."""

    def __init__(self) -> None:
        self.shows = sys.stderr.isatty()

    @contextmanager
    def begin(self, size: int, stage: Path) -> Iterator[None]:
        """Show a bar until the work is done."""
        if not self.shows:
            yield
            return
        from rich.console import Console  # noqa: PLC0415 - only on a terminal
        from rich.progress import BarColumn, DownloadColumn, TimeRemainingColumn, TransferSpeedColumn  # noqa: PLC0415
        from rich.progress import Progress as Bar  # noqa: PLC0415

        columns = (BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
        ended = threading.Event()
        with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("", total=size)

            def watch() -> None:
                while not ended.wait(INTERVAL):
                    bar.update(task, completed=min(done(stage), size))

            watcher = threading.Thread(target=watch, daemon=True)
            watcher.start()
            try:
                yield
            finally:
                ended.set()
                watcher.join()


def done(stage: Path) -> int:
    """What the tasks have told so far."""
    total = 0
    for path in stage.glob("*.progress"):
        try:
            total += int.from_bytes(path.read_bytes()[:8], "little")
        except OSError:  # it is gone
            continue
    return total
