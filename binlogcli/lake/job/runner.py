"""What a run needs from outside: a `Runner` for its tasks (Spark, or a test) and a `Watcher` of its progress."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class Runner(Protocol):
    """Runs tasks in parallel and returns their results."""

    parallelism: int  # tasks that run at once

    def run(self, function: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
        """Call the function with each item and return the results in the order of the items."""


class Watcher(Protocol):
    """Shows the progress of a run while an epoch is converted."""

    shows: bool  # whether tasks have to report their progress

    def begin(self, size: int, stage: Path) -> AbstractContextManager[None]:
        """Show the progress through `size` bytes from the progress files in the folder `stage`."""
