"""Which class decodes which event type."""

from __future__ import annotations

from binlogcli.events.control import (
    FormatDescription,
    Heartbeat,
    HeartbeatV2,
    Ignorable,
    Incident,
    Rotate,
    Slave,
    StartEncryption,
    StartV3,
    Stop,
)
from binlogcli.events.event import Event
from binlogcli.events.load import CreateFile, ExecuteLoadQuery, FileBlock, FileEnd, Load
from binlogcli.events.mariadb import BinlogCheckpoint, GtidList, MariadbGtid, PartialRowData
from binlogcli.events.mysql import (
    LargeTransactionHeader,
    MysqlGtid,
    MysqlTaggedGtid,
    PreviousGtids,
    TransactionContext,
    TransactionPayload,
    ViewChange,
)
from binlogcli.events.statements import Intvar, Query, Rand, RowsQuery, StatementText, UserVar, XaPrepare, Xid
from binlogcli.events.tables import ROWS_TYPES, Rows, TableMap

_CLASSES: dict[int, type[Event]] = {
    1: StartV3,
    2: Query,
    3: Stop,
    4: Rotate,
    5: Intvar,
    6: Load,
    7: Slave,
    8: CreateFile,
    9: FileBlock,
    10: FileEnd,
    11: FileEnd,
    12: Load,
    13: Rand,
    14: UserVar,
    15: FormatDescription,
    16: Xid,
    17: FileBlock,
    18: ExecuteLoadQuery,
    19: TableMap,
    26: Incident,
    27: Heartbeat,
    28: Ignorable,
    29: RowsQuery,
    33: MysqlGtid,
    34: MysqlGtid,
    35: PreviousGtids,
    36: TransactionContext,
    37: ViewChange,
    38: XaPrepare,
    40: TransactionPayload,
    41: HeartbeatV2,
    42: MysqlTaggedGtid,
    43: LargeTransactionHeader,
    160: StatementText,
    161: BinlogCheckpoint,
    162: MariadbGtid,
    163: GtidList,
    164: StartEncryption,
    165: Query,
    172: PartialRowData,
    **dict.fromkeys(ROWS_TYPES, Rows),
}
REGISTRY: list[type[Event]] = [_CLASSES.get(code, Event) for code in range(256)]


def new_event(type_code: int) -> Event:
    """An event of that type, still empty. The types that logs are full of are made without a look-up."""
    if type_code == 19:
        return TableMap.__new__(TableMap)
    if type_code in (23, 24, 25, 30, 31, 32):
        return Rows.__new__(Rows)
    if type_code == 16:
        return Xid.__new__(Xid)
    if type_code == 2:
        return Query.__new__(Query)
    if type_code == 162:
        return MariadbGtid.__new__(MariadbGtid)
    if type_code == 160:
        return StatementText.__new__(StatementText)
    kind = REGISTRY[type_code]
    return kind.__new__(kind)
