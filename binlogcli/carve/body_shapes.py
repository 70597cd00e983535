"""What the type of an event says of its body: `SHAPES` has the functions that return the shape of one.

`shape_bodies.h` has the same in C.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from binlogcli.carve.body import BLOCK, BOTH, CONTROL, LARGEST, LONG, PLAIN, SHORT, SUMMED, Body
from binlogcli.names import event_types as types

_HEADER = 19
_FORMAT_SIZE = 1 << 10
_LARGEST_STATUS = _LARGEST_ERROR = 20480
_NAME_SIZE = 512  # of a log
_IDENTIFIER = 1024  # bytes of the longest name of a variable


def _fixed(size: int) -> Callable[[Body], int]:
    return lambda body: body.exactly(size)


def _start(body: Body) -> int:
    """START_EVENT_V3 of binlog version 3; that of version 1 has a shorter header."""
    data = body.data
    return PLAIN if len(data) >= 56 == body.size and data[:2] == b"\3\0" and data[2:3].isdigit() else 0


def _query(body: Body, head: int, *, compressed: bool = False) -> int:
    data = body.data
    if len(data) <= head:
        return 0
    status = body.number(11, 2)
    if body.number(9, 2) > _LARGEST_ERROR or status > _LARGEST_STATUS or (head > 13 and data[25] > 2):
        return 0
    if status > 0 and data[head] > 31 and not 128 <= data[head] <= 140:  # the code of the first status variable
        return 0
    at = head + status
    if not body.has_name(at, data[8]):
        return 0
    at += data[8] + 1
    if compressed:  # a byte with the number of those of the length
        return body.at_least(at + 1) if at < len(data) and 0x80 < data[at] <= 0x84 else 0
    if body.size > LONG and (data[7] != 0 or not body.has_text(at, 4)):
        return 0
    return body.at_least(at)


def _any_query(body: Body) -> int:
    return _query(body, 13) or _old_query(body)


def _old_query(body: Body) -> int:
    """QUERY_EVENT of servers before 5.0, without status variables."""
    data = body.data
    if len(data) < 17 or body.size > BLOCK or body.number(9, 2) > _LARGEST_ERROR or data[7] != 0:
        return 0
    if not body.has_name(11, data[8]) or not body.has_text(12 + data[8], 4):
        return 0
    return PLAIN if body.size > 12 + data[8] else 0


def _load(body: Body, head: int) -> int:
    data = body.data
    if len(data) < head or body.size > LONG:
        return 0
    fields = body.number(14, 4)
    fits = fields <= 4096 and body.size > head + data[12] + data[13] + 2 * fields
    return PLAIN if data[12] > 0 and fits else 0


def _intvar(body: Body) -> int:
    return body.exactly(9) if len(body.data) >= 9 and body.data[0] in (1, 2) else 0


def _block(body: Body) -> int:
    if len(body.data) < 4 or body.size > BLOCK:
        return 0
    largest_id = (1 << 20 if body.size > SHORT else 1 << 24) - 1  # they are counted from the start of a server
    return body.at_least(4) if body.number(0, 4) <= largest_id else 0


def _file(body: Body) -> int:
    return body.exactly(4) if len(body.data) >= 4 and body.data[3] == 0 else 0


def _user_var(body: Body) -> int:
    data = body.data
    if len(data) < 6:
        return 0
    at = 4 + body.number(0, 4)
    if at == 4 or at > 4 + _IDENTIFIER or at >= len(data):
        return 0
    if data[at] == 1:  # NULL
        return body.exactly(at + 1)
    if data[at] != 0 or at + 10 > len(data) or data[at + 1] > 5 or body.number(at + 2, 4) > 4096:
        return 0
    at += 10 + body.number(at + 6, 4)
    return body.exactly(at) | body.exactly(at + 1)


def _format(body: Body) -> int:
    data = body.data
    if len(data) < 62 or body.size > _FORMAT_SIZE or data[:2] != b"\4\0" or data[56] != _HEADER:
        return 0
    return BOTH if re.match(rb"\d[ -~]*\0*\Z", data[2:52]) and data[58:62] == b"\x0d\0\x08\0" else 0


def _rotate(body: Body) -> int:
    data, size = body.data, body.size
    if len(data) < 9 or size > 8 + _NAME_SIZE + 4 or len(data) < size or data[6:8] != b"\0\0":
        return 0
    control = CONTROL.search(data, 8, size)
    if control is None:
        return BOTH
    return SUMMED if control.start() > 8 and control.start() + 4 >= size else 0


def _table_map(body: Body) -> int:
    data = body.data
    if len(data) < 13 or data[4:6] != b"\0\0" or body.number(6, 2) & ~0x4007:
        return 0
    database = data[8]
    if database == 0 or not body.has_name(9, database) or 10 + database >= len(data):
        return 0
    table = data[10 + database]
    if table == 0 or not body.has_name(11 + database, table):
        return 0
    at = 12 + database + table
    return body.at_least(at + 2) & _columns(body, at)


def _columns(body: Body, at: int) -> int:
    """Return the shape that the columns from `at` on, with the fields about them, have: the event ends there."""
    if len(body.data) < body.size or body.size > SHORT:
        return BOTH
    at, count = body.packed(at)
    if at == 0 or count > 4096:
        return BOTH
    at, size = body.packed(at + count)
    if at == 0:
        return BOTH
    at += size + (count + 7) // 8
    while at + 4 < body.size:
        at, size = body.packed(at + 1)
        if at == 0:
            return BOTH
        at += size
    return {body.size: PLAIN, body.size - 4: SUMMED}.get(at, BOTH)


def _rows(body: Body, head: int) -> int:
    data = body.data
    if len(data) < head + 1 or not any(data[:4]) or any(data[4:6]) or body.number(6, 2) & ~0x9F:
        return 0
    if head > 8:
        extra = body.number(8, 2)  # with its own two bytes
        if not 2 <= extra <= 1026:
            return 0
        head += extra - 2
        if len(data) < head + 1:
            return 0
    columns = data[head]
    if columns == 251 or columns > 252 or (columns == 0 and body.number(0, 4) != 0xFFFFFF):
        return 0
    return body.at_least(head + 1)


def _incident(body: Body) -> int:
    data = body.data
    if len(data) < 3 or body.number(0, 2) > 16:
        return 0
    return body.exactly(3 + data[2]) | body.exactly(7 + data[2])  # MySQL writes the checksum twice


def _rows_query(body: Body) -> int:
    if len(body.data) < 2 or not body.has_statement(1):
        return 0
    found = 0
    for tail, shape in ((0, PLAIN), (4, SUMMED)):
        size = body.size - 1 - tail
        if size >= 0 and body.data[0] in (0, min(size, 255), size & 255):
            found |= shape
    return found


def _slave(body: Body) -> int:
    """SLAVE_EVENT, which no server writes any more: position, port, name of the source, name of its log."""
    data, size = body.data, body.size
    if len(data) < 12 or size > 2 * _NAME_SIZE or len(data) < size or any(data[6:8]):
        return 0
    control = CONTROL.search(data, 10)
    return BOTH if control is not None and control.start() > 10 and control[0] == b"\0" else 0


def _log_name(body: Body) -> int:
    data, size = body.data, body.size
    if size == 0 or size > _NAME_SIZE + 4 or len(data) < size:
        return 0
    control = CONTROL.search(data)
    if control is None:
        return BOTH
    return SUMMED if control.start() > 0 and control.start() + 4 >= size else 0


def _heartbeat(body: Body) -> int:
    data = body.data
    return body.between(2, 2 * _NAME_SIZE) if len(data) >= 2 and data[0] in (1, 2) and data[1] > 0 else 0


def _gtid(body: Body) -> int:
    """GTID_LOG_EVENT: each version of MySQL added fields, so that it may end after some of them."""
    data = body.data
    if len(data) < 25 or data[0] > 1 or data[24] > 127:
        return 0
    found, at = body.exactly(25) | body.exactly(42), 42
    if found or len(data) < at + 7:
        return found
    at += 14 if data[at + 6] & 0x80 else 7  # immediate_commit_timestamp, original_commit_timestamp
    found = body.exactly(at)
    if len(data) <= at:
        return found
    at += 1 if data[at] < 251 else {252: 3, 253: 4}.get(data[at], 9)  # transaction_length
    found |= body.exactly(at)
    if len(data) < at + 4:
        return found
    at += 8 if data[at + 3] & 0x80 else 4  # immediate_server_version, original_server_version
    return found | body.exactly(at) | body.exactly(at + 8)  # commit_group_ticket


def _previous_gtids(body: Body) -> int:
    if len(body.data) < 8:
        return 0
    count = body.number(0, 8)
    tagged = count >> 56 == 1
    if tagged:
        if count & 255 != 1:
            return 0
        count = (count & (1 << 56) - 1) >> 8
    if count == 0:
        return body.exactly(8)
    if not tagged and not (len(body.data) >= 32 and 0 < body.number(24, 8) < 1 << 32):  # of the first intervals
        return 0
    return body.at_least(8 + 24 * count) if count < LARGEST else 0


def _transaction_context(body: Body) -> int:
    data = body.data
    likely = len(data) >= 54 and data[0] == 36 and data[5] <= 1 and body.has_text(18, 36)
    return body.at_least(54) if likely else 0


def _view_change(body: Body) -> int:
    data = body.data
    likely = len(data) >= 52 and re.match(rb"\d[ -~\t-\r]*\0+\Z", data[:40])
    return body.at_least(52) if likely else 0


def _xa_prepare(body: Body) -> int:
    data = body.data
    if len(data) < 13 or data[0] > 1:
        return 0
    gtrid, bqual = body.number(5, 4), body.number(9, 4)
    return body.exactly(13 + gtrid + bqual) if max(gtrid, bqual) <= 64 else 0


def _payload(body: Body) -> int:
    """TRANSACTION_PAYLOAD_EVENT, whose fields tell its size."""
    data = body.data
    at = size = 0
    for _ in range(8):
        if at + 11 > len(data):
            return 0
        kind, length = data[at], data[at + 1]
        if kind == 0:  # OTW_PAYLOAD_HEADER_END_MARK
            return body.exactly(at + 1 + size) if 0 < size < LARGEST else 0
        if kind > 3 or not 0 < length <= 9:
            return 0
        if kind == 1:  # OTW_PAYLOAD_SIZE_FIELD
            first = data[at + 2]
            size = first if first < 251 else body.number(at + 3, {252: 2, 253: 3, 254: 8}.get(first, 0))
        at += 2 + length
    return 0


def _ignorable(body: Body) -> int:
    return BOTH if body.size <= SHORT else 0


def _annotate(body: Body) -> int:
    return body.at_least(1) if body.data and body.has_statement(0) else 0


def _checkpoint(body: Body) -> int:
    size = body.number(0, 4)
    return body.exactly(4 + size) if len(body.data) >= 4 and size <= _NAME_SIZE else 0


def _mariadb_gtid(body: Body) -> int:
    if len(body.data) < 19:
        return 0
    flags = body.data[12]
    found = 0 if flags & 0xC0 else body.exactly(21 if flags & 2 else 19)  # of XA; FL_GROUP_COMMIT_ID
    return found or body.between(19, 200)


def _gtid_list(body: Body) -> int:
    if len(body.data) < 4:
        return 0
    count = body.number(0, 4) & 0x0FFFFFFF
    return body.exactly(4 + 16 * count) if count else body.exactly(4) | body.exactly(6)


def _start_encryption(body: Body) -> int:
    return body.exactly(17) if len(body.data) >= 17 and body.data[0] in (1, 2) else 0


def _partial_rows(body: Body) -> int:
    data = body.data
    counted = len(data) >= 9 and body.number(4, 4) <= body.number(0, 4) < SHORT  # seq_no, total_fragments
    return body.at_least(9) if counted and data[8] <= 1 else 0


SHAPES: dict[int, Callable[[Body], int]] = {
    types.START_EVENT_V3: _start,
    types.QUERY_EVENT: _any_query,
    types.STOP_EVENT: _fixed(0),
    types.ROTATE_EVENT: _rotate,
    types.INTVAR_EVENT: _intvar,
    types.LOAD_EVENT: partial(_load, head=18),
    types.SLAVE_EVENT: _slave,
    types.CREATE_FILE_EVENT: partial(_load, head=22),
    types.APPEND_BLOCK_EVENT: _block,
    types.EXEC_LOAD_EVENT: _file,
    types.DELETE_FILE_EVENT: _file,
    types.NEW_LOAD_EVENT: partial(_load, head=18),
    types.RAND_EVENT: _fixed(16),
    types.USER_VAR_EVENT: _user_var,
    types.FORMAT_DESCRIPTION_EVENT: _format,
    types.XID_EVENT: _fixed(8),
    types.BEGIN_LOAD_QUERY_EVENT: _block,
    types.EXECUTE_LOAD_QUERY_EVENT: partial(_query, head=26),
    types.TABLE_MAP_EVENT: _table_map,
    types.INCIDENT_EVENT: _incident,
    types.HEARTBEAT_LOG_EVENT: _log_name,
    types.HEARTBEAT_LOG_EVENT_V2: _heartbeat,
    types.IGNORABLE_LOG_EVENT: _ignorable,
    types.ROWS_QUERY_LOG_EVENT: _rows_query,
    types.GTID_LOG_EVENT: _gtid,
    types.ANONYMOUS_GTID_LOG_EVENT: _gtid,
    types.PREVIOUS_GTIDS_LOG_EVENT: _previous_gtids,
    types.TRANSACTION_CONTEXT_EVENT: _transaction_context,
    types.VIEW_CHANGE_EVENT: _view_change,
    types.XA_PREPARE_LOG_EVENT: _xa_prepare,
    types.TRANSACTION_PAYLOAD_EVENT: _payload,
    types.GTID_TAGGED_LOG_EVENT: lambda body: body.between(20, 512),
    types.LARGE_TRANSACTION_HEADER_EVENT: lambda body: body.between(1, 512),
    types.ANNOTATE_ROWS_EVENT: _annotate,
    types.BINLOG_CHECKPOINT_EVENT: _checkpoint,
    types.GTID_EVENT: _mariadb_gtid,
    types.GTID_LIST_EVENT: _gtid_list,
    types.START_ENCRYPTION_EVENT: _start_encryption,
    types.QUERY_COMPRESSED_EVENT: partial(_query, head=13, compressed=True),
    types.PARTIAL_ROW_DATA_EVENT: _partial_rows,
    # two bytes about what follows them came to the head of rows events with MySQL 5.6
    **dict.fromkeys(range(types.PRE_GA_WRITE_ROWS_EVENT, types.INCIDENT_EVENT), partial(_rows, head=8)),
    **dict.fromkeys(range(types.WRITE_ROWS_EVENT, types.GTID_LOG_EVENT), partial(_rows, head=10)),
    types.PARTIAL_UPDATE_ROWS_EVENT: partial(_rows, head=10),
    **dict.fromkeys(range(166, 169), partial(_rows, head=8)),  # *_ROWS_COMPRESSED_EVENT_V1
    **dict.fromkeys(range(169, 172), partial(_rows, head=10)),  # *_ROWS_COMPRESSED_EVENT
}
