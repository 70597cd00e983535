"""Binary logs made event by event."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

from support.bodies import LONGLONG, WRITE_V1, mariadb_gtid, query, rows_event, table_map, u8
from support.reading import Items, read

MAGIC = b"\xfebin"
MYSQL = "8.4.8"
MARIADB = "10.11.19-MariaDB-log"
# post-header lengths by type - 1, as MySQL 8.4 and MariaDB 10.11 write them
MYSQL_SIZES = bytes.fromhex(
    "000d0008000000000400040000006200041a0800000008080802000000" + "0a0a0a2a2a001234000a2800" + "00"
)
MARIADB_SIZES = (bytes.fromhex("380d0008001200040404041200000000041a08000000080808020000000a0a0a") + bytes(139))[:171]
CRC32, NO_CHECKSUM = 1, 0
SECOND = 0x65666768  # a time without a zero byte
IN_USE, ARTIFICIAL, IGNORABLE = 0x01, 0x20, 0x80  # LOG_EVENT_BINLOG_IN_USE_F, _ARTIFICIAL_F, _IGNORABLE_F
QUERY, STOP, ROTATE, INTVAR, FORMAT_DESCRIPTION, XID, TABLE_MAP = 2, 3, 4, 5, 15, 16, 19
GTID_MARIADB, START_ENCRYPTION = 162, 164


def raw_event(
    kind: int,
    body: bytes,
    log_pos: int = 0,
    *,
    timestamp: int = 0,
    server_id: int = 101,
    flags: int = 0,
    checksum: bool = True,
) -> bytes:
    """Return one event: a header of 19 bytes, the body and, with `checksum`, its CRC32."""
    size = 19 + len(body) + (4 if checksum else 0)
    event = struct.pack("<IBIIIH", timestamp, kind, server_id, size, log_pos & 0xFFFFFFFF, flags) + body
    return event + zlib.crc32(event).to_bytes(4, "little") if checksum else event


def raw_events(log: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the offset and the bytes of each event of an undamaged log."""
    at = len(MAGIC)
    while at < len(log):
        size = int.from_bytes(log[at + 9 : at + 13], "little")
        yield at, bytes(log[at : at + size])
        at += size


class LogBuilder:
    """A log that grows event by event, with positions and checksums as a server writes them."""

    def __init__(self, version: str = MYSQL, *, checksum: int = CRC32, magic: bytes = MAGIC, at: int = -1) -> None:
        self.log = bytearray(magic)
        self.starts: list[int] = []  # of the events added
        self.version = version
        self.checksum = checksum
        self.base = at - len(magic) if at >= 0 else 0

    @property
    def at(self) -> int:
        """The position of the next event."""
        return self.base + len(self.log)

    def describe(self, *, flags: int = 0, header: int = 19, created: int = 0, **fields: Any) -> Self:
        """Add the format description."""
        sizes = MARIADB_SIZES if "MariaDB" in self.version else MYSQL_SIZES
        body = struct.pack("<H50sIB", 4, self.version.encode(), created, header) + sizes + bytes([self.checksum])
        fields = {"log_pos": self.at + 19 + len(body) + 4, "timestamp": SECOND, **fields}
        event = bytearray(raw_event(FORMAT_DESCRIPTION, body, flags=flags & ~IN_USE, **fields))
        event[17:19] = flags.to_bytes(2, "little")  # the checksum is that of a log which is not in use
        self.starts.append(self.at)
        return self.raw(event)

    def add(self, kind: int, body: bytes = b"", **fields: Any) -> Self:
        """Add an event; `fields` are those of `raw_event`."""
        checked = self.checksum == CRC32
        fields = {"log_pos": self.at + 19 + len(body) + 4 * checked, "timestamp": SECOND, **fields}
        self.starts.append(self.at)
        return self.raw(raw_event(kind, body, checksum=checked, **fields))

    def raw(self, data: bytes | bytearray) -> Self:
        """Add bytes as they are."""
        self.log += data
        return self

    def read(self, **options: Any) -> Items:
        """Return what the program reads from the log."""
        return read(bytes(self.log), **options)

    def events(self) -> list[bytes]:
        """Return the bytes of each event."""
        return [event for _, event in raw_events(bytes(self.log))]

    def write(self, path: Path) -> Self:
        """Write the log to a file."""
        path.write_bytes(self.log)
        return self


class TimedLog(LogBuilder):
    """A MariaDB log with times chosen by the test: clocks that go back, transactions of any length."""

    def __init__(self, time: int = 1000) -> None:
        super().__init__(MARIADB)
        self.describe(created=time, timestamp=time)

    def place(self, kind: int, time: int, body: bytes) -> int:
        """Add an event; return its offset."""
        self.add(kind, body, timestamp=time)
        return self.starts[-1]

    def gtid(self, time: int, seq_no: int, *, standalone: bool = False) -> int:
        """Add a GTID of domain 0; return its offset."""
        return self.place(GTID_MARIADB, time, mariadb_gtid(seq_no, int(standalone)))

    def query(self, time: int, text: str, database: str = "shop") -> int:
        """Add a statement; return its offset."""
        return self.place(QUERY, time, query(db=database.encode(), text=text.encode()))

    def xid(self, time: int, number: int) -> int:
        """Add a COMMIT; return its offset."""
        return self.place(XID, time, u8(number))

    def transaction(
        self, time: int, seq_no: int, text: str = "INSERT INTO t VALUES (1)", database: str = "shop"
    ) -> int:
        """Add a transaction of one statement; return its offset."""
        start = self.gtid(time, seq_no)
        self.query(time, text, database)
        self.xid(time, seq_no)
        return start

    def insert(self, time: int, seq_no: int, table_id: int, columns: int) -> None:
        """Add a transaction that inserts a row into a table of that many BIGINT columns, named by its number."""
        name = f"table_{table_id:05d}".encode()
        self.gtid(time, seq_no)
        self.place(TABLE_MAP, time, table_map([LONGLONG] * columns, table=name, table_id=table_id))
        row = bytes((columns + 7) // 8) + b"\x01" * 8 * columns
        self.place(WRITE_V1, time, rows_event(columns, row, table_id=table_id))
        self.xid(time, seq_no)


def commit_log(count: int, size: int = 8, *, version: str = MARIADB) -> LogBuilder:
    """A format description and `count` XID events with bodies of `size` bytes."""
    log = LogBuilder(version).describe()
    for number in range(count):
        log.add(XID, u8(number) + bytes(size - 8))
    return log


def small_log(transactions: int = 3) -> bytes:
    """A complete log of MySQL, ended by STOP, whose transactions change nothing."""
    return bytes(commit_log(transactions, version=MYSQL).add(STOP).log)


def rotated_log(version: str = MYSQL, *, checksum: int = CRC32) -> LogBuilder:
    """A complete log of either family: one transaction of one statement, and a ROTATE at its end."""
    log = LogBuilder(version, checksum=checksum).describe()
    log.add(QUERY, query(text=b"BEGIN")).add(INTVAR, b"\2" + u8(7))
    log.add(QUERY, query(text=b"INSERT INTO t VALUES (1)")).add(XID, u8(7))
    return log.add(ROTATE, u8(4) + b"bin.000002")
