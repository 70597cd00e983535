"""Logs made event by event, for what no server can be brought to write: clocks that go back, any place, any time."""

from __future__ import annotations

import struct
import zlib

MAGIC = b"\xfebin"
FORMAT_DESCRIPTION, QUERY, XID, TABLE_MAP, WRITE_ROWS_V1, GTID = 15, 2, 16, 19, 23, 162


class LogMaker:
    """A MariaDB log with checksums that grows with each event."""

    def __init__(self, time: int = 1000, server_id: int = 1) -> None:
        self.data = bytearray(MAGIC)
        self.server_id = server_id
        self.starts: list[int] = []
        head = struct.pack("<H50sIB", 4, b"10.11.19-MariaDB", time, 19) + bytes(171 + 1 - 1)
        self.add(FORMAT_DESCRIPTION, time, head + b"\x01")

    def add(self, kind: int, time: int, body: bytes) -> int:
        """Append an event; where it begins."""
        start = len(self.data)
        size = 19 + len(body) + 4
        event = struct.pack("<IBIIIH", time, kind, self.server_id, size, start + size, 0) + body
        self.data += event + struct.pack("<I", zlib.crc32(event))
        self.starts.append(start)
        return start

    def gtid(self, time: int, seq_no: int, *, standalone: bool = False) -> int:
        """A GTID event of domain 0."""
        return self.add(GTID, time, struct.pack("<QIB", seq_no, 0, 1 if standalone else 0) + bytes(6))

    def query(self, time: int, text: str, database: str = "shop") -> int:
        """A statement."""
        name = database.encode()
        return self.add(QUERY, time, struct.pack("<IIBHH", 7, 0, len(name), 0, 0) + name + b"\0" + text.encode())

    def xid(self, time: int, number: int) -> int:
        """A COMMIT."""
        return self.add(XID, time, struct.pack("<Q", number))

    def transaction(
        self, time: int, seq_no: int, text: str = "INSERT INTO t VALUES (1)", database: str = "shop"
    ) -> int:
        """A transaction of one statement; where it begins."""
        start = self.gtid(time, seq_no)
        self.query(time, text, database)
        self.xid(time, seq_no)
        return start

    def insert(self, time: int, seq_no: int, table_id: int, columns: int) -> None:
        """A transaction that inserts a row into a table of so many BIGINT columns, named by its number."""
        name = f"table_{table_id:05d}".encode()
        bitmap = (columns + 7) // 8
        number = table_id.to_bytes(6, "little")
        head = number + b"\x01\x00\x04shop\x00" + bytes([len(name)]) + name + b"\x00"
        image = bytes(bitmap) + b"\x01" * 8 * columns
        self.gtid(time, seq_no)
        self.add(TABLE_MAP, time, head + bytes([columns]) + b"\x08" * columns + b"\x00" + bytes(bitmap))
        self.add(WRITE_ROWS_V1, time, number + b"\x01\x00" + bytes([columns]) + b"\xff" * bitmap + image)
        self.xid(time, seq_no)
