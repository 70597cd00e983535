"""Bodies of events as JSON, into a buffer: what `as_dict` returns, without making a dict for the frequent types.

Events of these types differ in a number or a text. The JSON of the first one is made from `as_dict`, with a gap in
those places, and split there; for others only the gaps are filled. For GTIDs this saves 4 % of the time in which a log
of small transactions is decoded and written as Parquet.
"""

from __future__ import annotations

from binlogcli.binary.json_writer import json_bytes, put_json
from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.events.event import Event
from binlogcli.events.mariadb import MariadbGtid
from binlogcli.events.statements import Query, StatementText, Xid
from binlogcli.gtids.text import mariadb_gtid
from binlogcli.names.event_types import ANNOTATE_ROWS_EVENT

_GTID_OPTIONAL = 2 | 64 | 128  # bits of flags2 for optional fields: FL_GROUP_COMMIT_ID, FL_PREPARED_XA, FL_COMPLETED_XA
_SHORT_QUERY = 256  # bytes of the body
_KEPT = 1000  # texts of queries, and kinds of GTIDs
_GAP = (1 << 64) - 1  # the number in the JSON that is split; larger than any other number in it


class BodyWriter:
    """Writes the bodies of one log's events. The JSON of short statements, mostly BEGIN, is kept by their bytes."""

    def __init__(self) -> None:
        self.annotation: list[bytes] = []  # JSON split at its gaps, as in `xid` and `gtids`
        self.xid: list[bytes] = []
        self.gtids: dict[tuple[int, int, int], list[bytes]] = {}
        self.queries: dict[bytes, bytes] = {}

    def put(self, out: TextBuffer, event: Event) -> None:
        """Write the fields of an event other than ROWS."""
        if event.unknown:
            put_json(out, event.as_dict())
        elif event.type_code == ANNOTATE_ROWS_EVENT:
            self._put_annotation(out, event)  # type: ignore[arg-type] # the registry's class for this type
        elif isinstance(event, MariadbGtid):
            self._put_gtid(out, event)
        elif isinstance(event, Xid):
            self._put_xid(out, event)
        elif isinstance(event, Query):
            self._put_query(out, event)
        else:
            put_json(out, event.as_dict())

    def _put_annotation(self, out: TextBuffer, event: StatementText) -> None:
        """Write the statement, without decoding it if it is ASCII."""
        if not self.annotation:
            self.annotation = _around(dict.fromkeys(event.as_dict(), _GAP))
        begun = out.size
        out.put(self.annotation[0])
        if out.put_json_chars(event.query, 0, len(event.query), False):
            out.put(self.annotation[1])
        else:
            out.size = begun
            put_json(out, event.as_dict())

    def _put_xid(self, out: TextBuffer, event: Xid) -> None:
        """Write the number of the transaction."""
        if not self.xid:
            self.xid = _around(dict.fromkeys(event.as_dict(), _GAP))
        out.put(self.xid[0])
        out.put_uint(event.xid)
        out.put(self.xid[1])

    def _put_gtid(self, out: TextBuffer, event: MariadbGtid) -> None:
        """Write a GTID; those of one domain and server with equal flags differ in `seq_no` alone."""
        if event.flags2 & _GTID_OPTIONAL or event.flags_extra:
            put_json(out, event.as_dict())
            return
        kind = (event.domain_id, event.server_id, event.flags2)
        known = self.gtids.get(kind)
        if known is None:
            if len(self.gtids) >= _KEPT:
                self.gtids.clear()
            gtid = mariadb_gtid(event.domain_id, event.server_id, _GAP)
            known = self.gtids[kind] = _around({**event.as_dict(), "gtid": gtid, "seq_no": _GAP})
        out.put(known[0])
        out.put_uint(event.seq_no)
        out.put(known[1])
        out.put_uint(event.seq_no)
        out.put(known[2])

    def _put_query(self, out: TextBuffer, event: Query) -> None:
        """Write a statement; of short ones the JSON is kept, as many have equal bytes."""
        if event.body_end - event.body_start > _SHORT_QUERY:
            put_json(out, event.as_dict())
            return
        key = bytes([event.type_code]) + event.data[event.body_start : event.body_end]
        known = self.queries.get(key)
        if known is None:
            known = json_bytes(event.as_dict())
            if len(self.queries) >= _KEPT:
                self.queries.clear()
            self.queries[key] = known
        out.put(known)


def _around(fields: dict[str, object]) -> list[bytes]:
    """Return the JSON of fields, split at its gaps."""
    return json_bytes(fields).split(b"%d" % _GAP)
