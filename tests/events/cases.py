"""Each event type from its bytes, as written today and long ago: the bytes, and the fields that they say."""

from __future__ import annotations

import struct
from typing import Any, NamedTuple

from support.bodies import container, lenenc_field, query, u2, u4, u8
from support.logs import MARIADB, MYSQL

UUID = bytes.fromhex("896e788218fe11efab8822222d34d411")
UUID_TEXT = "896e7882-18fe-11ef-ab88-22222d34d411"
OLD_MARIADB = "10.0.38-MariaDB"
MYSQL_56 = "5.6.34-log"


class Case(NamedTuple):
    """An event's body, and some of what is in it."""

    name: str
    kind: int
    body: bytes
    fields: dict[str, Any]
    version: str = MYSQL


def gtid_set(*entries: tuple[bytes, list[tuple[int, int]]]) -> bytes:
    body = u8(len(entries))
    for uuid, intervals in entries:
        body += uuid + u8(len(intervals)) + b"".join(u8(start) + u8(end) for start, end in intervals)
    return body


TAGGED_GTID = bytes.fromhex(
    "0276000002022502dcf0090230f90322bd03ad022102" + "44445a685103220404060c666f6f62617a08000a04"
    "0c7f1583222d5c2e06104903" + "12c3020b"
)
LOAD_HEAD = struct.pack("<IIIBBI", 9, 3, 1, 1, 4, 2)
LOAD_NAMES = b"\1\1" + b"a\0b\0" + b"t\0" + b"shop\0"
SQL_EX = b"\1," + b"\1'" + b"\1\n" + b"\0" + b"\1\\" + b"\6"
STATUS_ALL_MYSQL = (
    b"\0" + u4(1 << 26)
    + b"\1" + u8(1 << 21)
    + b"\6\3std"
    + b"\3" + u2(2) + u2(1)
    + b"\4" + u2(33) + u2(33) + u2(8)
    + b"\5\6SYSTEM"
    + b"\7" + u2(4)
    + b"\x08" + u2(8)
    + b"\x09" + u8(5)
    + b"\x0a" + u4(77)
    + b"\x0b\4root\tlocalhost"
    + b"\x0c\2a\0b\0"
    + b"\x0d" + (123456).to_bytes(3, "little")
    + b"\x10\1"
    + b"\x11" + u8(99)
    + b"\x12" + u2(255)
    + b"\x13\1"
    + b"\x14\0"
    + b"\x15\1"
)  # fmt: skip
STATUS_ALL_MARIADB = (
    b"\0" + u4(1 << 28)
    + b"\x80" + (654321).to_bytes(3, "little")
    + b"\x81" + u8(17)
    + b"\x82\4" + u8(5)
    + b"\x83\1" + u2(8) + u2(9)
    + b"\2\3std\0"
    + b"\x0b\5admin\0"
    + b"\xff\xff\xff"
)  # fmt: skip

