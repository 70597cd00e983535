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
from binlogcli.names.event_types import (
    ANNOTATE_ROWS_EVENT,
    ANONYMOUS_GTID_LOG_EVENT,
    APPEND_BLOCK_EVENT,
    BEGIN_LOAD_QUERY_EVENT,
    BINLOG_CHECKPOINT_EVENT,
    CREATE_FILE_EVENT,
    DELETE_FILE_EVENT,
    DELETE_ROWS_EVENT,
    DELETE_ROWS_EVENT_V1,
    EXEC_LOAD_EVENT,
    EXECUTE_LOAD_QUERY_EVENT,
    FORMAT_DESCRIPTION_EVENT,
    GTID_EVENT,
    GTID_LIST_EVENT,
    GTID_LOG_EVENT,
    GTID_TAGGED_LOG_EVENT,
    HEARTBEAT_LOG_EVENT,
    HEARTBEAT_LOG_EVENT_V2,
    IGNORABLE_LOG_EVENT,
    INCIDENT_EVENT,
    INTVAR_EVENT,
    LARGE_TRANSACTION_HEADER_EVENT,
    LOAD_EVENT,
    NEW_LOAD_EVENT,
    PARTIAL_ROW_DATA_EVENT,
    PREVIOUS_GTIDS_LOG_EVENT,
    QUERY_COMPRESSED_EVENT,
    QUERY_EVENT,
    RAND_EVENT,
    ROTATE_EVENT,
    ROWS_EVENTS,
    ROWS_QUERY_LOG_EVENT,
    SLAVE_EVENT,
    START_ENCRYPTION_EVENT,
    START_EVENT_V3,
    STOP_EVENT,
    TABLE_MAP_EVENT,
    TRANSACTION_CONTEXT_EVENT,
    TRANSACTION_PAYLOAD_EVENT,
    USER_VAR_EVENT,
    VIEW_CHANGE_EVENT,
    WRITE_ROWS_EVENT,
    WRITE_ROWS_EVENT_V1,
    XA_PREPARE_LOG_EVENT,
    XID_EVENT,
)

_CLASSES: dict[int, type[Event]] = {
    START_EVENT_V3: StartV3,
    QUERY_EVENT: Query,
    STOP_EVENT: Stop,
    ROTATE_EVENT: Rotate,
    INTVAR_EVENT: Intvar,
    LOAD_EVENT: Load,
    SLAVE_EVENT: Slave,
    CREATE_FILE_EVENT: CreateFile,
    APPEND_BLOCK_EVENT: FileBlock,
    EXEC_LOAD_EVENT: FileEnd,
    DELETE_FILE_EVENT: FileEnd,
    NEW_LOAD_EVENT: Load,
    RAND_EVENT: Rand,
    USER_VAR_EVENT: UserVar,
    FORMAT_DESCRIPTION_EVENT: FormatDescription,
    XID_EVENT: Xid,
    BEGIN_LOAD_QUERY_EVENT: FileBlock,
    EXECUTE_LOAD_QUERY_EVENT: ExecuteLoadQuery,
    TABLE_MAP_EVENT: TableMap,
    INCIDENT_EVENT: Incident,
    HEARTBEAT_LOG_EVENT: Heartbeat,
    IGNORABLE_LOG_EVENT: Ignorable,
    ROWS_QUERY_LOG_EVENT: RowsQuery,
    GTID_LOG_EVENT: MysqlGtid,
    ANONYMOUS_GTID_LOG_EVENT: MysqlGtid,
    PREVIOUS_GTIDS_LOG_EVENT: PreviousGtids,
    TRANSACTION_CONTEXT_EVENT: TransactionContext,
    VIEW_CHANGE_EVENT: ViewChange,
    XA_PREPARE_LOG_EVENT: XaPrepare,
    TRANSACTION_PAYLOAD_EVENT: TransactionPayload,
    HEARTBEAT_LOG_EVENT_V2: HeartbeatV2,
    GTID_TAGGED_LOG_EVENT: MysqlTaggedGtid,
    LARGE_TRANSACTION_HEADER_EVENT: LargeTransactionHeader,
    ANNOTATE_ROWS_EVENT: StatementText,
    BINLOG_CHECKPOINT_EVENT: BinlogCheckpoint,
    GTID_EVENT: MariadbGtid,
    GTID_LIST_EVENT: GtidList,
    START_ENCRYPTION_EVENT: StartEncryption,
    QUERY_COMPRESSED_EVENT: Query,
    PARTIAL_ROW_DATA_EVENT: PartialRowData,
    **dict.fromkeys(ROWS_EVENTS, Rows),
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
