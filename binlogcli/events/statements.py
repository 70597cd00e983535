"""Events of statement logging, and the texts of statements that row events belong to."""

from __future__ import annotations

from functools import lru_cache

from binlogcli.binary.cursor import Cursor
from binlogcli.binary.long_text import LONG, LongText, long_text
from binlogcli.events.event import Event
from binlogcli.events.status import read_status_vars
from binlogcli.log.compressed import inflate
from binlogcli.log.context import LogContext
from binlogcli.names.charsets import decode as decode_text
from binlogcli.names.charsets import is_ascii_superset
from binlogcli.names.collations import collation
from binlogcli.names.event_types import QUERY_COMPRESSED_EVENT
from binlogcli.names.variables import INTVAR_TYPES, USER_VAR_TYPES
from binlogcli.rows.readers.decimal import decimal_text

_UNSIGNED_FLAG = 1  # of a user variable: UNSIGNED_F
_DATA_TYPE_NAME = 2  # chunk of a user variable: CHUNK_DATA_TYPE_NAME


class Query(Event):
    """QUERY_EVENT (2) and MariaDB's QUERY_COMPRESSED_EVENT (165): a statement with the session state that it needs."""

    def decode(self, body: Cursor, context: LogContext) -> None:
        """Read the fields of the body."""
        self.mariadb = context.mariadb
        self.post_header(body, context)
        self.status = read_status_vars(body, self.status_vars_len)
        self.db = body.text("db", self.db_len)
        body.u1("db_end")
        if self.type_code == QUERY_COMPRESSED_EVENT:
            self.query = self.kept = inflate(body, "query", context.max_content, self.kept)
        else:
            self.query = self.kept = body.rest("query", self.kept)

    def post_header(self, body: Cursor, context: LogContext) -> None:
        """Read the part of fixed size."""
        post_header = context.post_headers[self.type_code] or 13
        start = body.pos
        self.thread_id = body.u4("thread_id")
        self.exec_time = body.u4("exec_time")
        self.db_len = body.u1("db_len")
        self.error_code = body.u2("error_code")
        self.status_vars_len = body.u2("status_vars_len") if post_header > 11 else 0
        self._special_header(body)
        body.skip("unknown", post_header - (body.pos - start))

    def _special_header(self, body: Cursor) -> None:
        """Read the fields that a derived event adds to the post-header."""

    @property
    def text(self) -> str | None:
        """The statement decoded from the client's character set, else from UTF-8; None if it is valid in neither."""
        return client_text(self.query, self.status.character_set_client, self.mariadb)

    def shown(self) -> LongText | str | bytes:
        """Return the statement to be written: its text, or its bytes if they are not valid text."""
        return _shown(self.query, _client_charset(self.status.character_set_client, mariadb=self.mariadb))

    def as_dict(self) -> dict[str, object]:
        """Return the fields under the server's names."""
        text = self.text
        return self.fields(self.query if text is None else text)

    def fields(self, query: object) -> dict[str, object]:
        """Return the fields under the server's names, with `query` as the statement."""
        return {
            "thread_id": self.thread_id,
            "exec_time": self.exec_time,
            "db_len": self.db_len,
            "error_code": self.error_code,
            "status_vars_len": self.status_vars_len,
            "status_vars": self.status.as_dict(mariadb=self.mariadb),
            "db": self.db,
            "query": query,
        }


def client_text(raw: bytes, number: int | None, mariadb: bool) -> str | None:
    """Decode a statement from the character set of collation `number`, else from UTF-8, else return None."""
    return _decoded(raw, _client_charset(number, mariadb=mariadb))


def _decoded(raw: bytes, charset: str | None) -> str | None:
    """Decode a statement from a character set, else from UTF-8, else return None."""
    if raw.isascii() and (charset is None or is_ascii_superset(charset)):
        return raw.decode("ascii")
    if charset is not None:
        text = decode_text(raw, charset)
        if text is not None:
            return text
    return decode_text(raw, "utf8mb4")


def _shown(raw: bytes, charset: str | None) -> LongText | str | bytes:
    """Return a statement in a character set to be written, not as a `str` where it is long."""
    if len(raw) > LONG:
        view = memoryview(raw)
        text = None if charset is None else long_text(view, charset)
        return text or long_text(view, None) or raw
    decoded = _decoded(raw, charset)
    return raw if decoded is None else decoded


@lru_cache(maxsize=256)
def _client_charset(number: int | None, *, mariadb: bool) -> str | None:
    """Return the character set of collation `number`; None if that is unknown or binary."""
    known = collation(number, mariadb=mariadb) if number else None
    return None if known is None or known.charset == "binary" else known.charset


class Intvar(Event):
    """INTVAR_EVENT (5): LAST_INSERT_ID or INSERT_ID for the statement after it."""

    def decode(self, body: Cursor, context: LogContext) -> None:
        """Read the fields of the body."""
        self.kind = body.u1("type")
        self.val = body.u8("val")

    def as_dict(self) -> dict[str, object]:
        """Return the fields, and the name of the kind of variable."""
        return {"type": self.kind, "type_name": INTVAR_TYPES.get(self.kind), "val": self.val}


