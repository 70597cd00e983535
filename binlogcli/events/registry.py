"""The class of each event type."""

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
from binlogcli.events.tables import Rows, TableMap
from binlogcli.names import event_types
from binlogcli.names.event_types import (
    ANNOTATE_ROWS_EVENT,
    DELETE_ROWS_EVENT,
    DELETE_ROWS_EVENT_V1,
    GTID_EVENT,
    QUERY_EVENT,
    TABLE_MAP_EVENT,
    WRITE_ROWS_EVENT,
    WRITE_ROWS_EVENT_V1,
    XID_EVENT,
)

_CLASSES: dict[int, type[Event]] = {
    event_types.START_EVENT_V3: StartV3,
    QUERY_EVENT: Query,
    event_types.STOP_EVENT: Stop,
    event_types.ROTATE_EVENT: Rotate,
    event_types.INTVAR_EVENT: Intvar,
    event_types.LOAD_EVENT: Load,
    event_types.SLAVE_EVENT: Slave,
    event_types.CREATE_FILE_EVENT: CreateFile,
    event_types.APPEND_BLOCK_EVENT: FileBlock,
    event_types.EXEC_LOAD_EVENT: FileEnd,
    event_types.DELETE_FILE_EVENT: FileEnd,
    event_types.NEW_LOAD_EVENT: Load,
    event_types.RAND_EVENT: Rand,
    event_types.USER_VAR_EVENT: UserVar,
    event_types.FORMAT_DESCRIPTION_EVENT: FormatDescription,
    XID_EVENT: Xid,
    event_types.BEGIN_LOAD_QUERY_EVENT: FileBlock,
    event_types.EXECUTE_LOAD_QUERY_EVENT: ExecuteLoadQuery,
    TABLE_MAP_EVENT: TableMap,
    event_types.INCIDENT_EVENT: Incident,
    event_types.HEARTBEAT_LOG_EVENT: Heartbeat,
    event_types.IGNORABLE_LOG_EVENT: Ignorable,
    event_types.ROWS_QUERY_LOG_EVENT: RowsQuery,
    event_types.GTID_LOG_EVENT: MysqlGtid,
    event_types.ANONYMOUS_GTID_LOG_EVENT: MysqlGtid,
    event_types.PREVIOUS_GTIDS_LOG_EVENT: PreviousGtids,
    event_types.TRANSACTION_CONTEXT_EVENT: TransactionContext,
    event_types.VIEW_CHANGE_EVENT: ViewChange,
    event_types.XA_PREPARE_LOG_EVENT: XaPrepare,
    event_types.TRANSACTION_PAYLOAD_EVENT: TransactionPayload,
    event_types.HEARTBEAT_LOG_EVENT_V2: HeartbeatV2,
    event_types.GTID_TAGGED_LOG_EVENT: MysqlTaggedGtid,
    event_types.LARGE_TRANSACTION_HEADER_EVENT: LargeTransactionHeader,
    ANNOTATE_ROWS_EVENT: StatementText,
    event_types.BINLOG_CHECKPOINT_EVENT: BinlogCheckpoint,
    GTID_EVENT: MariadbGtid,
    event_types.GTID_LIST_EVENT: GtidList,
    event_types.START_ENCRYPTION_EVENT: StartEncryption,
    event_types.QUERY_COMPRESSED_EVENT: Query,
    event_types.PARTIAL_ROW_DATA_EVENT: PartialRowData,
    **dict.fromkeys(event_types.ROWS_EVENTS, Rows),
}
REGISTRY: list[type[Event]] = [_CLASSES.get(code, Event) for code in range(256)]


def new_event(type_code: int) -> Event:
    """Return an event of a type, not yet decoded. The most frequent types are made without a look-up."""
    if type_code == TABLE_MAP_EVENT:
        return TableMap.__new__(TableMap)
    if WRITE_ROWS_EVENT_V1 <= type_code <= DELETE_ROWS_EVENT_V1 or WRITE_ROWS_EVENT <= type_code <= DELETE_ROWS_EVENT:
        return Rows.__new__(Rows)
    if type_code == XID_EVENT:
        return Xid.__new__(Xid)
    if type_code == QUERY_EVENT:
        return Query.__new__(Query)
    if type_code == GTID_EVENT:
        return MariadbGtid.__new__(MariadbGtid)
    if type_code == ANNOTATE_ROWS_EVENT:
        return StatementText.__new__(StatementText)
    kind = REGISTRY[type_code]
    return kind.__new__(kind)
