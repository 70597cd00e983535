"""The status variables of a QUERY event: under what session state the statement ran."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

from binlogcli.errors import DecodeError
from binlogcli.log.cursor import Cursor
from binlogcli.names.flags import flag_names
from binlogcli.names.shared import SharedDict

OVER_MAX_DBS = 254  # Q_UPDATED_DB_NAMES: more databases than are listed
TWO_PHASE_ALTER = 4 | 8  # gtid flags_extra: COMMIT_ALTER, ROLLBACK_ALTER


@dataclass(slots=True)
class StatusVars:
    """One attribute a variable; None where the event does not carry it."""

    flags2: int | None = None
    sql_mode: int | None = None
    catalog: str | None = None
    auto_increment_increment: int | None = None
    auto_increment_offset: int | None = None
    character_set_client: int | None = None
    collation_connection: int | None = None
    collation_server: int | None = None
    time_zone: str | None = None
    lc_time_names_number: int | None = None
    charset_database_number: int | None = None
    table_map_for_update: int | None = None
    master_data_written: int | None = None
    invoker_user: str | None = None
    invoker_host: str | None = None
    updated_db_names: list[str] | str | None = None
    microseconds: int | None = None
    explicit_defaults_for_timestamp: int | None = None
    ddl_xid: int | None = None
    default_collation_for_utf8mb4: int | None = None
    sql_require_primary_key: int | None = None
    default_table_encryption: int | None = None
    enable_cascade_triggers: int | None = None
    hrnow: int | None = None
    xid: int | None = None
    gtid_flags_extra: int | None = None
    sa_seq_no: int | None = None
    character_set_collations: list[tuple[int, int]] | None = None
    dummy: bytes | None = None
    unknown: bytes | None = None
    shown: SharedDict | None = None

    def as_dict(self, *, mariadb: bool) -> SharedDict:
        """The variables that are there; bit sets by the names of their bits."""
        if self.shown is None:
            self.shown = SharedDict(self.collect(mariadb=mariadb))
        return self.shown

    def collect(self, *, mariadb: bool) -> dict[str, object]:
        """The same, made anew."""
        found = {field.name: getattr(self, field.name) for field in fields(self)}
        found = {name: value for name, value in found.items() if value is not None}
        if self.flags2 is not None:
            found["flags2"] = flag_names("flags2", self.flags2)
        if self.sql_mode is not None:
            found["sql_mode"] = flag_names("mariadb_sql_mode" if mariadb else "mysql_sql_mode", self.sql_mode)
        if self.gtid_flags_extra is not None:
            found["gtid_flags_extra"] = flag_names("mariadb_gtid_extra", self.gtid_flags_extra)
        return found


def _counted_text(body: Cursor, name: str) -> str:
    return body.text(name, body.u1(f"{name}_length"))


def _catalog(body: Cursor, found: StatusVars) -> None:
    found.catalog = _counted_text(body, "catalog")
    body.u1("catalog_end")


def _catalog_nz(body: Cursor, found: StatusVars) -> None:
    found.catalog = _counted_text(body, "catalog")


def _auto_increment(body: Cursor, found: StatusVars) -> None:
    found.auto_increment_increment = body.u2("auto_increment_increment")
    found.auto_increment_offset = body.u2("auto_increment_offset")


def _charset(body: Cursor, found: StatusVars) -> None:
    found.character_set_client = body.u2("character_set_client")
    found.collation_connection = body.u2("collation_connection")
    found.collation_server = body.u2("collation_server")


def _time_zone(body: Cursor, found: StatusVars) -> None:
    found.time_zone = _counted_text(body, "time_zone")


def _invoker(body: Cursor, found: StatusVars) -> None:
    found.invoker_user = _counted_text(body, "invoker_user")
    found.invoker_host = _counted_text(body, "invoker_host")


def _updated_db_names(body: Cursor, found: StatusVars) -> None:
    count = body.u1("updated_db_count")
    if count == OVER_MAX_DBS:
        found.updated_db_names = "OVER_MAX_DBS_IN_EVENT_MTS"
    else:
        found.updated_db_names = [body.nul_text("updated_db_name") for _ in range(count)]


def _gtid_flags3(body: Cursor, found: StatusVars) -> None:
    found.gtid_flags_extra = body.u1("gtid_flags_extra")
    if found.gtid_flags_extra & TWO_PHASE_ALTER:
        found.sa_seq_no = body.u8("sa_seq_no")


def _character_set_collations(body: Cursor, found: StatusVars) -> None:
    count = body.u1("character_set_collations_count")
    found.character_set_collations = [(body.u2("from_collation"), body.u2("to_collation")) for _ in range(count)]


def _dummy(body: Cursor, found: StatusVars) -> None:
    found.dummy = body.rest("padding")


def _number(name: str, size: int) -> Callable[[Cursor, StatusVars], None]:
    def read(body: Cursor, found: StatusVars) -> None:
        setattr(found, name, body.uint(name, size))

    return read


_READERS: dict[int, tuple[str, Callable[[Cursor, StatusVars], None]]] = {
    0: ("Q_FLAGS2_CODE", _number("flags2", 4)),
    1: ("Q_SQL_MODE_CODE", _number("sql_mode", 8)),
    2: ("Q_CATALOG_CODE", _catalog),
    3: ("Q_AUTO_INCREMENT", _auto_increment),
    4: ("Q_CHARSET_CODE", _charset),
    5: ("Q_TIME_ZONE_CODE", _time_zone),
    6: ("Q_CATALOG_NZ_CODE", _catalog_nz),
    7: ("Q_LC_TIME_NAMES_CODE", _number("lc_time_names_number", 2)),
    8: ("Q_CHARSET_DATABASE_CODE", _number("charset_database_number", 2)),
    9: ("Q_TABLE_MAP_FOR_UPDATE_CODE", _number("table_map_for_update", 8)),
    10: ("Q_MASTER_DATA_WRITTEN_CODE", _number("master_data_written", 4)),
    11: ("Q_INVOKER", _invoker),
    12: ("Q_UPDATED_DB_NAMES", _updated_db_names),
    13: ("Q_MICROSECONDS", _number("microseconds", 3)),
    16: ("Q_EXPLICIT_DEFAULTS_FOR_TIMESTAMP", _number("explicit_defaults_for_timestamp", 1)),
    17: ("Q_DDL_LOGGED_WITH_XID", _number("ddl_xid", 8)),
    18: ("Q_DEFAULT_COLLATION_FOR_UTF8MB4", _number("default_collation_for_utf8mb4", 2)),
    19: ("Q_SQL_REQUIRE_PRIMARY_KEY", _number("sql_require_primary_key", 1)),
    20: ("Q_DEFAULT_TABLE_ENCRYPTION", _number("default_table_encryption", 1)),
    21: ("Q_ENABLE_CASCADE_TRIGGERS", _number("enable_cascade_triggers", 1)),
    128: ("Q_HRNOW", _number("hrnow", 3)),
    129: ("Q_XID", _number("xid", 8)),
    130: ("Q_GTID_FLAGS3", _gtid_flags3),
    131: ("Q_CHARACTER_SET_COLLATIONS", _character_set_collations),
    255: ("Q_DUMMY", _dummy),
}


def read_status_vars(body: Cursor) -> StatusVars:
    """All variables up to the cursor's end. From a code that nobody knows on, the bytes are kept as `unknown`."""
    found = StatusVars()
    while body.left() > 0:
        code = body.data[body.pos]
        known = _READERS.get(code)
        if known is None:
            found.unknown = body.rest("unknown")
            break
        name, read = known
        body.enter(name)
        body.u1("code")
        read(body, found)
        body.leave()
    return found


def status_of(raw: bytes) -> StatusVars:
    """The variables in a status area by itself."""
    try:
        return read_status_vars(Cursor(raw))
    except DecodeError as error:
        raise DecodeError(f"status variables: {error}") from error
