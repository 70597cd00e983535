"""LOAD DATA of MySQL 3.23 to 5.0.2, whose events have the statement in parts: put together as SQL.

CREATE_FILE_EVENT names the server's file and begins ours: its statement is a comment. The one that runs, with our file,
stands at EXEC_LOAD_EVENT. LOAD_EVENT and NEW_LOAD_EVENT come without a file: their statements name the server's.
"""

from __future__ import annotations

import os

from binlogcli.events.event import Event
from binlogcli.events.load import CreateFile, Load
from binlogcli.render.identifiers import identifier
from binlogcli.render.mysqlbinlog.shared.session import SessionPrinter
from binlogcli.render.mysqlbinlog.sql_text import DELIMITER, encoded_text, quoted_string

_THREAD_SPECIFIC = 4  # header flag: the statement is about a temporary table
_SEPARATORS = ((b" ENCLOSED", "enclosed"), (b" ESCAPED", "escaped"), (b" LINES TERMINATED", "line_term"))


class LoadStatement:
    """LOAD DATA as an event describes it. `header` is a copy of the event's header, with `whole` of all its bytes."""

    def __init__(self, event: Load, *, whole: bool) -> None:
        self.header = event.copy_at(event.start, whole=whole)
        self.words = b"\tQuery\tthread_id=%d\texec_time=%d\n" % (event.thread_id, event.exec_time)
        self.database = event.db
        self.thread = event.thread_id if event.flags & _THREAD_SPECIFIC else None
        self.server_file = encoded_text(event.fname)
        self.rest = _rest_of(event)
        self.size_line = b""
        if isinstance(event, CreateFile):
            self.size_line = b"# file_id: %d  block_len: %d\n" % (event.file_id, len(event.block))

    def sql(self, session: SessionPrinter, event: Event, file: str | None = None) -> bytes:
        """Return the statements, to run at `event`, that load `file`, which the client sends, or the server's own."""
        if file is None:
            infile = b"INFILE " + quoted_string(self.server_file)
        else:
            infile = b"LOCAL INFILE " + quoted_string(os.fsencode(file))
        lines = self._lines(session.use_for_load(event, self.database, runs=True), infile)
        return b"".join(line + DELIMITER for line in lines)

    def comment(self, session: SessionPrinter, event: Event) -> bytes:
        """Return the statements with the server's file as comments."""
        use = session.use_for_load(event, self.database, runs=False)
        lines = self._lines(use, b"INFILE '" + self.server_file + b"'")
        return b"".join(b"# " + session.remarks.in_comment(event, line) + DELIMITER for line in lines)

    def _lines(self, use: bytes, infile: bytes) -> list[bytes]:
        """Return the statements without delimiters."""
        thread = b"" if self.thread is None else b"SET @@session.pseudo_thread_id=%d" % self.thread
        return [line for line in (use, thread, b"LOAD DATA " + infile + self.rest) if line]


def _rest_of(event: Load) -> bytes:
    """Return what stands after the name of the file, with the tools' spaces."""
    text = b" REPLACE" if event.has_option("REPLACE_FLAG") else b" IGNORE" if event.has_option("IGNORE_FLAG") else b""
    text += b" INTO TABLE " + identifier(event.table_name)
    text += b" FIELDS TERMINATED BY " + quoted_string(event.separator("field_term"))
    text += b" OPTIONALLY " if event.has_option("OPT_ENCLOSED_FLAG") else b""
    for words, name in _SEPARATORS:
        text += words + b" BY " + quoted_string(event.separator(name))
    text += b" STARTING BY " + quoted_string(event.separator("line_start"))
    if event.skip_lines:
        text += b" IGNORE %d LINES" % event.skip_lines
    return text + (b" (" + b",".join(map(identifier, event.field_names)) + b")" if event.field_names else b"")
