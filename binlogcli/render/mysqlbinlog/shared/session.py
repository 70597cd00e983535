"""The SET statements before a statement: each session variable that differs from what was printed last."""

from __future__ import annotations

from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.events.event import Event
from binlogcli.events.statements import Query
from binlogcli.events.status import StatusVars
from binlogcli.names.collations import collation
from binlogcli.render.client import NO_BACKSLASH_ESCAPES, StatementReader, leads_of
from binlogcli.render.identifiers import identifier
from binlogcli.render.mysqlbinlog.options import TextOptions
from binlogcli.render.mysqlbinlog.shared.remarks import ReplayRemarks
from binlogcli.render.mysqlbinlog.sql_text import DELIMITER, encoded_text

_THREAD_SPECIFIC, _SUPPRESS_USE = 4, 8  # header flags
_SHORT_FORM_THREAD = 999999999
_NO_NUMBER = -1
_XA_FLAGS = 64 | 128  # flags of a MariaDB GTID: prepared XA, completed XA
_MYSQL_ONLY_MODES = 0x1003FF00  # SQL modes that MySQL 8.0 dropped
_TRANSACTION_WORDS = (b"BEGIN", b"COMMIT", b"ROLLBACK")
_TRANSACTION_BEGINNINGS = (b"SAVEPOINT", b"ROLLBACK TO ")

_OPTIONS = (  # variable, bit of flags2, whether the bit inverts the variable
    ("foreign_key_checks", 1 << 26, True),
    ("sql_auto_is_null", 1 << 14, False),
    ("unique_checks", 1 << 27, True),
    ("autocommit", 1 << 19, True),
)
_MARIADB_OPTIONS = (
    *_OPTIONS,
    ("check_constraint_checks", 1 << 15, True),
    ("sql_if_exists", 1 << 28, False),
    ("explicit_defaults_for_timestamp", 1 << 24, False),
    ("system_versioning_insert_history", 1 << 30, False),
)
_IF_EXISTS, _EXPLICIT_DEFAULTS, _INSERT_HISTORY = 1 << 28, 1 << 24, 1 << 30


_FIRST_EXPLICIT = {5: 17, 6: 9, 7: 5, 8: 4, 9: 2}  # MariaDB 10.x: the first release that writes the bit


def _options_written(version: tuple[int, int, int], *, mariadb: bool) -> int:
    """Return the bits of flags2 that a server of this version sets on purpose, of those added by newer servers."""
    written = _INSERT_HISTORY
    if mariadb and version >= (10, 5, 2):
        written |= _IF_EXISTS
        if version[0] > 10 or version[2] >= _FIRST_EXPLICIT.get(version[1], 0):
            written |= _EXPLICIT_DEFAULTS
    return written


