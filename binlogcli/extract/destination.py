"""Which log each transaction is written to: one for all, or one by source, transaction, table, size or hour."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Protocol

from binlogcli.errors import SourceError
from binlogcli.extract.file_names import hour_suffix, log_name, part_name, table_suffix
from binlogcli.extract.gtid_length import with_length
from binlogcli.extract.history import HeadEvent
from binlogcli.extract.layout import Layout
from binlogcli.extract.output_log import OutputLog, Target
from binlogcli.extract.parts import part_of, whole
from binlogcli.extract.unit import FRAME, Entry, Table, Unit
from binlogcli.names.event_types import MYSQL_GTID_EVENTS

JOINED = ""  # all transactions in one log
BY_LOG, BY_TRANSACTION, BY_TABLE, BY_SIZE, BY_HOUR = "log", "transaction", "table", "size", "hour"
Before = Callable[[], HeadEvent | None]  # gives the event that says what came before a transaction
_STDOUT = "-"
_Key = tuple[object, ...]


class Targets(Protocol):
    """Where logs are created, by their names; made by the command."""

    def create(self, name: str) -> Target:
        """Return the target of a new log."""


class Destination:
    """The logs of a run. `report` is called with each that is complete."""

    def __init__(
        self, targets: Targets, report: Callable[[OutputLog], object], split: str = JOINED, max_size: int = 0
    ) -> None:
        self._targets = targets
        self._report = report
        self._split = split
        self._max_size = max_size
        self._open: dict[_Key, OutputLog] = {}
        self._log = ""
        self._created = False  # whether the server's start is to be written into the next log
        self._used: dict[str, int] = {}  # names, and how often each was used
        self.by_table = split == BY_TABLE

    def begin_log(self, path: str) -> None:
        """Begin the next source."""
        self._log = log_name(path)
        self._created = True
        if self._split == BY_LOG:
            self.finish()

    def finish(self) -> None:
        """Complete all logs."""
        for key in list(self._open):
            self._finish(key)

    def write(self, unit: Unit, layout: Layout, before: Before) -> None:
        """Write a transaction, or its parts."""
        if not self.by_table:
            self._write_part(unit, None, layout, before)
            return
        for table in unit.tables or [Table()]:
            self._write_part(unit, table, layout, before)

    def _write_part(self, unit: Unit, table: Table | None, layout: Layout, before: Before) -> None:
        """Write what a transaction does to a table, or all that is taken of it."""
        number = None if table is None or len(unit.tables) < 2 else unit.numbers[table]
        size = 0 if unit.length_fields is None and self._split != BY_SIZE else self._size(unit, number, layout)
        key = self._key(unit, table, size)
        log = self._log_for(key, unit, table, layout, before)
        log.write(unit, self._entries(unit, number, size), layout)
        if self._split == BY_TRANSACTION:
            self._finish(key)

    def _key(self, unit: Unit, table: Table | None, size: int) -> _Key:
        """Return which log a part goes to."""
        if self._split == BY_HOUR:
            return (unit.last_time // 3600,)
        if self._split == BY_SIZE:
            current = self._open.get(())
            if current is not None and current.size + size > self._max_size:
                self._finish(())
        return () if table is None else (table,)

    def _log_for(self, key: _Key, unit: Unit, table: Table | None, layout: Layout, before: Before) -> OutputLog:
        """Return the log of a key; one that is new is begun."""
        log = self._open.get(key)
        if log is not None and log.layout is not None and not log.layout.same_as(layout):
            if log.layout.joins(layout):
                log.change(layout)
            elif self._split == JOINED:
                reason = "the log has another format than the logs before it, and cannot be joined to them"
                raise SourceError(reason, file=unit.log, hint="pass it in a separate run, or a directory to -o")
            else:
                self._finish(key)
                log = None
        if log is None:
            name = self._name(unit, table)
            target = self._targets.create(name)
            label = self._log if target.name == _STDOUT else os.path.basename(target.name)
            log = self._open[key] = OutputLog(target, label)
            log.begin(layout, before(), created=self._created)
            self._created = False
        return log

    def _name(self, unit: Unit, table: Table | None) -> str:
        """Return the name of a new log; empty if the command knows it."""
        if self._split == JOINED:
            return ""
        if self._split == BY_LOG:
            name = self._log
        else:
            suffix = hour_suffix(unit.last_time) if self._split == BY_HOUR else ""
            name = part_name(self._log, unit.start, suffix if table is None else table_suffix(table))
        count = self._used[name] = self._used.get(name, 0) + 1
        return name if count == 1 else f"{name}~{count}"

    def _finish(self, key: _Key) -> None:
        """Complete a log."""
        log = self._open.pop(key, None)
        if log is not None:
            log.target.finish()
            self._report(log)

    def _entries(self, unit: Unit, number: int | None, size: int) -> Iterator[Entry]:
        """Yield the events of a part; its GTID says how long it is, if it is not the whole transaction."""
        if number is None and not unit.left_out:
            return whole(unit)
        return self._with_length(_part(unit, number), unit, size)

    def _with_length(self, entries: Iterator[Entry], unit: Unit, size: int) -> Iterator[Entry]:
        for entry in entries:
            if unit.length_fields is not None and entry.role == FRAME and entry.data[4] in MYSQL_GTID_EVENTS:
                others = size - len(entry.data)
                yield entry._replace(data=with_length(entry.data, unit.length_fields, others))
            else:
                yield entry

    def _size(self, unit: Unit, number: int | None, layout: Layout) -> int:
        """Return the bytes of a part, with the GTID as it was."""
        taken = whole(unit) if number is None and not unit.left_out else _part(unit, number)
        return sum(len(entry.data) + layout.trailer * entry.inner for entry in taken)


def _part(unit: Unit, number: int | None) -> Iterator[Entry]:
    """Yield the frame of a transaction with the events of one table, or of all that are taken."""
    return part_of(unit, (lambda table: table >= 0) if number is None else (lambda table: table == number))