CASES = [
    Case("stop", 3, b"", {}),
    Case("rotate", 4, u8(4) + b"bin.000002", {"pos": 4, "new_log_ident": "bin.000002"}),
    Case("intvar", 5, b"\2" + u8(7), {"type": 2, "type_name": "INSERT_ID_EVENT", "val": 7}),
    Case("intvar of all bits", 5, b"\1" + b"\xff" * 8, {"type_name": "LAST_INSERT_ID_EVENT", "val": 2**64 - 1}),
    Case("slave", 7, u8(98) + u2(3306) + b"db1\0" + b"bin.001", {"master_port": 3306, "master_log": "bin.001"}),
    Case("rand", 13, u8(685157301) + u8(2**63), {"seed1": 685157301, "seed2": 2**63}),
    Case("xid", 16, u8(2**64 - 1), {"xid": 2**64 - 1}),
    Case(
        "query",
        2,
        query(),
        {"thread_id": 9, "exec_time": 3, "db_len": 4, "status_vars_len": 0, "db": "shop", "query": "SELECT 1"},
    ),
    Case("query of no database", 2, query(db=b"", text=b""), {"db": "", "query": ""}),
    Case("query with an error", 2, query(error=1062), {"error_code": 1062}),
    Case("query in latin1", 2, query(b"\4" + u2(8) * 3, text=b"caf\xe9"), {"query": "café"}),
    Case("query of no character set", 2, query(b"\4" + u2(33) * 3, text=b"caf\xe9"), {"query": b"caf\xe9"}),
    Case(
        "query with every status variable of MySQL",
        2,
        query(STATUS_ALL_MYSQL),
        {
            "status_vars": {
                "flags2": ["OPTION_NO_FOREIGN_KEY_CHECKS"],
                "sql_mode": ["STRICT_TRANS_TABLES"],
                "catalog": "std",
                "auto_increment_increment": 2,
                "auto_increment_offset": 1,
                "character_set_client": 33,
                "collation_connection": 33,
                "collation_server": 8,
                "time_zone": "SYSTEM",
                "lc_time_names_number": 4,
                "charset_database_number": 8,
                "table_map_for_update": 5,
                "master_data_written": 77,
                "invoker_user": "root",
                "invoker_host": "localhost",
                "updated_db_names": ["a", "b"],
                "microseconds": 123456,
                "explicit_defaults_for_timestamp": 1,
                "ddl_xid": 99,
                "default_collation_for_utf8mb4": 255,
                "sql_require_primary_key": 1,
                "default_table_encryption": 0,
                "enable_cascade_triggers": 1,
            }
        },
    ),
    Case(
        "query with every status variable of MariaDB",
        2,
        query(STATUS_ALL_MARIADB),
        {
            "status_vars": {
                "flags2": ["OPTION_IF_EXISTS"],
                "catalog": "std",
                "invoker_user": "admin",
                "invoker_host": "",
                "hrnow": 654321,
                "xid": 17,
                "gtid_flags_extra": ["FL_COMMIT_ALTER_E1"],
                "sa_seq_no": 5,
                "character_set_collations": [(8, 9)],
                "dummy": b"\xff\xff",
            }
        },
        MARIADB,
    ),
    Case(
        "query with more databases than are listed",
        2,
        query(b"\x0c\xfe"),
        {"status_vars": {"updated_db_names": "OVER_MAX_DBS_IN_EVENT_MTS"}},
    ),
    Case(
        "query with a status variable of the future",
        2,
        query(b"\0" + u4(0) + b"\x7f\1\2"),
        {"status_vars": {"flags2": [], "unknown": b"\x7f\1\2"}, "query": "SELECT 1"},
    ),
    Case("compressed query", 165, query(text=container(b"SELECT 2" * 99)), {"query": "SELECT 2" * 99}, MARIADB),
    Case("null variable", 14, u4(1) + b"n" + b"\1", {"name_len": 1, "name": "n", "is_null": True}),
    Case("text variable", 14, u4(1) + b"s" + b"\0\0" + u4(33) + u4(4) + b"caf\xc3", {"val": b"caf\xc3", "val_len": 4}),
    Case("real variable", 14, u4(1) + b"r" + b"\0\1" + u4(8) + u4(8) + struct.pack("<d", 0.5), {"val": 0.5}),
    Case(
        "integer variable",
        14,
        u4(1) + b"u" + b"\0\2" + u4(8) + u4(8) + b"\xfb" + b"\xff" * 7 + b"\0",
        {"type_name": "INT_RESULT", "val": -5, "flags": 0},
    ),
    Case("unsigned variable", 14, u4(1) + b"u" + b"\0\2" + u4(8) + u4(8) + b"\xff" * 8 + b"\1", {"val": 2**64 - 1}),
    Case("variable of old servers", 14, u4(1) + b"u" + b"\0\2" + u4(8) + u4(8) + u8(5), {"val": 5, "flags": None}),
    Case("decimal variable", 14, u4(1) + b"d" + b"\0\4" + u4(8) + u4(4) + b"\2\1\x81\5", {"val": "1.5"}),
    Case(
        "variable with the name of its type",
        14,
        u4(1) + b"x" + b"\0\0" + u4(63) + u4(2) + b"ab" + b"\2\4uuid",
        {"data_type": "uuid"},
        "11.8.6-MariaDB",
    ),
    Case("incident", 26, u2(1) + b"\4lost", {"incident": 1, "incident_name": "LOST_EVENTS", "message": "lost"}),
    Case("incident of an unknown number", 26, u2(99) + b"\0", {"incident": 99, "incident_name": None}),
    Case("heartbeat", 27, b"bin.000003", {"log_ident": "bin.000003"}),
    Case(
        "heartbeat of 64 bits",
        41,
        lenenc_field(1, b"bin.1") + lenenc_field(2, b"\xfe" + u8(1 << 40)) + b"\0",
        {"log_filename": "bin.1", "log_position": 1 << 40},
    ),
    Case("ignorable", 28, b"any", {"data_bytes": b"any"}),
    Case("rows query", 29, b"\4text", {"length": 4, "rows_query": "text"}),
    Case(
        "load of 3.23",
        6,
        LOAD_HEAD + b",'\n\0\\" + b"\2" + b"\10" + LOAD_NAMES + b"file",
        {"field_term": ",", "opt_flags": ["OPT_ENCLOSED_FLAG"], "field_names": ["a", "b"], "fname": "file"},
    ),
    Case(
        "new load",
        12,
        LOAD_HEAD + SQL_EX + LOAD_NAMES + b"file",
        {"enclosed": "'", "num_fields": 2, "table_name": "t", "db": "shop", "fname": "file"},
    ),
    Case(
        "create file",
        8,
        LOAD_HEAD + u4(5) + SQL_EX + LOAD_NAMES + b"file\0" + b"1,2\n",
        {"file_id": 5, "fname": "file", "block": b"1,2\n"},
    ),
    Case("append block", 9, u4(5) + b"3,4\n", {"file_id": 5, "block": b"3,4\n"}),
    Case("exec load", 10, u4(5), {"file_id": 5}),
    Case("delete file", 11, u4(5), {"file_id": 5}),
    Case("begin load query", 17, u4(5) + b"1", {"file_id": 5, "block": b"1"}),
    Case(
        "execute load query",
        18,
        struct.pack("<IIBHH", 9, 3, 1, 0, 0) + struct.pack("<IIIB", 5, 9, 37, 2) + b"d\0LOAD DATA",
        {"file_id": 5, "fn_pos_start": 9, "fn_pos_end": 37, "dup_handling": "LOAD_DUP_REPLACE", "query": "LOAD DATA"},
    ),
    Case(
        "xa prepare",
        38,
        b"\1" + struct.pack("<iII", -1, 2, 1) + b"gtb",
        {"one_phase": True, "format_id": -1, "gtrid_length": 2, "gtrid": b"gt", "bqual": b"b"},
    ),
    Case(
        "gtid of 5.6",
        33,
        b"\1" + UUID + u8(5),
        {"gtid": f"{UUID_TEXT}:5", "commit_flag": True, "gtid_flags": None, "sid": UUID_TEXT, "gno": 5},
        MYSQL_56,
    ),
    Case("gtid of 5.7", 33, b"\0" + UUID + u8(5) + b"\2" + u8(1) + u8(2), {"last_committed": 1, "sequence_number": 2}),
    Case(
        "gtid of 8.0",
        33,
        b"\0"
        + UUID
        + u8(5)
        + b"\2"
        + u8(1)
        + u8(2)
        + (1700000000000001 | 1 << 55).to_bytes(7, "little")
        + (1600000000000002).to_bytes(7, "little")
        + b"\xfc"
        + u2(1000)
        + u4(80036 | 1 << 31)
        + u4(80035)
        + u8(3),
        {
            "immediate_commit_timestamp": 1700000000000001,
            "original_commit_timestamp": 1600000000000002,
            "transaction_length": 1000,
            "immediate_server_version": 80036,
            "original_server_version": 80035,
            "commit_group_ticket": 3,
        },
    ),
    Case("anonymous gtid", 34, b"\0" + bytes(16) + u8(0) + b"\2" + u8(20) + u8(21), {"gtid": None, "gno": 0}),
    Case(
        "tagged gtid",
        42,
        TAGGED_GTID,
        {
            "gtid": f"{UUID_TEXT}:foobaz:1",
            "tag": "foobaz",
            "gno": 1,
            "last_committed": 0,
            "sequence_number": 1,
            "immediate_commit_timestamp": 1739823289369365,
            "transaction_length": 210,
            "immediate_server_version": 90200,
        },
    ),
    Case("no previous gtids", 35, u8(0), {"gtid_set": [], "gtid_set_text": ""}),
    Case("previous gtids", 35, gtid_set((UUID, [(1, 6), (9, 10)])), {"gtid_set_text": f"{UUID_TEXT}:1-5:9"}),
    Case(
        "previous gtids with tags",
        35,
        b"\1" + (1).to_bytes(6, "little") + b"\1" + UUID + b"\6tag" + u8(1) + u8(1) + u8(3),
        {"gtid_set_text": f"{UUID_TEXT}:tag:1-2"},
    ),
    Case(
        "transaction context",
        36,
        struct.pack("<BIBIII", 4, 7, 1, len(gtid_set((UUID, [(1, 2)]))), 1, 1)
        + b"uuid"
        + gtid_set((UUID, [(1, 2)]))
        + b"\2\0ab"
        + b"\1\0c",
        {"server_uuid": "uuid", "snapshot_version": f"{UUID_TEXT}:1", "write_set": ["ab"], "read_set": ["c"]},
    ),
    Case(
        "view change",
        37,
        b"1:1".ljust(40, b"\0") + u8(3) + u4(1) + b"\3\0key" + u4(8) + gtid_set(),
        {"view_id": "1:1", "seq_number": 3, "certification_info": {"key": ""}},
    ),
    Case(
        "large transaction header",
        43,
        b"\1" + u8(1 << 33) + b"\x10" + bytes(99),
        {"version": 1, "terminating_event_offset": 1 << 33, "terminating_event_type": 16},
    ),
    Case("annotate rows", 160, b"INSERT", {"query": "INSERT"}, MARIADB),
    Case("binlog checkpoint", 161, u4(5) + b"bin.1", {"binlog_file_len": 5, "binlog_file_name": "bin.1"}, MARIADB),
    Case(
        "gtid of old MariaDB",
        162,
        u8(1) + u4(2) + b"\x29" + bytes(6),
        {"gtid": "2-101-1", "flags2": ["FL_STANDALONE", "FL_ALLOW_PARALLEL", "FL_DDL"]},
        OLD_MARIADB,
    ),
    Case(
        "gtid of group commit",
        162,
        u8(2**64 - 1) + u4(2**32 - 1) + b"\2" + u8(77),
        {"gtid": f"{2**32 - 1}-101-{2**64 - 1}", "commit_id": 77},
        MARIADB,
    ),
    Case(
        "gtid of a prepared transaction",
        162,
        u8(18) + u4(0) + b"\x4c" + u4(3) + b"\1\1gb" + b"\1\xff",
        {"xid": {"format_id": 3, "gtrid": b"g", "bqual": b"b"}, "extra_engines": 255},
        MARIADB,
    ),
    Case(
        "gtid with all that flags announce",
        162,
        u8(1) + u4(0) + b"\0" + b"\x15" + b"\2" + u8(44) + u4(55) + bytes(3000),
        {"extra_engines": 2, "sa_seq_no": 44, "thread_id": 55},
        "11.8.6-MariaDB",
    ),
    Case("empty gtid list", 163, bytes(6), {"count": 0, "list": []}, MARIADB),
    Case(
        "gtid list",
        163,
        u4(1 | 1 << 28) + u4(0) + u4(101) + u8(9),
        {
            "gl_flags": ["FLAG_UNTIL_REACHED"],
            "list": [{"gtid": "0-101-9", "domain_id": 0, "server_id": 101, "seq_no": 9}],
        },
        MARIADB,
    ),
    Case(
        "partial row data",
        172,
        u4(2) + u4(1) + b"\1" + u8(70000) + b"rows",
        {"total_fragments": 2, "seq_no": 1, "original_event_size": 70000, "fragment": b"rows"},
        "12.3.1-MariaDB",
    ),
]
