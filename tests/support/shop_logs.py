"""Logs of inserts made for the lake: each row has an id of its own."""

from __future__ import annotations

import struct
from typing import Self

from support.bodies import LONG, VARCHAR, WRITE_V1, mariadb_gtid, rows_event, table_map, u2, u8
from support.logs import GTID_MARIADB, IN_USE, MARIADB, STOP, TABLE_MAP, XID, LogBuilder

TRANSACTIONAL, MAY_RUN_IN_PARALLEL = 4, 8  # flags of MariaDB's GTID


class ShopLog(LogBuilder):
    """Transactions of inserts into tables `shop.NAME (INT, VARCHAR(60))`, with ids that go up."""

    def __init__(
        self, *, first: int = 1, created: int = 1_700_000_000, in_use: bool = False, version: str = MARIADB
    ) -> None:
        super().__init__(version)
        self.next = first
        self.seq_no = 0
        self.describe(flags=IN_USE if in_use else 0, created=created, timestamp=created)

    def begin(self) -> Self:
        """Add a GTID, which opens a transaction."""
        self.seq_no += 1
        return self.add(GTID_MARIADB, mariadb_gtid(self.seq_no, TRANSACTIONAL | MAY_RUN_IN_PARALLEL))

    def insert(self, rows: int = 1, *, table: str = "orders", table_id: int = 20, ends: bool = True) -> Self:
        """Add a statement: its table map and one event of rows."""
        return self.map(table, table_id).rows(rows, table_id=table_id, ends=ends)

    def map(self, table: str = "orders", table_id: int = 20, database: str = "shop") -> Self:
        """Add a table map."""
        names = {"database": database.encode(), "table": table.encode()}
        return self.add(TABLE_MAP, table_map([LONG, VARCHAR], u2(60), table_id=table_id, **names))

    def rows(self, rows: int, *, table_id: int = 20, ends: bool = True) -> Self:
        """Add an event of rows; `ends` marks the last one of a statement."""
        images = b""
        for number in range(self.next, self.next + rows):
            text = f"row {number}".encode()
            images += b"\xfc" + struct.pack("<iB", number, len(text)) + text
        self.next += rows
        return self.add(WRITE_V1, rows_event(2, images, table_id=table_id, flags=int(ends)))

    def commit(self) -> Self:
        """Add an XID, which ends a transaction."""
        return self.add(XID, u8(self.seq_no))

    def trade(self, transactions: int = 1, rows: int = 2, tables: int = 1) -> Self:
        """Add whole transactions, each with a statement for one table in turn."""
        for number in range(transactions):
            table = number % tables
            self.begin().insert(rows, table=f"orders{table or ''}", table_id=20 + table).commit()
        return self

    def stop(self) -> Self:
        """Add a STOP: the server was shut down, the log is complete."""
        return self.add(STOP)

    def bytes(self) -> bytes:
        """Return the log."""
        return bytes(self.log)
