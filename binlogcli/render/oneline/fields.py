"""Transactions as lines of fields between tabs, for programs: a header, then one line each."""

from __future__ import annotations

from datetime import tzinfo

from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.events.event import Transaction
from binlogcli.events.statements import Query, StatementText
from binlogcli.events.transaction_facts import TransactionFacts
from binlogcli.render.escape import FORMULAS, visible
from binlogcli.render.oneline.words import (
    TEXT_SIZE,
    is_counted,
    lag_of,
    others_text,
    outcome_of,
    statement_of,
    table_name,
    xid_of,
)
from binlogcli.rows.plan_cache import PlanCache
from binlogcli.select.times import time_text

NAMES = (
    "file",
    "pos",
    "time",
    "gtid",
    "xid",
    "server_id",
    "thread_id",
    "seconds",
    "lag",
    "bytes",
    "inserted",
    "updated",
    "deleted",
    "outcome",
    "tables",
    "statement",
)
_TAB, _NEWLINE, _DASH, _UNKNOWN = 0x09, 0x0A, 0x2D, 0x3F
_MICRO = 1_000_000
_ELLIPSIS = "…".encode()
_OTHER, _SPACE, _INNER, _PLAIN = 0, 1, 2, 3  # classes of bytes in a statement; _INNER: not at its beginning
_CLASSES = bytes(
    _SPACE if byte in b" \t\n\r" else _OTHER if not 0x20 <= byte < 0x7F else _INNER if chr(byte) in FORMULAS else _PLAIN
    for byte in range(256)
)


class TransactionFields:
    """Writes a line for each transaction into `out`: `-` is what a transaction does not have, `?` what is not known."""

    def __init__(self, out: TextBuffer, zone: tzinfo | None) -> None:
        self.out = out
        self.zone = zone
        self.file = b""
        self.second = -1
        self.time = b""
        self.names: PlanCache[bytes] = PlanCache()
        self.headed = False

    def begin_log(self, path: str) -> None:
        """Name the log in the lines that follow; above the first log's, write the header."""
        if not self.headed:
            self.out.put("\t".join(NAMES).encode("ascii") + b"\n")
            self.headed = True
        self.file = _safe(visible(path)) + b"\t"

    def put(self, work: TransactionFacts) -> None:
        """Write the line of a transaction."""
        out = self.out
        out.put(self.file)
        out.put_uint(work.start)
        if work.first_time != self.second:
            self.turn_to(work.first_time)
        out.put(self.time)
        self.put_identity(work, work.transaction)
        self.put_times(work)
        out.put_char(_TAB)
        out.put_uint(work.bytes)
        if work.statements == 0 and not work.unread:
            self.put_rows(work, True)
        else:
            self.put_rows(work, is_counted(work))
        if work.prepared is None and work.transaction is not None and work.transaction.outcome == "COMMIT":
            out.put(b"\tcommit\t")
        else:
            out.put(b"\t" + outcome_of(work).encode("ascii") + b"\t")
        self.put_tables(work)
        out.put_char(_TAB)
        self.put_statement(work)
        out.put_char(_NEWLINE)
        out.breathe()

    def turn_to(self, second: int) -> None:
        """Set the time of the lines that follow; 0: not known."""
        self.second = second
        text = time_text(second, self.zone) if second else "?"
        self.time = b"\t" + text.encode("ascii") + b"\t"

    def put_identity(self, work: TransactionFacts, transaction: Transaction | None) -> None:
        """Write GTID, XID, server and thread."""
        out = self.out
        if transaction is not None and transaction.mariadb_gtid:
            out.put_uint(transaction.domain_id)
            out.put_char(_DASH)
            out.put_uint(transaction.server_id)
            out.put_char(_DASH)
            out.put_uint(transaction.seq_no)
        else:
            gtid = None if transaction is None else transaction.gtid
            out.put(b"-" if gtid is None else _safe(visible(gtid)))
        out.put_char(_TAB)
        if work.prepared is None and transaction is not None and transaction.xid is not None:
            out.put_uint(transaction.xid)
        else:
            out.put(xid_of(work).encode("ascii"))
        out.put_char(_TAB)
        out.put_uint(work.server_id)
        out.put_char(_TAB)
        thread = None if transaction is None else transaction.thread_id
        out.put(b"?" if thread is None else b"%d" % thread)

    def put_times(self, work: TransactionFacts) -> None:
        """Write what passed until the commit, in seconds, and from there until the commit on a replica."""
        out = self.out
        out.put_char(_TAB)
        if work.first_time == 0:
            out.put_char(_UNKNOWN)
        else:
            out.put_int(work.seconds())
        lag = lag_of(work) if work.here_micro != work.commit_micro else None
        out.put(b"\t-" if lag is None else b"\t%.6f" % (lag / _MICRO))

    def put_rows(self, work: TransactionFacts, counted: bool) -> None:
        """Write the numbers of rows; those that may be more with a question mark, alone in place of 0."""
        self.put_count(work.rows - work.updated - work.deleted, counted)
        self.put_count(work.updated, counted)
        self.put_count(work.deleted, counted)

    def put_count(self, count: int, counted: bool) -> None:
        """Write a number of rows."""
        self.out.put_char(_TAB)
        if count > 0 or counted:
            self.out.put_uint(count)
        if not counted:
            self.out.put_char(_UNKNOWN)

    def put_tables(self, work: TransactionFacts) -> None:
        """Write the names of the tables whose rows changed, and the number of those that are not named."""
        out = self.out
        named: list[bytes] = []
        for plan in work.tables:
            text = self.names.get(plan)
            if text is None:
                text = self.names.keep(plan, _safe(table_name(plan)))
            if text not in named:
                if named:
                    out.put(b", ")
                out.put(text)
                named.append(text)
        if work.other_tables is not None:
            out.put(b", " + others_text(work.other_tables).encode("ascii"))
        elif not named:
            out.put_char(_DASH)

    def put_statement(self, work: TransactionFacts) -> None:
        """Write the beginning of the statement; ASCII is written without decoding."""
        event = work.statement
        plain = False
        if isinstance(event, Query):
            query: Query = event  # typed in C
            plain = self.put_plain(query.query)
        elif isinstance(event, StatementText):
            text: StatementText = event
            plain = self.put_plain(text.query)
        if not plain:
            self.out.put(_safe(statement_of(work)))

    def put_plain(self, raw: bytes) -> bool:
        """Write the beginning of a statement in ASCII, white space as single blanks; False where it needs more."""
        out = self.out
        size = min(len(raw), TEXT_SIZE)
        if size == 0 or _CLASSES[raw[0]] != _PLAIN:
            return False
        out.ensure(size + 4)
        at = out.size
        place = 0
        blank = False
        while place < size:
            byte = raw[place]
            kind = _CLASSES[byte]
            if kind == _OTHER:
                return False
            if kind == _SPACE:
                blank = True
            else:
                if blank:
                    out.chars[at] = 0x20
                    at += 1
                    blank = False
                out.chars[at] = byte
                at += 1
            place += 1
        out.size = at
        if size < len(raw):
            out.put(_ELLIPSIS)
        return True


def _safe(text: str) -> bytes:
    """Return a text without tabs; with an apostrophe before it if a spreadsheet would take it for a formula."""
    formula = text[:1] in FORMULAS and len(text) > 1
    return (f"'{text}" if formula else text).encode("utf-8", "backslashreplace")
