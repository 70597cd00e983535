"""The settings that a session needs to run the SQL: SET statements for what differs from the statement before."""

from __future__ import annotations

from binlogcli.events.statements import Intvar, Query, Rand, UserVar
from binlogcli.names.collations import collation
from binlogcli.render.identifiers import identifier
from binlogcli.render.sql.quoting import hex_literal, text_literal

Settings = dict[bytes, bytes]

# Assumed settings of a session before the first SET
_FIRST: Settings = {
    b"foreign_key_checks": b"1",
    b"unique_checks": b"1",
    b"sql_auto_is_null": b"0",
    b"check_constraint_checks": b"1",
    b"lc_time_names": b"0",
    b"auto_increment_increment": b"1",
    b"auto_increment_offset": b"1",
    b"default_collation_for_utf8mb4": b"255",  # of MySQL 8.0 and newer
}
# Not strict, like a replica's session: an ENUM may hold '', and MariaDB ignores values of generated columns
ROWS: Settings = {
    b"character_set_client": b"utf8mb4",
    b"collation_connection": b"utf8mb4_general_ci",
    b"time_zone": b"'+00:00'",
    b"sql_mode": b"'NO_AUTO_VALUE_ON_ZERO,ALLOW_INVALID_DATES'",
}
_INVERTED_FLAGS2 = {b"foreign_key_checks": 1 << 26, b"unique_checks": 1 << 27}
_SQL_AUTO_IS_NULL = 1 << 14
_NO_CHECK_CONSTRAINT_CHECKS = 1 << 15
NO_FOREIGN_KEY_CHECKS_F = 2  # in the flags of ROWS
_RELAXED_UNIQUE_CHECKS_F = 4
_NO_CHECK_CONSTRAINT_CHECKS_F = 0x80  # MariaDB only, as is the variable
_CHECKS = NO_FOREIGN_KEY_CHECKS_F | _RELAXED_UNIQUE_CHECKS_F | _NO_CHECK_CONSTRAINT_CHECKS_F
_GONE_SQL_MODES = 0x1003FF00  # bits of sql_mode that MySQL 8.0 refuses
_THREAD_SPECIFIC = 0x4
_SUPPRESS_USE = 0x8
_STRING_RESULT, _REAL_RESULT, _INT_RESULT, _DECIMAL_RESULT = 0, 1, 2, 4


class SqlSession:
    """The settings made so far; its methods return the statements that change them to what is needed next."""

    def __init__(self) -> None:
        self.settings = dict(_FIRST)
        self.database: str | None = None
        self.rows = (-1, -1)

    def turn(self, wanted: Settings) -> bytes:
        """Return one SET of all settings that differ, or nothing."""
        changed = {name: value for name, value in wanted.items() if self.settings.get(name) != value}
        if not changed:
            return b""
        self.settings |= changed
        return b"SET " + b", ".join(b"@@session." + name + b"=" + value for name, value in changed.items()) + b";\n"

    def for_rows(self, second: int, row_flags: int) -> bytes:
        """Return the settings for statements made of rows; the session's time becomes the event's, in seconds."""
        state = (second, row_flags & _CHECKS)
        if state == self.rows:
            return b""
        self.rows = state
        return self.turn({**ROWS, **rows_checks(row_flags), b"timestamp": b"%d" % second})

    def forget_clock(self) -> None:
        """Note that other statements changed the session's time."""
        self.settings.pop(b"timestamp", None)
        self.rows = (-1, -1)

    def for_query(self, event: Query) -> bytes:
        """Return the settings and the USE for a statement of the log."""
        self.rows = (-1, -1)
        lines = b""
        if event.db and event.db != self.database and not event.flags & _SUPPRESS_USE:
            self.database = event.db
            if not event.db.isascii():  # the name is in UTF-8 even where the statement is not
                lines = self.turn({b"character_set_client": b"utf8mb4"})
            name = identifier(event.db)
            own = b"\n" not in name  # clients have a USE of their own, which ends with its line
            lines += (b"USE " if own else b"/*!*/ USE ") + name + b";\n"
        return lines + self.turn(_query_settings(event))


