"""A small log of either family, whole, to be built upon and to be damaged."""

from __future__ import annotations

import struct

from support.logs import CRC32, MYSQL, LogBuilder

IN_USE, IGNORABLE = 1, 0x80
QUERY, STOP, ROTATE, INTVAR, XID, GTID_MARIADB, START_ENCRYPTION = 2, 3, 4, 5, 16, 162, 164
XID_BODY = struct.pack("<Q", 7)


def query(text: bytes = b"BEGIN") -> bytes:
    return struct.pack("<IIBHH", 9, 0, 4, 0, 0) + b"shop\0" + text


def small_log(version: str = MYSQL, *, checksum: int = CRC32) -> LogBuilder:
    log = LogBuilder(version, checksum=checksum).describe()
    log.add(QUERY, query()).add(INTVAR, b"\2" + XID_BODY)
    log.add(QUERY, query(b"INSERT INTO t VALUES (1)")).add(XID, XID_BODY)
    return log.add(ROTATE, struct.pack("<Q", 4) + b"bin.000002")
