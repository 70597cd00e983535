"""Logs of row changes made byte by byte, each row with a number of its own; and what became of them in Parquet."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from support.logs import MARIADB, LogBuilder

GTID, TABLE_MAP, WRITE_ROWS, XID, STOP = 162, 19, 23, 16, 3
IN_USE = 1
INT, VARCHAR = 3, 15


class ShopLog(LogBuilder):
    """Transactions of inserts into tables `shop.NAME (INT, VARCHAR(60))`, with ids that go up."""

    def __init__(self, *, first: int = 1, created: int = 1_700_000_000, in_use: bool = False) -> None:
        super().__init__(MARIADB)
        self.next = first
        self.seq_no = 0
        self.describe(flags=IN_USE if in_use else 0, created=created, timestamp=created)

    def begin(self) -> ShopLog:
        """A GTID that opens a transaction (flags: transactional, may run in parallel)."""
        self.seq_no += 1
        self.add(GTID, struct.pack("<QIB", self.seq_no, 0, 12) + bytes(6))
        return self

    def insert(self, rows: int = 1, *, table: str = "orders", table_id: int = 20, ends: bool = True) -> ShopLog:
        """A statement: its table map and one event of rows."""
        self.map(table, table_id)
        return self.rows(rows, table_id=table_id, ends=ends)

    def map(self, table: str = "orders", table_id: int = 20, database: str = "shop") -> ShopLog:
        """A table map."""
        names = b"".join(bytes([len(name)]) + name + b"\0" for name in (database.encode(), table.encode()))
        columns = bytes([2, INT, VARCHAR]) + bytes([2]) + struct.pack("<H", 60) + b"\x03"
        self.add(TABLE_MAP, table_id.to_bytes(6, "little") + struct.pack("<H", 1) + names + columns)
        return self

    def rows(self, rows: int, *, table_id: int = 20, ends: bool = True) -> ShopLog:
        """An event of rows."""
        images = b""
        for number in range(self.next, self.next + rows):
            text = f"row {number}".encode()
            images += b"\xfc" + struct.pack("<iB", number, len(text)) + text
        self.next += rows
        header = table_id.to_bytes(6, "little") + struct.pack("<H", int(ends)) + b"\x02\xff"
        self.add(WRITE_ROWS, header + images)
        return self

    def commit(self) -> ShopLog:
        """XID."""
        self.add(XID, struct.pack("<Q", self.seq_no))
        return self

    def trade(self, transactions: int = 1, rows: int = 2, tables: int = 1) -> ShopLog:
        """Whole transactions, each with a statement for one table in turn."""
        for number in range(transactions):
            table = number % tables
            self.begin().insert(rows, table=f"orders{table or ''}", table_id=20 + table).commit()
        return self

    def stop(self) -> ShopLog:
        """The server went down: the log grows no more."""
        self.add(STOP)
        return self

    def bytes(self) -> bytes:
        """The log."""
        return bytes(self.log)

    def write(self, path: Path) -> ShopLog:
        """Into a file."""
        path.write_bytes(self.bytes())
        return self


def parquet_files(output: Path) -> list[Path]:
    """What a reader of the tables sees."""
    return sorted(path for path in output.rglob("*.parquet") if "_binlog" not in path.parts)


def ids(output: Path) -> Counter[int]:
    """How often each row is there, over all tables."""
    import pyarrow.parquet as pq

    found: Counter[int] = Counter()
    for path in parquet_files(output):
        if "tables" in path.relative_to(output).parts:
            found.update(pq.ParquetFile(path).read(columns=["c1"]).column("c1").to_pylist())
    return found


def events(output: Path) -> Iterator[tuple[str, int]]:
    """File and position of each event."""
    import pyarrow.parquet as pq

    for path in sorted((output / "events").glob("*.parquet")):
        table = pq.ParquetFile(path).read()
        yield from zip(table.column("file").to_pylist(), table.column("pos").to_pylist(), strict=True)


def check(output: Path, expected: range) -> None:
    """Every row is there once."""
    assert ids(output) == Counter(expected)
    places = list(events(output))
    assert len(places) == len(set(places))


def check_part(output: Path, *lots: range) -> None:
    """What is there is there once, and is some of these lots of rows in whole."""
    found = ids(output)
    assert not found or max(found.values()) == 1
    for lot in lots:
        assert sum(number in found for number in lot) in (0, len(lot))
    assert set(found) <= {number for lot in lots for number in lot}
