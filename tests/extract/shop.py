"""Built logs of a shop, and the command `extract` in this process."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from binlogcli.cli.main import main
from support.bodies import LONG, WRITE_V1, mariadb_gtid, rows_event, table_map, u4, u8
from support.log_structure import form_of
from support.logs import GTID_MARIADB, MARIADB, TABLE_MAP, XID, LogBuilder

if TYPE_CHECKING:
    import pytest

ONE = b"\0" + u4(1)  # a row of one INT


class Run:
    """The program in this process, in a directory of its own."""

    def __init__(self, captured: pytest.CaptureFixture[bytes]) -> None:
        self.captured = captured

    def __call__(self, *arguments: str | Path | int, status: int | None = 0) -> str:
        """Extract, and return what it said on stderr; `report` has the lines of JSON. A `status` of None is any."""
        found = main(["extract", "--json", *map(str, arguments)])
        assert status in (None, found)
        out, err = self.captured.readouterr()
        self.report = [json.loads(line) for line in out.splitlines()]
        return err.decode()


class Shop(LogBuilder):
    """A log of MariaDB with transactions on tables `a`, `b` and so on, whose ids are 97, 98 and so on."""

    def __init__(self) -> None:
        super().__init__(MARIADB)
        self.describe(created=1)
        self.number = 0

    def begin(self) -> Shop:
        self.number += 1
        self.add(GTID_MARIADB, mariadb_gtid(self.number))
        return self

    def map(self, name: str, table_id: int = 0) -> Shop:
        self.add(TABLE_MAP, table_map([LONG], table=name.encode(), table_id=table_id or ord(name)))
        return self

    def rows(self, name: str, *, last: bool = True, width: int = 1, row: bytes = ONE) -> Shop:
        self.add(WRITE_V1, rows_event(width, row, table_id=ord(name), flags=int(last)))
        return self

    def commit(self) -> Shop:
        self.add(XID, u8(self.number))
        return self

    def spoil(self) -> Shop:
        """Damage the event that was added last."""
        self.log[self.starts[-1] + 19] ^= 0xFF
        return self


def kinds(path: str) -> list[int]:
    return form_of(Path(path).read_bytes()).kinds[3:]  # without the head
