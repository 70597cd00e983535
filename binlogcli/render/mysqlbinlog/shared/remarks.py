"""Where the text is not what the servers' tools print: bytes of a log that a client would run, though no statement.

A comment ends with its line, a string with its quote. A name with a line break in it, or a time zone with a quote,
leaves the one or the other in the tools' text, and what follows it is run on replay. Such bytes are escaped here. All
other text is the tools', byte for byte.
"""

from __future__ import annotations

from collections.abc import Callable

from binlogcli.events.event import Event
from binlogcli.render.mysqlbinlog.sql_text import one_line

_LINE_BREAK = "a line break in a name is written as \\n; {} prints it raw, and a client would run the text after it"
_QUOTE = "a time zone that contains a quote is written in hex; {} prints it raw, and a client would run what follows"
_DATABASE = (
    "an empty comment is put before USE, because clients end their own USE command at the line break in the name"
)
_TOOLS = ("mysqlbinlog", "mariadb-binlog")


class ReplayRemarks:
    """Escapes what a client would run, and reports each kind once per log, where it first occurs."""

    def __init__(self, *, mariadb: bool) -> None:
        self.tool = _TOOLS[mariadb]
        self.tell: Callable[[int, str], None] | None = None
        self.reported: set[str] = set()

    def begin_log(self) -> None:
        """Prepare for a log: nothing of it was reported yet."""
        self.reported.clear()

    def note(self, event: Event, what: str) -> None:
        """Report what is written differently, once per log."""
        if what in self.reported or self.tell is None:
            return
        self.reported.add(what)
        self.tell(event.start if event.within_at < 0 else event.within_at, what.format(self.tool))

    def note_statement(self, event: Event, troubles: list[str]) -> None:
        """Tell how a statement is written that clients misread."""
        for trouble in troubles:
            self.note(event, f"the statement {trouble}")

    def in_comment(self, event: Event, text: bytes) -> bytes:
        """Return text of a log for a comment: in one line."""
        if b"\n" not in text:
            return text
        self.note(event, _LINE_BREAK)
        return one_line(text)

    def in_quotes(self, event: Event, text: bytes) -> bytes:
        """Return a value in single quotes, in hex where it would leave them in one SQL mode or another."""
        if b"'" in text or b"\\" in text:
            self.note(event, _QUOTE)
            return b"X'" + text.hex().encode("ascii") + b"'"
        return b"'" + text + b"'"

    def before_use(self, event: Event, name: bytes) -> bytes:
        """Return what keeps clients from reading USE as a command of their own, which ends with its line."""
        if b"\n" not in name:
            return b""
        self.note(event, _DATABASE)
        return b"/*!*/ "
