"""One log that is written: its head, then transactions, with positions and checksums of its own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from binlogcli.extract.history import HeadEvent
from binlogcli.extract.layout import Layout
from binlogcli.extract.unit import Entry, InferredMap, Stretch, Unit
from binlogcli.gtids.text import GtidSet
from binlogcli.names.event_types import BINLOG_CHECKPOINT_EVENT
from binlogcli.names.magics import MAGIC


class Target(Protocol):
    """Where the bytes of a log go; made by the command."""

    name: str

    def write(self, data: bytes) -> None:
        """Write all of the bytes."""

    def finish(self) -> None:
        """Give the file its name: it is complete."""


class OutputLog:
    """A log in the making, with what the report says of it."""

    def __init__(self, target: Target, label: str) -> None:
        self.target = target
        self.label = label  # its name in its own BINLOG_CHECKPOINT
        self.size = 0
        self.events = 0
        self.transactions = 0
        self.stretches: list[Stretch] = []  # of each source, from its first transaction here to the end of its last
        self.gtids: GtidSet = {}
        self.inferred: list[InferredMap] = []
        self.layout: Layout | None = None

    def begin(self, layout: Layout, before: HeadEvent | None, *, created: bool) -> None:
        """Write the magic and the events at the head; `before` says what came before."""
        self.layout = layout
        self._put(MAGIC)
        self._put_event(layout.described(self.size, created=created))
        if before is not None:
            self._put_event(layout.made(*before, self.size))
        if layout.format.mariadb and layout.knows(BINLOG_CHECKPOINT_EVENT):
            self._put_event(layout.checkpoint(self.label, self.size))

    def change(self, layout: Layout) -> None:
        """Write a format description for the transactions that follow, as a relay log has it."""
        self._put_event(layout.described(self.size, created=False))
        self.layout = layout

    def write(self, unit: Unit, entries: Iterable[Entry], layout: Layout) -> None:
        """Write the events of a transaction, or of a part of it."""
        for entry in entries:
            self._put_event(layout.placed(entry.data, self.size, inner=entry.inner))
        self.transactions += 1
        for part in unit.stretches:
            if not self.stretches or self.stretches[-1].file != part.file:
                self.stretches.append(Stretch(part.file, part.start))
            self.stretches[-1].end = max(self.stretches[-1].end, part.end)
        for source, numbers in unit.gtids.items():
            known = self.gtids.setdefault(source, type(numbers)())
            for first, last in numbers.pairs():
                known.add_all(first, last)
        self.inferred += unit.inferred

    def _put_event(self, data: bytes) -> None:
        self.events += 1
        self._put(data)

    def _put(self, data: bytes) -> None:
        self.target.write(data)
        self.size += len(data)
