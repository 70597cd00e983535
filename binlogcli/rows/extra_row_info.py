"""The extra row info of row events of version 2: what NDB says of a row's transaction, and a table's partition.

It is a list of parts. NDB's has a length, which counts itself and the byte after it, a format and its payload; the
length of PART's is fixed. A part of another type has no known length and is the last.
"""

from __future__ import annotations

from binlogcli.binary.cursor import Cursor
from binlogcli.errors import DecodeError
from binlogcli.names.flags import flag_names

NDB, PART = 0, 1  # ROWS_V_EXTRAINFO_TAG, PART_INFO of the servers' enum_extra_row_info_typecode
EXTRA_INFO = {NDB: "NDB", PART: "PART"}
_ERIF_NDB, _ERIF_OPEN1, _ERIF_MULTI = 0, 64, 255  # enum ExtraRowInfoFormat
_TRANSID, _CFT_FLAGS = 1, 2  # of flags: which fields follow
_HEADER = 2
_DEEPEST = 4  # of parts in parts: more than any server writes


def format_name(code: int) -> str:
    """Return the name of a payload's format in the servers' source."""
    if code in {_ERIF_NDB, _ERIF_MULTI}:
        return "ERIF_NDB" if code == _ERIF_NDB else "ERIF_MULTI"
    return f"ERIF_OPEN{code - _ERIF_OPEN1 + 1}" if code >= _ERIF_OPEN1 else f"reserved {code}"


class ExtraRowInfo:
    """The extra row info of an event: NDB's format, which may be another's, with its payload, and the partition."""

    def __init__(self, body: Cursor, *, update: bool) -> None:
        self.format: int | None = None
        self.payload = b""
        self.fields: dict[str, object] = {}
        self.partition_id: int | None = None
        self.source_partition_id: int | None = None
        while body.left() > 0:
            kind = body.u1("typecode")
            if kind == NDB:
                self._read_ndb(body)
            elif kind == PART:
                self._read_partition(body, update=update)
            else:
                self.fields["unknown"] = body.rest("unknown")

    def _read_ndb(self, body: Cursor) -> None:
        """Read NDB's part."""
        start = body.pos
        self.fields |= _read_formatted(body, 0)
        self.format = body.data[start + 1]
        self.payload = body.data[start + _HEADER : body.pos]

    def _read_partition(self, body: Cursor, *, update: bool) -> None:
        """Read the number of the partition; an update may move a row from another one."""
        self.partition_id = body.u2("partition_id")
        self.fields["partition_id"] = self.partition_id
        if update:
            self.source_partition_id = body.u2("source_partition_id")
            self.fields["source_partition_id"] = self.source_partition_id


def _read_formatted(body: Cursor, depth: int) -> dict[str, object]:
    """Read length, format and payload; `DecodeError` where they do not fit."""
    size = body.u1("length")
    if size < _HEADER:
        raise DecodeError(f"a length of extra row info is {size}, below {_HEADER}")
    code = body.u1("format")
    found: dict[str, object] = {"format": format_name(code)}
    end = body.end
    body.end = body.need("payload", size - _HEADER) + size - _HEADER
    body.pos = body.end - size + _HEADER
    if code == _ERIF_NDB and body.left() >= _HEADER:
        found |= _read_ndb_payload(body)
    elif code == _ERIF_MULTI and depth < _DEEPEST:
        found["payloads"] = _read_several(body, depth + 1)
    if body.left() > 0:
        found["data"] = body.rest("data")
    body.end = end
    return found


def _read_ndb_payload(body: Cursor) -> dict[str, object]:
    """Read the transaction in NDB and what its operation means for the detection of conflicts."""
    flags = body.u2("ndb_flags")
    found: dict[str, object] = {"flags": flag_names("ndb_extra", flags)}
    if flags & _TRANSID:
        found["transaction_id"] = body.u8("transaction_id")
    if flags & _CFT_FLAGS:
        found["conflict_flags"] = flag_names("ndb_conflict", body.u2("conflict_flags"))
    return found


def _read_several(body: Cursor, depth: int) -> list[dict[str, object]]:
    """Read payloads one after the other, each with a length and a format of its own."""
    found = []
    while body.left() > 0:
        body.enter("payload")
        found.append(_read_formatted(body, depth))
        body.leave()
    return found
