"""The meanings of numbers and bytes in words: flags, types, collations, GTIDs, XA ids.

One describer per field name, or per event type and name where a name has several meanings. A describer takes the value
and the event. Those in the tables `PURE` need the value alone, so that their words are kept per value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from binlogcli.binary.explained import Explained, drawn
from binlogcli.errors import DecodeError, counted
from binlogcli.events.control import INCIDENTS
from binlogcli.events.event import Event
from binlogcli.events.load import DUP_HANDLING
from binlogcli.events.mariadb import MariadbGtid
from binlogcli.events.mysql import COMPRESSION_TYPES, HAS_ORIGINAL_VERSION, MysqlGtid
from binlogcli.events.statements import Query, UserVar, XaPrepare
from binlogcli.events.tables import DUMMY_IDS, Rows, TableMap
from binlogcli.events.transactions import xid_text
from binlogcli.gtids.encoding import TAGGED_FORMAT
from binlogcli.gtids.tagged import FIELDS as MESSAGE_FIELDS
from binlogcli.gtids.text import uuid_text
from binlogcli.names import event_types
from binlogcli.names.collations import collation_words
from binlogcli.names.event_types import event_type_name
from binlogcli.names.flags import flag_names
from binlogcli.names.variables import INTVAR_TYPES, USER_VAR_TYPES
from binlogcli.render.hexdump.words.column_bits import (
    describe_nullable,
    describe_present,
    describe_unsigned,
    describe_visible,
)
from binlogcli.rows.extra_row_info import EXTRA_INFO, format_name
from binlogcli.rows.table.metadata import FIELDS as METADATA_FIELDS
from binlogcli.rows.table.metadata import GEOMETRY_TYPES

_CHECKSUMS = {0: "OFF", 1: "CRC32", 255: "UNDEF"}
_PAYLOAD_FIELDS = {0: "OTW_PAYLOAD_HEADER_END_MARK", 1: "OTW_PAYLOAD_SIZE_FIELD"} | {
    2: "OTW_PAYLOAD_COMPRESSION_TYPE_FIELD",
    3: "OTW_PAYLOAD_UNCOMPRESSED_SIZE_FIELD",
}
_HEARTBEAT_FIELDS = {0: "OTW_HB_HEADER_END_MARK", 1: "OTW_HB_LOG_FILENAME_FIELD", 2: "OTW_HB_LOG_POSITION_FIELD"}
_BINLOG_VERSIONS = {1: "MySQL 3.23", 2: "MySQL 4.0.0, 4.0.1", 3: "MySQL 4.0, 4.1", 4: "MySQL 5.0 and newer, MariaDB"}
_UNDEFINED_VERSION = 999999
_GTID_LIST_COUNT = 0x0FFFFFFF
_POSITION_MASK = 0xFFFFFFFF  # positions in headers have 32 bits
_OVER_MAX_DBS = 254
_NO_ENGINE_COUNT = 255

Describer = Callable[[Any, Any], "str | Explained"]


def _names_of(kind: str) -> Describer:
    """Return a describer of a number's bits by name; `kind` is a table of `names.flags`."""

    def describe(value: int, _event: Event) -> str:
        return ", ".join(flag_names(kind, value))

    return describe


def _name_in(table: dict[int, str]) -> Describer:
    """Return a describer that names a number by a table."""

    def describe(value: int, _event: Event) -> str:
        return table.get(value, "")

    return describe


def _collation(value: int, event: Query | UserVar | TableMap) -> str:
    mariadb = event.definition.mariadb if isinstance(event, TableMap) else event.mariadb
    return collation_words(value, mariadb=mariadb)


def _lag(value: int, _event: Event) -> str:
    return f"{value} s" if value else ""


def _sql_mode(value: int, event: Query) -> str:
    return ", ".join(flag_names("mariadb_sql_mode" if event.mariadb else "mysql_sql_mode", value))


def _error(value: int, _event: Event) -> str:
    return "no error" if value == 0 else "the statement failed with this error"


def _version(value: int, _event: Event) -> str:
    number = value & (HAS_ORIGINAL_VERSION - 1)
    if number == _UNDEFINED_VERSION:
        return "unknown version"
    text = f"{number // 10000}.{number // 100 % 100}.{number % 100}"
    return f"{text}; the original version follows" if value & HAS_ORIGINAL_VERSION else text


