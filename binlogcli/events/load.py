"""The events of LOAD DATA from 3.23 to today: blocks of files, and the statements that load them."""

from __future__ import annotations

from typing import cast

from binlogcli.binary.cursor import Cursor
from binlogcli.events.event import Event
from binlogcli.events.statements import Query
from binlogcli.log.context import LogContext
from binlogcli.names.event_types import LOAD_EVENT
from binlogcli.names.flags import flag_names

DUP_HANDLING = {0: "LOAD_DUP_ERROR", 1: "LOAD_DUP_IGNORE", 2: "LOAD_DUP_REPLACE"}
_SEPARATORS = ("field_term", "enclosed", "line_term", "line_start", "escaped")


class Load(Event):
    """LOAD_EVENT (6) of 3.23, NEW_LOAD_EVENT (12) of 4.0: a LOAD DATA statement in parts."""

    def decode(self, body: Cursor, context: LogContext) -> None:
        """Read the fields of the body."""
        self._read_head(body)
        self._read_names(body)
        self.fname = body.text("fname", body.left()).rstrip("\0")

    def _read_head(self, body: Cursor) -> None:
        """Read the post-header."""
        self.thread_id = body.u4("thread_id")
        self.exec_time = body.u4("exec_time")
        self.skip_lines = body.u4("skip_lines")
        self.table_len = body.u1("table_name_len")
        self.db_len = body.u1("db_len")
        self.num_fields = body.u4("num_fields")

    def _read_names(self, body: Cursor) -> None:
        """Read the separators, and the names of columns, table and database."""
        self.options: dict[str, object] = {}
        if self.type_code == LOAD_EVENT:
            for name in _SEPARATORS:
                self.options[name] = body.take(name, 1).decode("latin-1")
            self.options["opt_flags"] = flag_names("load", body.u1("opt_flags"))
            self.options["empty_flags"] = flag_names("load_empty", body.u1("empty_flags"))
        else:
            for name in _SEPARATORS:
                self.options[name] = body.take(name, body.u1(f"{name}_len")).decode("latin-1")
            self.options["opt_flags"] = flag_names("load", body.u1("opt_flags"))
        body.take("field_lens", self.num_fields)
        self.field_names = [body.nul_text("field_name") for _ in range(self.num_fields)]
        self.table_name = body.nul_text("table_name")
        self.db = body.nul_text("db")

    def has_option(self, name: str) -> bool:
        """Whether LOAD DATA had an option, by its flag's name in the server's source."""
        return name in cast("list[str]", self.options["opt_flags"])

    def separator(self, name: str) -> bytes:
        """Return what separates fields or lines, by its field's name; 3.23 marks an empty one by a flag."""
        unset = cast("list[str]", self.options.get("empty_flags", ()))
        return b"" if f"{name.upper()}_EMPTY" in unset else str(self.options[name]).encode("latin-1")

    def as_dict(self) -> dict[str, object]:
        """Return the fields under the server's names."""
        return {
            "thread_id": self.thread_id,
            "exec_time": self.exec_time,
            "skip_lines": self.skip_lines,
            "table_name_len": self.table_len,
            "db_len": self.db_len,
            "num_fields": self.num_fields,
            **self.options,
            "field_names": self.field_names,
            "table_name": self.table_name,
            "db": self.db,
            "fname": self.fname,
        }


class CreateFile(Load):
    """CREATE_FILE_EVENT (8): LOAD DATA of 4.0 to 5.0.2 in parts, with the file's first block."""

    def decode(self, body: Cursor, context: LogContext) -> None:
        """Read the fields of the body."""
        self._read_head(body)
        self.file_id = body.u4("file_id")
        self._read_names(body)
        self.fname = body.nul_text("fname")
        self.block = self.kept = body.rest("block", self.kept)

    def as_dict(self) -> dict[str, object]:
        """Return the fields under the server's names."""
        return {**super().as_dict(), "file_id": self.file_id, "block": self.block}


class FileBlock(Event):
    """APPEND_BLOCK_EVENT (9) and BEGIN_LOAD_QUERY_EVENT (17): a block of the file to load."""

    FIELDS = ("file_id", "block")

    def decode(self, body: Cursor, context: LogContext) -> None:
        """Read the fields of the body."""
        self.file_id = body.u4("file_id")
        self.block = self.kept = body.rest("block", self.kept)


class FileEnd(Event):
    """EXEC_LOAD_EVENT (10), after the last block of a file, and DELETE_FILE_EVENT (11), if it is not loaded."""

    FIELDS = ("file_id",)

    def decode(self, body: Cursor, context: LogContext) -> None:
        """Read the fields of the body."""
        self.file_id = body.u4("file_id")


class ExecuteLoadQuery(Query):
    """EXECUTE_LOAD_QUERY_EVENT (18): the LOAD DATA statement; query[fn_pos_start:fn_pos_end] names the file."""

    def _special_header(self, body: Cursor) -> None:
        """Read the fields that follow those of QUERY in the post-header."""
        self.file_id = body.u4("file_id")
        self.fn_pos_start = body.u4("fn_pos_start")
        self.fn_pos_end = body.u4("fn_pos_end")
        self.dup_handling = body.u1("dup_handling")

    def fields(self, query: object) -> dict[str, object]:
        """Return the fields under the server's names, with `query` as the statement."""
        return {
            "file_id": self.file_id,
            "fn_pos_start": self.fn_pos_start,
            "fn_pos_end": self.fn_pos_end,
            "dup_handling": DUP_HANDLING.get(self.dup_handling, self.dup_handling),
            **super().fields(query),
        }
