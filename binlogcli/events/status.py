"""The status variables of a QUERY event: the session state that the statement ran under.

Each is a code and a value, whose form depends on the code: what follows an unknown code cannot be read.
"""

from __future__ import annotations

from binlogcli.binary import kernel
from binlogcli.binary.cursor import Cursor
from binlogcli.errors import DecodeError
from binlogcli.names.flags import flag_names

_OVER_MAX_DBS = 254  # OVER_MAX_DBS_IN_EVENT_MTS: more databases than are listed
_TWO_PHASE_ALTER = 4 | 8  # of gtid_flags_extra: FL_COMMIT_ALTER_E1, FL_ROLLBACK_ALTER_E1
_Q_FLAGS2, _Q_SQL_MODE, _Q_CATALOG, _Q_AUTO_INCREMENT, _Q_CHARSET, _Q_TIME_ZONE, _Q_CATALOG_NZ = range(7)
_Q_INVOKER, _Q_UPDATED_DB_NAMES = 11, 12
_Q_HRNOW, _Q_XID, _Q_GTID_FLAGS3, _Q_CHARACTER_SET_COLLATIONS = range(128, 132)
_Q_DUMMY = 255

_VARIABLES: dict[int, tuple[str, tuple[str, ...]]] = {  # by code: the name in the servers' sources, our attributes
    _Q_FLAGS2: ("Q_FLAGS2_CODE", ("flags2",)),
    _Q_SQL_MODE: ("Q_SQL_MODE_CODE", ("sql_mode",)),
    _Q_CATALOG: ("Q_CATALOG_CODE", ("catalog",)),
    _Q_AUTO_INCREMENT: ("Q_AUTO_INCREMENT", ("auto_increment_increment", "auto_increment_offset")),
    _Q_CHARSET: ("Q_CHARSET_CODE", ("character_set_client", "collation_connection", "collation_server")),
    _Q_TIME_ZONE: ("Q_TIME_ZONE_CODE", ("time_zone",)),
    _Q_CATALOG_NZ: ("Q_CATALOG_NZ_CODE", ("catalog",)),
    7: ("Q_LC_TIME_NAMES_CODE", ("lc_time_names_number",)),
    8: ("Q_CHARSET_DATABASE_CODE", ("charset_database_number",)),
    9: ("Q_TABLE_MAP_FOR_UPDATE_CODE", ("table_map_for_update",)),
    10: ("Q_MASTER_DATA_WRITTEN_CODE", ("master_data_written",)),
    _Q_INVOKER: ("Q_INVOKER", ("invoker_user", "invoker_host")),
    _Q_UPDATED_DB_NAMES: ("Q_UPDATED_DB_NAMES", ("updated_db_names",)),
    13: ("Q_MICROSECONDS", ("microseconds",)),
    16: ("Q_EXPLICIT_DEFAULTS_FOR_TIMESTAMP", ("explicit_defaults_for_timestamp",)),
    17: ("Q_DDL_LOGGED_WITH_XID", ("ddl_xid",)),
    18: ("Q_DEFAULT_COLLATION_FOR_UTF8MB4", ("default_collation_for_utf8mb4",)),
    19: ("Q_SQL_REQUIRE_PRIMARY_KEY", ("sql_require_primary_key",)),
    20: ("Q_DEFAULT_TABLE_ENCRYPTION", ("default_table_encryption",)),
    21: ("Q_ENABLE_CASCADE_TRIGGERS", ("enable_cascade_triggers",)),
    _Q_HRNOW: ("Q_HRNOW", ("hrnow",)),
    _Q_XID: ("Q_XID", ("xid",)),
    _Q_GTID_FLAGS3: ("Q_GTID_FLAGS3", ("gtid_flags_extra", "sa_seq_no")),
    _Q_CHARACTER_SET_COLLATIONS: ("Q_CHARACTER_SET_COLLATIONS", ("character_set_collations",)),
    _Q_DUMMY: ("Q_DUMMY", ("dummy",)),
}
_USUAL = (_Q_FLAGS2, _Q_SQL_MODE, _Q_CATALOG, _Q_CATALOG_NZ, _Q_AUTO_INCREMENT, _Q_CHARSET, _Q_TIME_ZONE, _Q_HRNOW)
_NAMES = [_VARIABLES[code][0] if code in _VARIABLES else None for code in range(256)]
_SIZES = {7: 2, 8: 2, 9: 8, 10: 4, 13: 3, 16: 1, 17: 8, 18: 2, 19: 1, 20: 1, 21: 1, _Q_XID: 8}  # of plain numbers
_ATTRIBUTES = (*dict.fromkeys(name for _, names in _VARIABLES.values() for name in names), "unknown", "rare")
_RARE = (*(name for code, (_, names) in _VARIABLES.items() if code not in _USUAL for name in names), "unknown")