def _gtid(_value: object, event: MysqlGtid | MariadbGtid) -> str:
    return event.gtid or "anonymous"


def _table(value: int, event: Rows) -> str:
    if event.plan is None:
        return "none: ends the statement" if value in DUMMY_IDS else "no table map with this id before"
    return f"{event.database}.{event.table}"


def _key_column(value: int, event: TableMap) -> str:
    columns = event.definition.columns
    return columns[value].shown_name if value < len(columns) else ""


def _uuid(raw: bytes, _event: Event) -> str | Explained:
    return drawn(uuid_text(raw), "") if isinstance(raw, bytes) and len(raw) == 16 else ""


def _user_value(_raw: bytes, event: UserVar) -> Explained:
    try:
        return Explained(event.value(), "")
    except DecodeError as error:
        return Explained(event.val, str(error))


def _xa_id(_value: object, event: MariadbGtid | XaPrepare) -> str:
    xid = event.xid if isinstance(event, MariadbGtid) else (event.format_id, event.gtrid, event.bqual)
    return "" if xid is None else f"XID {xid_text(*xid)}"


def _compression(head: int, _event: Event) -> str:
    size = head & 7
    return f"zlib, original length in {counted(size, 'byte')}"


def _position(value: int, event: Event) -> str:
    """Describe the header's position where it is not that of the event's end (see `Label.is_end`)."""
    if value == event.end & _POSITION_MASK:
        return ""
    if value == 0:
        return "not set"
    if event.within_at >= 0:
        return "not used inside a payload"
    return "where the event begins" if value == event.start else "in the log it was copied from"


def _gtid_count(value: int, _event: Event) -> str:
    flags = ", ".join(flag_names("gtid_list", value & ~_GTID_LIST_COUNT))
    return f"{value & _GTID_LIST_COUNT} GTIDs, {flags}" if flags else ""


def _prefix(value: int, _event: Event) -> str:
    return f"the first {counted(value, 'character')}" if value else "all of the column"


def _unsigned_flag(value: int, _event: Event) -> str:
    return "unsigned" if value == 1 else "data type follows" if value == 2 else ""


def _sids(value: int, _event: Event) -> str:
    return f"{value >> 8 & 0xFFFFFFFFFFFF} with tags" if value >> 56 == TAGGED_FORMAT else ""


def _message_field(value: int, _event: Event) -> str:
    return MESSAGE_FIELDS[value] if value < len(MESSAGE_FIELDS) else ""