def rows_checks(row_flags: int) -> Settings:
    """Return the checks that the rows of an event ran under."""
    return {
        b"foreign_key_checks": b"0" if row_flags & NO_FOREIGN_KEY_CHECKS_F else b"1",
        b"unique_checks": b"0" if row_flags & _RELAXED_UNIQUE_CHECKS_F else b"1",
        b"check_constraint_checks": b"0" if row_flags & _NO_CHECK_CONSTRAINT_CHECKS_F else b"1",
    }


def _query_settings(event: Query) -> Settings:
    """Return the settings in a statement's status variables."""
    status = event.status
    found: Settings = {b"timestamp": _timestamp_of(event), **_numbers_of(event)}
    if status.flags2 is not None:
        found |= {name: b"0" if status.flags2 & bit else b"1" for name, bit in _INVERTED_FLAGS2.items()}
        found[b"sql_auto_is_null"] = b"1" if status.flags2 & _SQL_AUTO_IS_NULL else b"0"
        if event.mariadb:
            found[b"check_constraint_checks"] = b"0" if status.flags2 & _NO_CHECK_CONSTRAINT_CHECKS else b"1"
    if status.sql_mode is not None:
        mode = status.sql_mode if event.mariadb else status.sql_mode & ~_GONE_SQL_MODES
        found[b"sql_mode"] = b"%d" % mode
    if status.character_set_client is not None:
        found[b"character_set_client"] = _charset_name(status.character_set_client, mariadb=event.mariadb)
        found[b"collation_connection"] = b"%d" % (status.collation_connection or 0)
        found[b"collation_server"] = b"%d" % (status.collation_server or 0)
    if status.default_collation_for_utf8mb4:
        found[b"default_collation_for_utf8mb4"] = b"%d" % status.default_collation_for_utf8mb4
    zone = text_literal(status.time_zone) if status.time_zone else None
    found[b"time_zone"] = zone or b"'SYSTEM'"
    if event.flags & _THREAD_SPECIFIC:
        found[b"pseudo_thread_id"] = b"%d" % event.thread_id
    return found


def _numbers_of(event: Query) -> Settings:
    """Return the settings that are plain numbers, with defaults for those that the event lacks."""
    status = event.status
    return {
        b"auto_increment_increment": b"%d" % (status.auto_increment_increment or 1),
        b"auto_increment_offset": b"%d" % (status.auto_increment_offset or 1),
        b"lc_time_names": b"%d" % (status.lc_time_names_number or 0),
    }


def _timestamp_of(event: Query) -> bytes:
    """Return the statement's start in seconds, with microseconds where it used them."""
    micro = event.status.hrnow if event.mariadb else event.status.microseconds
    return b"%d.%06d" % (event.timestamp, micro) if micro and micro <= 999999 else b"%d" % event.timestamp


def _charset_name(number: int, *, mariadb: bool) -> bytes:
    """Return the name of a client's character set, or its number where it is unknown."""
    known = collation(number, mariadb=mariadb)
    return known.charset.encode("ascii") if known is not None else b"%d" % number


def before_statement(event: Intvar | Rand | UserVar) -> bytes:
    """Return the SET that an event makes for the statement after it; DecodeError for an unreadable value."""
    if isinstance(event, Intvar):
        name = {1: b"LAST_INSERT_ID", 2: b"INSERT_ID"}.get(event.kind)
        return b"SET @@session.%s=%d;\n" % (name.lower(), event.val) if name is not None else b""
    if isinstance(event, Rand):
        return b"SET @@session.rand_seed1=%d, @@session.rand_seed2=%d;\n" % (event.seed1, event.seed2)
    return b"SET @" + identifier(event.name) + b":=" + _user_value(event) + b";\n"


def _user_value(event: UserVar) -> bytes:
    """Return the value of a user variable as a literal of its type."""
    if event.is_null:
        return b"NULL"
    if event.kind in (_INT_RESULT, _DECIMAL_RESULT):
        return str(event.value()).encode("ascii")
    if event.kind == _REAL_RESULT:
        text = repr(event.value())
        return (text if "e" in text else text + "e0").encode("ascii")
    known = collation(event.charset_number, mariadb=event.mariadb)
    if known is None:
        return hex_literal(event.val)
    return b"_%s %s COLLATE %s" % (known.charset.encode(), hex_literal(event.val), known.name.encode())
