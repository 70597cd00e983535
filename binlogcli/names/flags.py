"""Bits and their names, as in the servers' sources: header flags, row flags, GTID flags, query options, SQL modes."""

from __future__ import annotations

from functools import lru_cache

from binlogcli.names.shared import SharedList

HEADER_FLAGS = {
    0x0001: "LOG_EVENT_BINLOG_IN_USE_F",
    0x0002: "LOG_EVENT_FORCED_ROTATE_F",
    0x0004: "LOG_EVENT_THREAD_SPECIFIC_F",
    0x0008: "LOG_EVENT_SUPPRESS_USE_F",
    0x0010: "LOG_EVENT_UPDATE_TABLE_MAP_VERSION_F",
    0x0020: "LOG_EVENT_ARTIFICIAL_F",
    0x0040: "LOG_EVENT_RELAY_LOG_F",
    0x0080: "LOG_EVENT_IGNORABLE_F",
    0x0100: "LOG_EVENT_NO_FILTER_F",
    0x0200: "LOG_EVENT_MTS_ISOLATE_F",
    0x4000: "LOG_EVENT_ACCEPT_OWN_F",
    0x8000: "LOG_EVENT_SKIP_REPLICATION_F",
}
TABLE_MAP_FLAGS = {
    0x0001: "TM_BIT_LEN_EXACT_F",
    0x0002: "TM_REFERRED_FK_DB_F",
    0x0004: "TM_GENERATED_INVISIBLE_PK_F",
    0x4000: "TM_BIT_HAS_TRIGGERS_F",
}
ROWS_FLAGS = {
    0x01: "STMT_END_F",
    0x02: "NO_FOREIGN_KEY_CHECKS_F",
    0x04: "RELAXED_UNIQUE_CHECKS_F",
    0x08: "COMPLETE_ROWS_F",
    0x10: "USE_SQL_FOREIGN_KEY_F",
    0x80: "NO_CHECK_CONSTRAINT_CHECKS_F",
}
MYSQL_GTID_FLAGS = {0x01: "FLAG_MAY_HAVE_SBR"}
MARIADB_GTID_FLAGS = {
    0x01: "FL_STANDALONE",
    0x02: "FL_GROUP_COMMIT_ID",
    0x04: "FL_TRANSACTIONAL",
    0x08: "FL_ALLOW_PARALLEL",
    0x10: "FL_WAITED",
    0x20: "FL_DDL",
    0x40: "FL_PREPARED_XA",
    0x80: "FL_COMPLETED_XA",
}
MARIADB_GTID_FLAGS_EXTRA = {
    0x01: "FL_EXTRA_MULTI_ENGINE_E1",
    0x02: "FL_START_ALTER_E1",
    0x04: "FL_COMMIT_ALTER_E1",
    0x08: "FL_ROLLBACK_ALTER_E1",
    0x10: "FL_EXTRA_THREAD_ID",
}
GTID_LIST_FLAGS = {0x10000000: "FLAG_UNTIL_REACHED", 0x20000000: "FLAG_IGN_GTIDS"}
PARTIAL_ROW_FLAGS = {0x01: "FL_ORIG_EVENT_SIZE"}
QUERY_FLAGS2 = {
    1 << 14: "OPTION_AUTO_IS_NULL",
    1 << 15: "OPTION_NO_CHECK_CONSTRAINT_CHECKS",
    1 << 19: "OPTION_NOT_AUTOCOMMIT",
    1 << 24: "OPTION_EXPLICIT_DEF_TIMESTAMP",
    1 << 26: "OPTION_NO_FOREIGN_KEY_CHECKS",
    1 << 27: "OPTION_RELAXED_UNIQUE_CHECKS",
    1 << 28: "OPTION_IF_EXISTS",
    1 << 30: "OPTION_INSERT_HISTORY",
}
LOAD_OPTIONS = {1: "DUMPFILE_FLAG", 2: "OPT_ENCLOSED_FLAG", 4: "REPLACE_FLAG", 8: "IGNORE_FLAG"}
LOAD_EMPTY = {
    1: "FIELD_TERM_EMPTY",
    2: "ENCLOSED_EMPTY",
    4: "LINE_TERM_EMPTY",
    8: "LINE_START_EMPTY",
    16: "ESCAPED_EMPTY",
}

_COMMON_SQL_MODES = (
    "REAL_AS_FLOAT PIPES_AS_CONCAT ANSI_QUOTES IGNORE_SPACE IGNORE_BAD_TABLE_OPTIONS ONLY_FULL_GROUP_BY"
    " NO_UNSIGNED_SUBTRACTION NO_DIR_IN_CREATE POSTGRESQL ORACLE MSSQL DB2 MAXDB NO_KEY_OPTIONS NO_TABLE_OPTIONS"
    " NO_FIELD_OPTIONS MYSQL323 MYSQL40 ANSI NO_AUTO_VALUE_ON_ZERO NO_BACKSLASH_ESCAPES STRICT_TRANS_TABLES"
    " STRICT_ALL_TABLES NO_ZERO_IN_DATE NO_ZERO_DATE ALLOW_INVALID_DATES ERROR_FOR_DIVISION_BY_ZERO TRADITIONAL"
    " NO_AUTO_CREATE_USER HIGH_NOT_PRECEDENCE NO_ENGINE_SUBSTITUTION PAD_CHAR_TO_FULL_LENGTH"
).split()
MARIADB_SQL_MODES = {
    1 << bit: name
    for bit, name in enumerate(
        [*_COMMON_SQL_MODES, "EMPTY_STRING_IS_NULL", "SIMULTANEOUS_ASSIGNMENT", "TIME_ROUND_FRACTIONAL"]
    )
}
MYSQL_SQL_MODES = {
    1 << bit: name
    for bit, name in enumerate([*_COMMON_SQL_MODES, "TIME_TRUNCATE_FRACTIONAL", "INTERPRET_UTF8_AS_UTF8MB4"])
} | {1 << 4: "NOT_USED"}

_TABLES = {
    "header": HEADER_FLAGS,
    "table_map": TABLE_MAP_FLAGS,
    "rows": ROWS_FLAGS,
    "mysql_gtid": MYSQL_GTID_FLAGS,
    "mariadb_gtid": MARIADB_GTID_FLAGS,
    "mariadb_gtid_extra": MARIADB_GTID_FLAGS_EXTRA,
    "gtid_list": GTID_LIST_FLAGS,
    "partial_row": PARTIAL_ROW_FLAGS,
    "flags2": QUERY_FLAGS2,
    "mysql_sql_mode": MYSQL_SQL_MODES,
    "mariadb_sql_mode": MARIADB_SQL_MODES,
    "load": LOAD_OPTIONS,
    "load_empty": LOAD_EMPTY,
}


@lru_cache(maxsize=4096)
def flag_names(kind: str, value: int) -> SharedList:
    """Return the names of the bits of `value`, lowest first; a bit without a name as its hex value.

    `kind` is a key of _TABLES: which flags they are.
    """
    names = _TABLES[kind]
    bits = [1 << bit for bit in range(value.bit_length()) if value >> bit & 1]
    return SharedList([names.get(bit, f"0x{bit:x}") for bit in bits])