class StatusVars:
    """An attribute for each variable, None if the event does not have it; `unknown` has all from an unknown code on."""

    flags2: int | None
    sql_mode: int | None
    catalog: str | None
    auto_increment_increment: int | None
    auto_increment_offset: int | None
    character_set_client: int | None
    collation_connection: int | None
    collation_server: int | None
    time_zone: str | None
    lc_time_names_number: int | None
    charset_database_number: int | None
    table_map_for_update: int | None
    master_data_written: int | None
    invoker_user: str | None
    invoker_host: str | None
    updated_db_names: list[str] | str | None
    microseconds: int | None
    explicit_defaults_for_timestamp: int | None
    ddl_xid: int | None
    default_collation_for_utf8mb4: int | None
    sql_require_primary_key: int | None
    default_table_encryption: int | None
    enable_cascade_triggers: int | None
    hrnow: int | None
    xid: int | None
    gtid_flags_extra: int | None
    sa_seq_no: int | None
    character_set_collations: list[tuple[int, int]] | None
    dummy: bytes | None
    unknown: bytes | None
    rare: bool | None  # whether there are variables besides the usual ones

    def read(self, body: Cursor) -> None:
        """Read all variables up to the cursor's end."""
        while body.pos < body.end:
            code = body.view[body.pos]
            name = _NAMES[code]
            if name is None:
                self.unknown = body.rest("unknown")
                self.rare = True
                return
            body.enter(name)
            body.u1("code")
            self._read_usual(body, code)
            body.leave()

    def _read_usual(self, body: Cursor, code: int) -> None:
        """Read one of the variables of nearly every event, or a rare one."""
        if code == _Q_FLAGS2:
            self.flags2 = body.u4("flags2")
        elif code == _Q_SQL_MODE:
            self.sql_mode = body.u8("sql_mode")
        elif code == _Q_CATALOG_NZ:
            self.catalog = body.text("catalog", body.u1("catalog_length"))
        elif code == _Q_CHARSET:
            self.character_set_client = body.u2("character_set_client")
            self.collation_connection = body.u2("collation_connection")
            self.collation_server = body.u2("collation_server")
        elif code == _Q_TIME_ZONE:
            self.time_zone = body.text("time_zone", body.u1("time_zone_length"))
        elif code == _Q_HRNOW:
            self.hrnow = body.u3("hrnow")
        elif code == _Q_AUTO_INCREMENT:
            self.auto_increment_increment = body.u2("auto_increment_increment")
            self.auto_increment_offset = body.u2("auto_increment_offset")
        else:
            self.rare = True
            self._read_rare(body, code)

    def _read_rare(self, body: Cursor, code: int) -> None:
        """Read a variable that few events have."""
        if code in _SIZES:
            name = _VARIABLES[code][1][0]
            setattr(self, name, body.uint(name, _SIZES[code]))
        elif code == _Q_UPDATED_DB_NAMES:
            count = body.u1("updated_db_count")
            listed = count != _OVER_MAX_DBS
            names = [body.nul_text("updated_db_name") for _ in range(count)] if listed else "OVER_MAX_DBS_IN_EVENT_MTS"
            self.updated_db_names = names
        elif code == _Q_CATALOG:
            self.catalog = body.text("catalog", body.u1("catalog_length"))
            body.u1("catalog_end")
        elif code == _Q_INVOKER:
            self.invoker_user = body.text("invoker_user", body.u1("invoker_user_length"))
            self.invoker_host = body.text("invoker_host", body.u1("invoker_host_length"))
        elif code == _Q_GTID_FLAGS3:
            flags = body.u1("gtid_flags_extra")
            self.gtid_flags_extra = flags
            if flags & _TWO_PHASE_ALTER:
                self.sa_seq_no = body.u8("sa_seq_no")
        elif code == _Q_CHARACTER_SET_COLLATIONS:
            count = body.u1("character_set_collations_count")
            pairs = [(body.u2("from_collation"), body.u2("to_collation")) for _ in range(count)]
            self.character_set_collations = pairs
        else:
            self.dummy = body.rest("padding")

    def as_dict(self, *, mariadb: bool) -> dict[str, object]:
        """Return the variables that the event has, bit sets as the names of their bits."""
        found: dict[str, object] = {}
        if self.flags2 is not None:
            found["flags2"] = flag_names("flags2", self.flags2)
        if self.sql_mode is not None:
            found["sql_mode"] = flag_names("mariadb_sql_mode" if mariadb else "mysql_sql_mode", self.sql_mode)
        if self.catalog is not None:
            found["catalog"] = self.catalog
        if self.auto_increment_increment is not None:
            found["auto_increment_increment"] = self.auto_increment_increment
            found["auto_increment_offset"] = self.auto_increment_offset
        if self.character_set_client is not None:
            found["character_set_client"] = self.character_set_client
            found["collation_connection"] = self.collation_connection
            found["collation_server"] = self.collation_server
        if self.time_zone is not None:
            found["time_zone"] = self.time_zone
        if self.hrnow is not None:
            found["hrnow"] = self.hrnow
        if self.rare:
            self._add_rare(found)
        return found

    def _add_rare(self, found: dict[str, object]) -> None:
        """Add the variables that few events have."""
        for name in _RARE:
            value = getattr(self, name)
            if value is not None:
                found[name] = value
        if self.gtid_flags_extra is not None:
            found["gtid_flags_extra"] = flag_names("mariadb_gtid_extra", self.gtid_flags_extra)


def read_status_vars(body: Cursor, size: int) -> StatusVars:
    """Read the variables in the next `size` bytes."""
    found: StatusVars = kernel.blank(StatusVars, _ATTRIBUTES)
    if size == 0:
        return found
    end = body.end
    body.need("status_vars", size)
    body.pos -= size
    body.end = body.pos + size
    body.enter("status_vars")
    try:
        found.read(body)
    except DecodeError as error:
        raise DecodeError(f"status variables: {error}") from error
    body.leave()
    body.end = end
    return found