PURE: dict[str, Describer] = {
    **dict.fromkeys(("db_end", "table_end", "catalog_end"), lambda value, _: "" if value else "NUL"),
    **dict.fromkeys(
        (
            "explicit_defaults_for_timestamp",
            "sql_require_primary_key",
            "default_table_encryption",
            "enable_cascade_triggers",
        ),
        _name_in({0: "OFF", 1: "ON"}),
    ),
    "compression": _compression,
    "first_checksum": lambda _value, _: "of the original event",
    "crypto_scheme": _name_in({1: "AES with the key of id 1"}),
    "extra_engines": _name_in({_NO_ENGINE_COUNT: "not counted"}),
    "fn_pos_start": lambda _value, _: "the query from here on contains the file name",
    "fn_pos_end": lambda _value, _: "up to here",
    "one_phase": _name_in({0: "XA PREPARE", 1: "XA COMMIT ... ONE PHASE"}),
    "prefix": _prefix,
    "updated_db_count": _name_in({_OVER_MAX_DBS: "too many to be listed"}),
    **dict.fromkeys(("type_code", "terminating_event_type"), lambda value, _: event_type_name(value)),
    "commit_flag": _name_in({0: "commit=no", 1: "commit=yes"}),
    "ndb_flags": _names_of("ndb_extra"),
    "conflict_flags": _names_of("ndb_conflict"),
    "field_lens": lambda value, _: drawn(", ".join(str(size) for size in value), ""),
    "checksum_alg": _name_in(_CHECKSUMS),
    "binlog_version": _name_in(_BINLOG_VERSIONS),
    "exec_time": _lag,
    "error_code": _error,
    "immediate_server_version": _version,
    "original_server_version": _version,
    "geometry_type": lambda value, _: GEOMETRY_TYPES[value] if value < len(GEOMETRY_TYPES) else "",
    "dup_handling": _name_in(DUP_HANDLING),
    "opt_flags": _names_of("load"),
    "empty_flags": _names_of("load_empty"),
    "gtid_flags": _names_of("mysql_gtid"),
    "gtid_flags_extra": _names_of("mariadb_gtid_extra"),
    "flags_extra": _names_of("mariadb_gtid_extra"),
    "end": lambda _value, _: "not included",
    "field_id": _message_field,
    "n_sids": _sids,
}
ASKING: dict[str, Describer] = {
    "sql_mode": _sql_mode,
    "gno": _gtid,
    "uuid": _uuid,
    "sid": _uuid,
    "gtrid": _xa_id,
    "columns_present": describe_present,
    "columns_present_after": describe_present,
    "log_pos": _position,
    "unsigned_bits": describe_unsigned,
    "visible_bits": describe_visible,
    "key_column": _key_column,
    **dict.fromkeys(
        (
            "character_set_client",
            "collation_connection",
            "collation_server",
            "charset_database_number",
            "default_collation_for_utf8mb4",
            "from_collation",
            "to_collation",
            "default_collation",
            "collation",
            "charset_number",
        ),
        _collation,
    ),
}
BY_TYPE_PURE: dict[tuple[int, str], Describer] = {
    **{(code, "flags"): _names_of("rows") for code in event_types.ROWS_EVENTS},
    **{(code, "typecode"): _name_in(EXTRA_INFO) for code in event_types.ROWS_EVENTS},
    **{(code, "format"): lambda value, _: format_name(value) for code in event_types.ROWS_EVENTS},
    **{
        (code, "flags2"): _names_of("flags2")
        for code in (*event_types.QUERY_EVENTS, event_types.EXECUTE_LOAD_QUERY_EVENT)
    },
    **{(code, "lt_type"): _name_in({2: "logical timestamps follow"}) for code in event_types.MYSQL_GTID_EVENTS},
    (event_types.TABLE_MAP_EVENT, "flags"): _names_of("table_map"),
    (event_types.TABLE_MAP_EVENT, "field_type"): _name_in({code: name for code, (name, _) in METADATA_FIELDS.items()}),
    (event_types.GTID_EVENT, "flags2"): _names_of("mariadb_gtid"),
    (event_types.PARTIAL_ROW_DATA_EVENT, "flags"): _names_of("partial_row"),
    (event_types.INTVAR_EVENT, "type"): _name_in(INTVAR_TYPES),
    (event_types.USER_VAR_EVENT, "type"): _name_in(USER_VAR_TYPES),
    (event_types.USER_VAR_EVENT, "is_null"): _name_in({0: "not NULL", 1: "NULL"}),
    (event_types.ROWS_QUERY_LOG_EVENT, "length"): lambda _value, _: "not used: the text extends to the end",
    (event_types.GTID_LIST_EVENT, "count"): _gtid_count,
    (event_types.USER_VAR_EVENT, "flags"): _unsigned_flag,
    (event_types.INCIDENT_EVENT, "incident"): lambda value, _: INCIDENTS.get(value, "unknown incident"),
    (event_types.TRANSACTION_PAYLOAD_EVENT, "field_type"): _name_in(_PAYLOAD_FIELDS),
    (event_types.HEARTBEAT_LOG_EVENT_V2, "field_type"): _name_in(_HEARTBEAT_FIELDS),
    (event_types.TRANSACTION_PAYLOAD_EVENT, "compression_type"): _name_in(COMPRESSION_TYPES),
    (event_types.PARTIAL_UPDATE_ROWS_EVENT, "value_options"): _name_in({0: "full", 1: "PARTIAL_JSON_UPDATES"}),
}
BY_TYPE_ASKING: dict[tuple[int, str], Describer] = {
    **{(code, "table_id"): _table for code in event_types.ROWS_EVENTS},
    (event_types.TABLE_MAP_EVENT, "null_bits"): describe_nullable,
    (event_types.GTID_EVENT, "seq_no"): _gtid,
    (event_types.USER_VAR_EVENT, "val"): _user_value,
}
HEXED = frozenset(
    "checksum first_checksum compression empty_flags flags flags2 sql_mode gtid_flags flags_extra gtid_flags_extra"
    " opt_flags ndb_flags conflict_flags".split()
)
