"""Two servers' logs of one history: transactions as data, written as a source and as its replica would write them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from binlogcli.compare.comparison import Comparison, Wanted
from binlogcli.errors import BinlogError
from binlogcli.events.log import Log
from binlogcli.log.gaps import Damage
from binlogcli.schema.catalog import Catalog
from binlogcli.select.choice import Choice
from support.bodies import DELETE_V1, LONG, UPDATE_V1, WRITE_V1, query, rows_event, table_map, u4, u8
from support.logs import MARIADB, MYSQL, NO_CHECKSUM, QUERY, TABLE_MAP, XID, LogBuilder

ANNOTATE, GTID_LIST, GTID_MARIADB, GTID_MYSQL, PREVIOUS_GTIDS = 160, 163, 162, 33, 35
UUID, OTHER_UUID = bytes(range(16)), bytes(range(100, 116))
NAMES = b"\x04\x06\x02id\x02qt"  # optional metadata: the columns' names
WRITE, UPDATE, DELETE = "write", "update", "delete"
KINDS = {WRITE: WRITE_V1, UPDATE: UPDATE_V1, DELETE: DELETE_V1}
MARIADB_FAMILY, MYSQL_FAMILY, NAMELESS_FAMILY = "mariadb", "mysql", "without GTIDs"


@dataclass(frozen=True)
class Row:
    """A changed row of shop.t: its id, and the quantity before and after; a write has no former one."""

    operation: str
    key: int
    before: int = 0
    after: int = 0

    def image(self) -> bytes:
        """Its images in a row event with both columns."""
        before = b"\0" + u4(self.key) + u4(self.before)
        after = b"\0" + u4(self.key) + u4(self.after)
        return {WRITE: after, UPDATE: before + after, DELETE: before}[self.operation]


@dataclass(frozen=True)
class Work:
    """A transaction: `server` wrote it as the `number`th, in MariaDB in a `domain`."""

    number: int
    rows: tuple[Row, ...] = ()
    statements: tuple[str, ...] = ()
    end: str = "COMMIT"  # or ROLLBACK, or nothing
    server: int = 101
    domain: int = 0


@dataclass
class Style:
    """How a server writes: all that must make no difference."""

    family: str = MARIADB_FAMILY
    server_id: int = 101
    time: int = 1_790_000_000
    checksum: int = 1
    table_id: int = 7
    rows_an_event: int = 3
    annotate: bool = True
    thread_id: int = 9
    named: bool = True
    xid: int = 1000
    minimal: bool = False  # row images: before only the key, after only what is changed


def replica_of(family: str) -> Style:
    """A server that writes all that replicas may write differently."""
    return Style(family, 102, 1_790_000_040, NO_CHECKSUM, 93, 2, annotate=False, thread_id=4, xid=77)


def log_of(works: Iterable[Work], style: Style, before: Sequence[Work] = ()) -> LogBuilder:
    """A log; `before` are the transactions of the logs before it."""
    mariadb = style.family == MARIADB_FAMILY
    log = LogBuilder(MARIADB if mariadb else MYSQL, checksum=style.checksum).describe()
    if mariadb:
        last = {(work.domain, work.server): work.number for work in before}
        entries = b"".join(u4(domain) + u4(server) + u8(number) for (domain, server), number in last.items())
        log.add(GTID_LIST, u4(len(last)) + entries, server_id=style.server_id)
    elif style.family == MYSQL_FAMILY:
        sets: dict[int, list[int]] = {}
        for work in before:
            sets.setdefault(work.server, []).append(work.number)
        entries = b"".join(_uuid(server) + u8(1) + u8(min(one)) + u8(max(one) + 1) for server, one in sets.items())
        log.add(PREVIOUS_GTIDS, u8(len(sets)) + entries, server_id=style.server_id)
    for work in works:
        add_work(log, work, style)
    return log


def _uuid(server: int) -> bytes:
    return UUID if server == 101 else OTHER_UUID


def add_work(log: LogBuilder, work: Work, style: Style) -> None:
    """Add a transaction."""
    style.time += 1
    style.xid += 1
    fields = {"server_id": work.server if style.family == MARIADB_FAMILY else style.server_id, "timestamp": style.time}
    if style.family == MARIADB_FAMILY:
        log.add(GTID_MARIADB, u8(work.number) + u4(work.domain) + b"\0" + bytes(6), **fields)
    elif style.family == MYSQL_FAMILY:
        logical = b"\2" + u8(style.xid) + u8(style.xid + 1)
        log.add(GTID_MYSQL, b"\0" + _uuid(work.server) + u8(work.number) + logical, **fields)
    thread = style.thread_id
    if style.family != MARIADB_FAMILY:
        log.add(QUERY, query(text=b"BEGIN", thread_id=thread), **fields)
    for text in work.statements:
        log.add(QUERY, query(text=text.encode(), thread_id=thread), **fields)
    if work.rows and style.annotate and style.family == MARIADB_FAMILY:
        log.add(ANNOTATE, b"INSERT INTO t ...", **fields)
    runs: list[list[Row]] = []
    for row in work.rows:
        if not runs or runs[-1][0].operation != row.operation or len(runs[-1]) >= style.rows_an_event:
            runs.append([])
        runs[-1].append(row)
    for run in runs:
        names = NAMES if style.named else b""
        log.add(TABLE_MAP, table_map([LONG, LONG], optional=names, table_id=style.table_id), **fields)
        log.add(KINDS[run[0].operation], _rows_body(run, style), **fields)
    if work.end == "COMMIT":
        log.add(XID, u8(style.xid), **fields)
    elif work.end:
        log.add(QUERY, query(text=work.end.encode(), thread_id=thread), **fields)


def _rows_body(run: list[Row], style: Style) -> bytes:
    if not style.minimal or run[0].operation == WRITE:
        return rows_event(
            2, b"".join(row.image() for row in run), kind=KINDS[run[0].operation], table_id=style.table_id
        )
    head = style.table_id.to_bytes(6, "little") + b"\1\0\2"
    if run[0].operation == DELETE:
        return head + b"\1" + b"".join(b"\0" + u4(row.key) for row in run)
    return head + b"\1\2" + b"".join(b"\0" + u4(row.key) + b"\0" + u4(row.after) for row in run)


def compared(a: Sequence[Path], b: Sequence[Path], by: str = "auto", **chosen: Any) -> tuple[dict[str, Any], list[Any]]:
    """Compare logs; return the summary and the differences. Damage and errors are in the summary's `said`."""
    said: list[str] = []

    def opener(paths: Sequence[Path]) -> Any:
        def logs() -> Any:
            catalog = Catalog()
            for path in paths:
                with Log(str(path), catalog=catalog) as log:
                    yield log

        return logs

    def tell(path: str, damage: Damage) -> None:
        said.append(f"{path}: at {damage.start}: {damage.reason}")

    def fail(error: BinlogError, path: str) -> None:
        said.append(f"{path}: {error}")

    wanted = Wanted(Choice(**chosen), by, 0)
    comparison = Comparison([opener(a), opener(b)], wanted, tell, fail, lambda *_: None)
    try:
        summary = comparison.run()
        return summary | {"said": said}, [json.loads(line) for line in comparison.lines()]
    finally:
        comparison.close()