class SessionPrinter:
    """Writes the session state of statements; holds the values printed last, None or -1 before the first."""

    def __init__(self, options: TextOptions, mariadb: bool, remarks: ReplayRemarks, reader: StatementReader) -> None:
        self.options = options
        self.remarks = remarks
        self.reader = reader  # which reads as a client in this state does
        reader.escapes = True
        reader.leads = b""
        self.mariadb = mariadb
        self.short_form = options.short_form
        self.gtid_flags = 0
        self.db = ""
        self.thread_printed = False
        self.thread_id = 0
        self.flags2: int | None = None
        self.sql_mode: int | None = None
        self.increment = self.offset = 0
        self.client: int | None = None
        self.connection: int | None = None
        self.server: int | None = None
        self.time_zone = ""
        self.lc_time_names = self.charset_database = self.utf8mb4_collation = _NO_NUMBER
        self.written_flags = 0

    def meet_server(self, version: tuple[int, int, int]) -> None:
        """Take the server's version from a format description."""
        self.written_flags = _options_written(version, mariadb=self.mariadb)

    def put_before(self, out: TextBuffer, query: Query) -> None:
        """Write all that stands between a statement's header line and the statement."""
        self._put_use(out, query)
        self.put_timestamp(out, query)
        if not self.thread_printed or (query.flags & _THREAD_SPECIFIC and query.thread_id != self.thread_id):
            out.put(b"SET @@session.pseudo_thread_id=")
            out.put_uint(_SHORT_FORM_THREAD if self.short_form else query.thread_id)
            out.put(DELIMITER)
            self.thread_printed = True
            self.thread_id = query.thread_id
        self._put_status(out, query)

    def put_rewritten_use(self, out: TextBuffer, query: Query) -> None:
        """Write USE with the new name of a rewritten database, as MariaDB's tool does above the header line."""
        new = self.options.rewrite_db.get(query.db)
        if new is not None and not query.flags & _SUPPRESS_USE and query.db != self.db:
            self.db = query.db
            self._put_database(out, query, new)

    def use_for_load(self, event: Event, database: str, *, runs: bool) -> bytes:
        """Return USE for LOAD DATA of an old server where the database differs; if it `runs`, it is the current one."""
        name = self.options.database(database)
        known = database if self.mariadb else name
        differs = bool(name) and known != self.db
        if not runs:
            return b"use " + identifier(name) if differs else b""
        self.db = known
        return self.remarks.before_use(event, identifier(name)) + b"use " + identifier(name) if differs else b""

    def _put_use(self, out: TextBuffer, query: Query) -> None:
        """Write USE where the default database changed; MySQL's tool compares the rewritten names."""
        name = query.db if self.mariadb else self.options.database(query.db)
        if query.flags & _SUPPRESS_USE:
            if not self._keeps_database(query.query):
                self.db = ""
        elif name != self.db:
            self.db = name
            if self.db:
                self._put_database(out, query, self.db)

    def _put_database(self, out: TextBuffer, query: Query, database: str) -> None:
        """Write USE of a database."""
        name = identifier(database)
        out.put(self.remarks.before_use(query, name) + b"use " + name + DELIMITER)

    def _keeps_database(self, query: bytes) -> bool:
        """Whether a statement is transaction control, which leaves the default database as it was."""
        words = query.upper()
        if words in _TRANSACTION_WORDS or words.startswith(_TRANSACTION_BEGINNINGS):
            return True
        return words.startswith(b"XA") and (not self.mariadb or self.gtid_flags & _XA_FLAGS != 0)

    def put_timestamp(self, out: TextBuffer, query: Query) -> None:
        """Write SET TIMESTAMP, with microseconds where the statement used them."""
        out.put(b"SET TIMESTAMP=")
        out.put_uint(query.timestamp)
        status = query.status
        micro = status.hrnow if self.mariadb else status.microseconds
        if micro and micro <= 999999:
            out.put_char(46)
            out.put_padded(micro, 6)
        out.put(DELIMITER)

    def _put_status(self, out: TextBuffer, query: Query) -> None:
        """Write the variables of a statement's status block that differ."""
        status = query.status
        if status.flags2 is not None and status.flags2 != self.flags2:
            self._put_options(out, status.flags2)
        if status.sql_mode is not None and status.sql_mode != self.sql_mode:
            self._put_sql_mode(out, status.sql_mode)
        step, start = status.auto_increment_increment, status.auto_increment_offset
        if (step is None and self.increment != 1) or (
            step is not None and (step != self.increment or start != self.offset)
        ):
            self._put_increment(out, 1 if step is None else step, 1 if start is None else start)
        if status.character_set_client is not None and (
            status.character_set_client != self.client
            or status.collation_connection != self.connection
            or status.collation_server != self.server
        ):
            self.client = status.character_set_client
            self.connection = status.collation_connection
            self.server = status.collation_server
            self.put_charset(out, (self.client, self.connection or 0, self.server or 0))
        if status.character_set_collations is not None and self.mariadb:
            self._put_collations(out, status.character_set_collations)
        if status.time_zone and status.time_zone != self.time_zone:
            self.time_zone = status.time_zone
            zone = self.remarks.in_quotes(query, encoded_text(self.time_zone))
            out.put(b"SET @@session.time_zone=" + zone + DELIMITER)
        if (status.lc_time_names_number or 0) != self.lc_time_names:
            self._put_lc_time_names(out, status.lc_time_names_number or 0)
        if (status.charset_database_number or 0) != self.charset_database:
            self._put_charset_database(out, status.charset_database_number or 0)
        if not self.mariadb:
            self._put_mysql_variables(out, status)

    def _put_options(self, out: TextBuffer, flags2: int) -> None:
        """Write the options that are bits of flags2 and changed."""
        changed = ~0 if self.flags2 is None else self.flags2 ^ flags2
        self.flags2 = flags2
        known = _MARIADB_OPTIONS if self.mariadb else _OPTIONS
        unwritten = (_IF_EXISTS | _EXPLICIT_DEFAULTS | _INSERT_HISTORY) & ~self.written_flags
        shown = [
            f"@@session.{name}={(flags2 & bit != 0) != inverted:d}"
            for name, bit, inverted in known
            if changed & bit & ~unwritten
        ]
        out.put(b"SET " + ", ".join(shown).encode("ascii") + DELIMITER)

    def _put_sql_mode(self, out: TextBuffer, sql_mode: int) -> None:
        """Write the SQL mode as a number; modes that MySQL 8.0 dropped are masked there."""
        self.sql_mode = sql_mode
        self.reader.escapes = sql_mode & NO_BACKSLASH_ESCAPES == 0
        out.put(b"SET @@session.sql_mode=%d" % sql_mode)
        if not self.mariadb and sql_mode & _MYSQL_ONLY_MODES:
            out.put(b"/*!80005 &~0x%x*/" % _MYSQL_ONLY_MODES)
        out.put(DELIMITER)

    def _put_increment(self, out: TextBuffer, step: int, start: int) -> None:
        """Write step and offset of AUTO_INCREMENT."""
        self.increment = step
        self.offset = start
        out.put(b"SET @@session.auto_increment_increment=%d, " % step)
        out.put(b"@@session.auto_increment_offset=%d" % start + DELIMITER)

    @property
    def charset(self) -> tuple[int, int, int] | None:
        """Client character set, connection and server collation by number; None before the first statement."""
        return None if self.client is None else (self.client, self.connection or 0, self.server or 0)

    def put_charset(self, out: TextBuffer, numbers: tuple[int, int, int]) -> None:
        """Write client character set, connection and server collation, for the client program and the server."""
        client, connection, server = numbers
        known = collation(client, mariadb=self.mariadb)
        if known is not None:
            self.reader.leads = leads_of(known.charset)
            out.put(b"/*!\\C %s */" % known.charset.encode("ascii") + DELIMITER)
        elif self.mariadb:
            out.put(b"# Ignored (Unknown charset) ")
        name = b"%d" % client
        if self.mariadb:
            name = known.charset.encode("ascii") if known is not None else b"Unknown"
        out.put(b"SET @@session.character_set_client=%s,@@session.collation_connection=%d," % (name, connection))
        out.put(b"@@session.collation_server=%d" % server + DELIMITER)

    def _put_collations(self, out: TextBuffer, pairs: list[tuple[int, int]]) -> None:
        """Write the default collations of character sets (MariaDB 11.2 and newer), at each statement that has them."""
        names = [(collation(one, mariadb=True), collation(other, mariadb=True)) for one, other in pairs]
        text = ",".join(f"{a.charset}={b.name}" for a, b in names if a is not None and b is not None)
        out.put(b"SET @@session.character_set_collations='" + text.encode("ascii") + b"'" + DELIMITER)

    def _put_lc_time_names(self, out: TextBuffer, number: int) -> None:
        """Write the locale for names of days and months, by number."""
        self.lc_time_names = number
        out.put(b"SET @@session.lc_time_names=%d" % number + DELIMITER)

    def _put_charset_database(self, out: TextBuffer, number: int) -> None:
        """Write the default collation of the database, by number."""
        self.charset_database = number
        out.put(b"SET @@session.collation_database=" + (b"%d" % number if number else b"DEFAULT") + DELIMITER)

    def _put_mysql_variables(self, out: TextBuffer, status: StatusVars) -> None:
        """Write the variables of MySQL alone; the last two at each statement that has them."""
        if status.explicit_defaults_for_timestamp is not None:
            out.put(
                b"SET @@session.explicit_defaults_for_timestamp=%d" % status.explicit_defaults_for_timestamp + DELIMITER
            )
        number = status.default_collation_for_utf8mb4
        if number and number != self.utf8mb4_collation:
            self.utf8mb4_collation = number
            out.put(b"/*!80011 SET @@session.default_collation_for_utf8mb4=%d*/" % number + DELIMITER)
        if status.sql_require_primary_key is not None:
            out.put(b"/*!80013 SET @@session.sql_require_primary_key=%d*/" % status.sql_require_primary_key + DELIMITER)
        if status.default_table_encryption is not None:
            encryption = status.default_table_encryption
            out.put(b"/*!80016 SET @@session.default_table_encryption=%d*/" % encryption + DELIMITER)
