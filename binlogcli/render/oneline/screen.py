"""Transactions as lines that fit a terminal: fewer columns where it is narrow, the statement in what is left."""

from __future__ import annotations

from collections.abc import Callable
from datetime import tzinfo
from typing import NamedTuple

from rich.cells import cell_len

from binlogcli.events.event import Transaction
from binlogcli.events.transaction_facts import TransactionFacts
from binlogcli.render.escape import visible
from binlogcli.render.fitting import end_of, start_of
from binlogcli.render.oneline.words import is_counted, lag_of, outcome_of, statement_of, tables_of, xid_of
from binlogcli.render.palette import BOLD, RED, RESET
from binlogcli.select.times import moment_at, zone_name

_UNITS = ("", "K", "M", "G", "T", "P")
_MARKS = {
    "commit": "",
    "rollback": "ROLLED BACK ",
    "prepared": "PREPARED {} ",
    "xa-commit": "XA COMMIT {} ",
    "xa-rollback": "XA ROLLBACK {} ",
    "unfinished": "NO END ",
}
_WIDE, _WIDER, _WIDEST = 100, 120, 160  # cells of a terminal from which on more is shown
_UUID_SIZE = 36
_MICRO = 1_000_000


class _Column(NamedTuple):
    heading: str
    width: int
    least: int  # cells of a terminal that shows it
    text: Callable[[TransactionFacts], str]
    right: bool = False


class TransactionScreen:
    """Makes a line for each transaction and passes it to `write`; `width` is the terminal's."""

    def __init__(self, write: Callable[[bytes], object], width: int, zone: tzinfo | None, *, painted: bool) -> None:
        self.write = write
        self.width = width
        self.zone = zone  # None: the machine's
        self.painted = painted
        self.columns: list[_Column] = []
        self.room = 0

    def _lay_out(self, transaction: Transaction | None) -> None:
        """Choose the columns, once the first transaction shows what kind of GTIDs there are; write their headings."""
        width = self.width
        wide = width >= _WIDE
        long_gtid = width >= _WIDEST and transaction is not None and not transaction.mariadb_gtid
        gtid = 46 if long_gtid else 20 if wide else 12
        columns = (
            _Column("position", 10, 0, lambda work: str(work.start), right=True),
            _Column(f"time {zone_name(self.zone)}", 19, 0, self._time),
            _Column("gtid", gtid, 0, lambda work: _gtid(work.transaction, gtid)),
            _Column("server", 6, _WIDER, lambda work: str(work.server_id), right=True),
            _Column("thread", 6, _WIDER, _thread, right=True),
            _Column("took", 7, _WIDE, _took, right=True),
            _Column("size", 5, 0, lambda work: short(work.bytes), right=True),
            _Column("rows", 14 if wide else 9, 0, _rows),
        )
        self.columns = [column for column in columns if column.least <= width]
        self.room = max(width - sum(column.width + 1 for column in self.columns), 1)
        heads = [_fitted(column.heading, column) for column in self.columns]
        self._put(" ".join([*heads, start_of("tables, statement", self.room, cell_len)]), BOLD)

    def begin_log(self, path: str) -> None:
        """Name the log above its lines."""
        self._put(end_of(visible(path), self.width, cell_len), BOLD)

    def put(self, work: TransactionFacts) -> None:
        """Write the line of a transaction."""
        if not self.columns:
            self._lay_out(work.transaction)
        cells = [_fitted(column.text(work), column) for column in self.columns]
        outcome = outcome_of(work)
        line = " ".join([*cells, start_of(self._what(work, outcome), self.room, cell_len)]).rstrip()
        self._put(line, "" if outcome in {"commit", "xa-commit"} else RED)

    def _put(self, line: str, style: str) -> None:
        text = f"{style}{line}{RESET}" if self.painted and style else line
        self.write(text.encode("utf-8", "backslashreplace") + b"\n")

    def _time(self, work: TransactionFacts) -> str:
        """Return the time of the first event in the zone of the heading."""
        if not work.first_time:
            return "?"
        return f"{moment_at(work.first_time, self.zone):%Y-%m-%d %H:%M:%S}"

    def _what(self, work: TransactionFacts, outcome: str) -> str:
        """Return a mark of how the transaction ended, if not by its own commit, its tables, its statement."""
        mark = _MARKS[outcome].format(start_of(xid_of(work), max(self.room // 2, 12), cell_len))
        tables, statement = tables_of(work), statement_of(work)
        if not tables:
            return mark + (statement if statement != "-" or not mark else "")
        names = start_of(", ".join(tables), max(self.room // 2, 12), cell_len)
        if work.other_tables:
            names = _with_last(tables, max(self.room // 2, 12))
        return mark + (names if statement == "-" else f"{names}  {statement}")


def _with_last(tables: list[str], room: int) -> str:
    """Return as many names as fit with the number of others, which is the last one of them."""
    *names, last = tables
    others = int(last[1:].partition(" ")[0])
    while len(names) > 1 and cell_len(", ".join(names)) + len(last) + 4 > room:
        names.pop()
        others += 1
    return f"{', '.join(names)}, +{others} tables{' or more' if last.endswith('more') else ''}"


def _fitted(text: str, column: _Column) -> str:
    """Return a text as wide as its column."""
    text = end_of(text, column.width, cell_len)
    return text.rjust(column.width) if column.right else text.ljust(column.width)


def _gtid(transaction: Transaction | None, width: int) -> str:
    """Return the GTID; of one that is too long the beginning of the UUID, and the number."""
    gtid = None if transaction is None else transaction.gtid
    if gtid is None:
        return "-"
    gtid = visible(gtid)
    if len(gtid) > width and len(gtid) > _UUID_SIZE:
        rest = gtid[_UUID_SIZE:]
        return gtid[: max(width - len(rest) - 1, 1)] + "…" + rest
    return gtid


def _thread(work: TransactionFacts) -> str:
    thread = None if work.transaction is None else work.transaction.thread_id
    return "?" if thread is None else str(thread)


def _took(work: TransactionFacts) -> str:
    """Return the seconds until the commit, or what a replica's commit is later than that, which is marked by `+`."""
    lag = lag_of(work)
    if lag is not None:
        return f"+{lag / _MICRO:.3g}s" if lag < 1000 * _MICRO else f"+{short(lag // _MICRO)}s"
    return f"{short(work.seconds())}s" if work.first_time else "?"


def _rows(work: TransactionFacts) -> str:
    """Return the rows inserted, updated and deleted; `?` where there may be more, `-` without any."""
    counts = (("+", work.rows - work.updated - work.deleted), ("~", work.updated), ("-", work.deleted))
    found = [f"{sign}{short(count)}" for sign, count in counts if count]
    return " ".join(found + ([] if is_counted(work) else ["?"])) or "-"


def short(count: int) -> str:
    """Return a number in at most five cells: 9999, 10.0K, 999K."""
    if count < 10_000:
        return str(count)
    value = float(count)
    for unit in _UNITS:
        if value < 999.5 or unit == _UNITS[-1]:
            return f"{value:.1f}{unit}" if value < 99.95 else f"{value:.0f}{unit}"
        value /= 1000
    return str(count)
