"""Logs of events that common servers do not write: old ones, group replication's, the network's, unknown ones.

They are built from the formats' documents; `golden/built` holds them and their screens.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

from support.bodies import container, lenenc_field, query, u2, u4, u8
from support.logs import MAGIC, MARIADB, MYSQL, LogBuilder

UUID = bytes.fromhex("896e788218fe11efab8822222d34d411")
MYSQL_56 = "5.6.34-log"  # the oldest with checksums, for events that are older
TABLE = b"\4shop\0" + b"\6orders\0" + b"\2" + b"\3\x0f" + b"\2" + b"\x28\0" + b"\2"  # id INT, sku VARCHAR(40)
ROW, CHANGED = b"\xfc\7\0\0\0\4A-17", b"\xfc\7\0\0\0\4B-18"
LOAD_HEAD = struct.pack("<IIIBBI", 9, 3, 1, 1, 4, 2)
LOAD_NAMES = b"\1\1" + b"a\0b\0" + b"t\0" + b"shop\0"
SQL_EX = b"\1," + b"\1'" + b"\1\n" + b"\0" + b"\1\\" + b"\6"


def mysql() -> bytes:
    """Group replication, heartbeats, a large transaction's header, every status variable."""
    gtids = u8(1) + UUID + u8(1) + u8(1) + u8(2)
    status = b"\0" + u4(1 << 26) + b"\1" + u8(1 << 21) + b"\6\3std" + b"\3" + u2(2) + u2(1) + b"\4" + u2(33) * 2 + u2(8)
    status += b"\5\6SYSTEM" + b"\7" + u2(4) + b"\x08" + u2(8) + b"\x09" + u8(5) + b"\x0a" + u4(77)
    status += b"\x0b\4root\tlocalhost" + b"\x0c\2a\0b\0" + b"\x0d" + (123456).to_bytes(3, "little") + b"\x10\1"
    status += b"\x11" + u8(99) + b"\x12" + u2(255) + b"\x13\1" + b"\x14\0" + b"\x15\1"
    context = struct.pack("<BIBIII", 4, 7, 1, len(gtids), 1, 1) + b"uuid" + gtids + u2(2) + b"ab" + u2(1) + b"c"
    view = b"1:1".ljust(40, b"\0") + u8(3) + u4(1) + u2(3) + b"key" + u4(len(gtids)) + gtids
    log = LogBuilder(MYSQL).describe()
    log.add(2, query(status, text=b"SELECT 1", error=1062))
    log.add(36, context, flags=0x80).add(37, view, flags=0x80)
    log.add(43, b"\1" + u8(1 << 33) + b"\x10" + bytes(19), flags=0x80)
    log.add(27, b"bin.000003", timestamp=0, log_pos=4).add(28, b"any", flags=0x80)
    log.add(41, lenenc_field(1, b"bin.1") + lenenc_field(2, b"\xfe" + u8(1 << 40)) + b"\0", timestamp=0, log_pos=0)
    return bytes(log.add(99, b"of a release to come").log)


def mariadb() -> bytes:
    """Rows in pieces, compressed rows of version 2, the status variables of MariaDB."""
    status = b"\0" + u4(1 << 28) + b"\x80" + (654321).to_bytes(3, "little") + b"\x81" + u8(17) + b"\x82\4" + u8(5)
    status += b"\x83\1" + u2(8) + u2(9) + b"\2\3std\0" + b"\x0b\5admin\0" + b"\xff\xff\xff"
    rows = u8(7)[:6] + u2(1) + u2(2) + b"\2\xff"
    log = LogBuilder(MARIADB).describe()
    log.add(2, query(status, text=b"ALTER TABLE t"))
    log.add(19, u8(7)[:6] + u2(1) + TABLE)
    log.add(169, rows + container(ROW)).add(170, rows + b"\xff" + container(ROW + CHANGED))
    log.add(171, rows + container(CHANGED))
    return bytes(log.add(172, u4(2) + u4(1) + b"\1" + u8(4000) + b"a piece").log)


def mysql_5_1() -> bytes:
    """Rows as the first releases wrote them: one bitmap for both images."""
    rows = u8(7)[:6] + u2(1) + b"\2\xff"
    log = LogBuilder(MYSQL_56).describe().add(19, u8(7)[:6] + u2(1) + TABLE)
    return bytes(log.add(20, rows + ROW).add(21, rows + ROW + CHANGED).add(22, rows + CHANGED).log)


def mysql_4_1() -> bytes:
    """Version 3: positions are those of the events' beginnings; LOAD DATA in events of its own."""
    log = bytearray(MAGIC)
    for kind, body in (
        (1, struct.pack("<H50sI", 3, b"4.1.22-log", 1100000000)),
        (2, struct.pack("<IIBH", 7, 0, 1, 0) + b"d\0INSERT"),
        (12, LOAD_HEAD + SQL_EX + LOAD_NAMES + b"file"),
        (8, LOAD_HEAD + u4(5) + SQL_EX + LOAD_NAMES + b"file\0" + b"1,2\n"),
        (9, u4(5) + b"3,4\n"),
        (10, u4(5)),
        (11, u4(5)),
        (7, u8(98) + u2(3306) + b"db1\0" + b"bin.001"),
        (4, u8(4) + b"bin.002"),
    ):
        flags = 2 if kind == 4 else 0
        log += struct.pack("<IBIIIH", 1100000000, kind, 1, 19 + len(body), len(log), flags) + body
    return bytes(log)


def mysql_3_23() -> bytes:
    """Version 1: headers of 13 bytes, no positions."""
    log = bytearray(MAGIC)
    for kind, body in (
        (1, struct.pack("<H50sI", 1, b"3.23.58", 1000000000)),
        (5, b"\1" + u8(7)),
        (2, struct.pack("<IIBH", 7, 0, 1, 0) + b"d\0INSERT"),
        (6, LOAD_HEAD + b",'\n\0\\\2\x08" + LOAD_NAMES + b"file"),
        (4, b"bin.002"),
    ):
        log += struct.pack("<IBII", 1000000000, kind, 1, 13 + len(body)) + body
    return bytes(log)


RARE_LOGS: dict[str, Callable[[], bytes]] = {
    "mysql.000001": mysql,
    "mariadb.000001": mariadb,
    "mysql-5.1.000001": mysql_5_1,
    "mysql-4.1.001": mysql_4_1,
    "mysql-3.23.001": mysql_3_23,
}