class Rand(Event):
    """RAND_EVENT (13): the seeds of RAND() for the statement after it."""

    FIELDS = ("seed1", "seed2")

    def decode(self, body: Cursor, context: LogContext) -> None:
        """Read the fields of the body."""
        self.seed1 = body.u8("seed1")
        self.seed2 = body.u8("seed2")


class UserVar(Event):
    """USER_VAR_EVENT (14): a user variable that the statement after it reads."""

    def decode(self, body: Cursor, context: LogContext) -> None:
        """Read the fields of the body."""
        self.mariadb = context.mariadb
        self.name = body.text("name", body.u4("name_len"))
        self.is_null = body.u1("is_null") != 0
        self.kind = 0
        self.charset_number = 63
        self.val = b""
        self.var_flags = -1
        self.data_type = ""
        if not self.is_null:
            self.kind = body.u1("type")
            self.charset_number = body.u4("charset_number")
            self.val = self.kept = body.take("val", body.u4("val_len"), self.kept)
            self._tail(body)
            if self.kind == 4 or (self.kind in (1, 2) and len(self.val) < 8):
                self.value()  # a number that does not fit its type is damage of the event

    def _tail(self, body: Cursor) -> None:
        """Read the flags (5.5 and newer) and the name of the data type (MariaDB 11.4 and newer), as far as there."""
        while body.left() > 0:
            chunk = body.data[body.pos]
            if chunk == _DATA_TYPE_NAME and self.mariadb:
                body.u1("chunk")
                self.data_type = body.text("data_type", body.u1("data_type_length"))
            elif self.var_flags < 0:
                self.var_flags = body.u1("flags")
            else:
                break

    def value(self) -> float | str | bytes | None:
        """Return the value, a decimal as str; `DecodeError` if its bytes do not fit its type."""
        if self.is_null:
            return None
        body = Cursor(self.val)
        if self.kind == 1:
            return body.f8("val")
        if self.kind == 2:
            return body.u8("val") if self.var_flags == _UNSIGNED_FLAG else body.i8("val")
        if self.kind == 4:
            precision = body.u1("precision")
            return decimal_text(body, precision, body.u1("scale"))
        known = collation(self.charset_number, mariadb=self.mariadb)
        text = decode_text(self.val, known.charset) if known is not None else None
        return self.val if text is None else text

    def as_dict(self) -> dict[str, object]:
        """Return the fields."""
        name_len = len(self.name.encode("utf-8", "surrogateescape"))
        fields: dict[str, object] = {"name_len": name_len, "name": self.name, "is_null": self.is_null}
        if not self.is_null:
            fields |= {
                "type": self.kind,
                "type_name": USER_VAR_TYPES.get(self.kind),
                "charset_number": self.charset_number,
                "val_len": len(self.val),
                "val": self.value(),
                "flags": None if self.var_flags < 0 else self.var_flags,
            }
            if self.data_type:
                fields["data_type"] = self.data_type
        if self.unknown:
            fields["unknown"] = self.unknown
        return fields


class Xid(Event):
    """XID_EVENT (16): the commit of a transaction."""

    FIELDS = ("xid",)

    def decode(self, body: Cursor, context: LogContext) -> None:
        """Read the fields of the body."""
        self.xid = body.u8("xid")


class XaPrepare(Event):
    """XA_PREPARE_LOG_EVENT (38): the prepare of an XA transaction, or its commit in one phase."""

    FIELDS = ("one_phase", "format_id", "gtrid_length", "bqual_length", "gtrid", "bqual")

    def decode(self, body: Cursor, context: LogContext) -> None:
        """Read the fields of the body."""
        self.one_phase = body.u1("one_phase") != 0
        self.format_id = body.i4("format_id")
        self.gtrid_length = body.u4("gtrid_length")
        self.bqual_length = body.u4("bqual_length")
        self.gtrid = body.take("gtrid", self.gtrid_length)
        self.bqual = body.take("bqual", self.bqual_length)


class StatementText(Event):
    """The statement of the row events after it: MariaDB's ANNOTATE_ROWS_EVENT (160), and the base of RowsQuery."""

    def decode(self, body: Cursor, context: LogContext) -> None:
        """Read the fields of the body."""
        self.query = self.kept = body.rest("query", self.kept)

    @property
    def text(self) -> str | None:
        """The statement as text, or None if it is not UTF-8."""
        return decode_text(self.query, "utf8mb4")

    def shown(self) -> LongText | str | bytes:
        """Return the statement to be written: its text, or its bytes if they are not valid text."""
        return _shown(self.query, None)

    def as_dict(self) -> dict[str, object]:
        """Return the statement, as text if it is UTF-8."""
        text = self.text
        return self.fields(self.query if text is None else text)

    def fields(self, query: object) -> dict[str, object]:
        """Return the fields under the server's names, with `query` as the statement."""
        return {"query": query}


class RowsQuery(StatementText):
    """ROWS_QUERY_LOG_EVENT (29), MySQL: the statement of the row events after it."""

    def decode(self, body: Cursor, context: LogContext) -> None:
        """Read the fields of the body. The length byte is the length modulo 256: the text goes to the body's end."""
        self.text_length = body.u1("length")
        self.query = self.kept = body.rest("rows_query", self.kept)

    def fields(self, query: object) -> dict[str, object]:
        """Return the fields under the server's names, with `query` as the statement."""
        return {"length": self.text_length, "rows_query": query}
