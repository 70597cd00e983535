"""Prints logs as mysqlbinlog does: one frame around all of them, each log in the dialect of its family."""

from __future__ import annotations

from collections.abc import Callable

from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.errors import DEFECTS, BinlogError
from binlogcli.events.damage import damage_in
from binlogcli.events.event import Event
from binlogcli.events.log import Log
from binlogcli.log.gaps import Damage
from binlogcli.names.event_types import FORMAT_DESCRIPTION_EVENT
from binlogcli.render.mysqlbinlog.options import TextOptions
from binlogcli.render.mysqlbinlog.shared.load_files import LoadFiles
from binlogcli.render.mysqlbinlog.shared.text import EventText


class Mysqlbinlog:
    """Prints all logs of a run through `write`; made by `dump`, which calls `run` for each log and then `finish`."""

    def __init__(self, out: TextBuffer, options: TextOptions, write: Callable[[memoryview], object]) -> None:
        self.out = out
        self.options = options
        self.write = write
        out.drain = None if options.flashback else write  # it takes back what it has written, to turn it round
        self.loads = LoadFiles(options.local_load)
        self.first: EventText | None = None
        self.text: EventText | None = None  # of the log that is printed
        self.texts: dict[bool, EventText] = {}
        self.offset = options.offset
        self.seen = 0

    def run(self, log: Log, report: Callable[[Damage], None], tell: Callable[[int, str], None] | None = None) -> None:
        """Print one log; each damage is passed to `report`, and to `tell` where and how the text is not the tools'."""
        self.text = None
        try:
            while True:
                if self._put_events(log, tell) and not self.put_gap(log, self.text, report):
                    break
                if self.text is not None:
                    self.report_problems(self.text, report)
                if self.out.full():
                    self.flush()
            if self.text is None and log.stream.context.format.server_version:
                self.text = self.begin(log, tell)  # no event of it was chosen
            if self.text is not None:
                self.text.end_log()
                self.report_problems(self.text, report)
        finally:
            self.flush()

    def _put_events(self, log: Log, tell: Callable[[int, str], None] | None) -> bool:
        """Print events up to a gap or the log's end, then return True; False where there is something else to do.

        A defect in the printing of an event costs it alone: what is printed of it is taken back, unless it is written.
        """
        out = self.out
        text: EventText | None = self.text
        event: Event | None = None
        begun = 0
        try:
            while True:
                event = None
                event = log.advance()
                if event is None:
                    return True
                if text is None:
                    self.text = text = self.begin(log, tell)
                if self.seen >= self.offset or event.type_code == FORMAT_DESCRIPTION_EVENT:
                    begun = out.size
                    text.put_event(event)
                self.seen += 1
                if out.full() or text.problems:
                    return False
        except DEFECTS as error:
            if event is None or text is None:
                raise
            damage = damage_in(event, error)
            out.size = min(begun, out.size)
            text.put_gap(damage)
            text.problems.append(damage)
            return False

    @staticmethod
    def report_problems(text: EventText, report: Callable[[Damage], None]) -> None:
        """Report what could not be read of the rows that were printed."""
        for problem in text.problems:
            report(problem)
        text.problems.clear()

    @staticmethod
    def put_gap(log: Log, text: EventText | None, report: Callable[[Damage], None]) -> bool:
        """Report a gap and print damage as a comment; return False at the end of the log."""
        gap = log.take_gap()
        if isinstance(gap, Damage):
            report(gap)
            if text is not None:
                text.put_gap(gap)
        return gap is not None

    def flush(self) -> None:
        """Write the buffer out and empty it."""
        self.write(self.out.content())
        self.out.clear()

    def begin(self, log: Log, tell: Callable[[int, str], None] | None) -> EventText:
        """Return the text of the log's family, ready for this log; print the frame's head before the first log."""
        mariadb = log.stream.context.mariadb if self.options.mariadb is None else self.options.mariadb
        if mariadb not in self.texts:
            self.texts[mariadb] = self.new_text(mariadb=mariadb)
        text = self.texts[mariadb]
        if self.first is None:
            self.first = text
            self.out.put(text.prologue())
        text.remarks.tell = tell
        text.begin_log(log.stream)
        text.flush = self.flush
        return text

    def new_text(self, *, mariadb: bool) -> EventText:
        """Make the text of a family; BinlogError for --flashback of a MySQL log."""
        if self.options.flashback:
            if not mariadb:
                raise BinlogError("--flashback works only for logs of MariaDB; this is one of MySQL", hint="use --undo")
            from binlogcli.render.mysqlbinlog.mariadb.flashback import FlashbackText  # rarely wanted

            return FlashbackText(self.out, self.options, self.loads)
        if mariadb:
            from binlogcli.render.mysqlbinlog.mariadb.text import MariadbText  # each family its own

            return MariadbText(self.out, self.options, self.loads)
        from binlogcli.render.mysqlbinlog.mysql.text import MysqlText

        return MysqlText(self.out, self.options, self.loads)

    def shortcomings(self) -> list[str]:
        """Return what the text lacks, for the user; called once all logs were printed."""
        found = self.loads.shortcomings(filtered=self.options.filtered)
        if self.options.flashback:
            from binlogcli.render.mysqlbinlog.mariadb.flashback import FlashbackText  # rarely wanted

            found += self.first.shortcomings() if isinstance(self.first, FlashbackText) else []
        return found

    def finish(self) -> None:
        """Print the frame's end and write everything out."""
        if self.first is not None:
            self.out.put(self.first.epilogue())
        self.flush()
