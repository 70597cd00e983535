"""Bodies of events as JSON, into a buffer: what `as_dict` says, for the types that logs are full of without a dict.

Of events that are much alike the JSON is made once, from `as_dict`, and taken apart where they differ.
"""

from __future__ import annotations

from binlogcli.binary.json_writer import json_bytes, put_json
from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.events.event import Event
from binlogcli.events.mariadb import MariadbGtid
from binlogcli.events.statements import Query, StatementText, Xid
from binlogcli.names.event_types import ANNOTATE_ROWS_EVENT

GTID_OPTIONAL = 2 | 64 | 128  # flags of a GTID that has more than the usual fields
SHORT_QUERY = 256
KEPT = 1000
GAP = (1 << 64) - 1  # a number that stands where events differ, longer than any beside it


class BodyWriter:
    """Writes the bodies of one log's events. Short statements, mostly BEGIN, are remembered by their bytes."""

    def __init__(self) -> None:
        self.annotation: list[bytes] = []  # these three: what stands around the gaps
        self.xid: list[bytes] = []
        self.gtids: dict[tuple[int, int, int], list[bytes]] = {}
        self.queries: dict[bytes, bytes] = {}

    def put(self, out: TextBuffer, event: Event) -> None:
        """Write the fields of an event that is none of rows."""
        if event.unknown:
            put_json(out, event.as_dict())
        elif event.type_code == ANNOTATE_ROWS_EVENT:
            self.put_annotation(out, event)  # type: ignore[arg-type] # the registry's class for this type
        elif isinstance(event, MariadbGtid):
            self.put_gtid(out, event)
        elif isinstance(event, Xid):
            self.put_xid(out, event)
        elif isinstance(event, Query):
            self.put_query(out, event)
        else:
            put_json(out, event.as_dict())

    def put_annotation(self, out: TextBuffer, event: StatementText) -> None:
        """ANNOTATE_ROWS: mostly ASCII."""
        if not self.annotation:
            self.annotation = around(dict.fromkeys(event.as_dict(), GAP))
        begun = out.size
        out.put(self.annotation[0])
        if out.put_json_chars(event.query, 0, len(event.query), False):
            out.put(self.annotation[1])
        else:
            out.size = begun
            put_json(out, event.as_dict())

    def put_xid(self, out: TextBuffer, event: Xid) -> None:
        """XID: a number."""
        if not self.xid:
            self.xid = around(dict.fromkeys(event.as_dict(), GAP))
        out.put(self.xid[0])
        out.put_uint(event.xid)
        out.put(self.xid[1])

    def put_gtid(self, out: TextBuffer, event: MariadbGtid) -> None:
        """GTID of MariaDB: those of one domain, server and kind differ in their seq_no."""
        if event.flags2 & GTID_OPTIONAL or event.flags_extra:
            put_json(out, event.as_dict())
            return
        kind = (event.domain_id, event.server_id, event.flags2)
        known = self.gtids.get(kind)
        if known is None:
            if len(self.gtids) >= KEPT:
                self.gtids.clear()
            known = self.gtids[kind] = around_seq_no(event)
        out.put(known[0])
        out.put_uint(event.seq_no)
        out.put(known[1])
        out.put_uint(event.seq_no)
        out.put(known[2])

    def put_query(self, out: TextBuffer, event: Query) -> None:
        """QUERY; the same session's short ones are the same bytes."""
        if event.body_end - event.body_start > SHORT_QUERY:
            put_json(out, event.as_dict())
            return
        key = bytes([event.type_code]) + event.data[event.body_start : event.body_end]
        known = self.queries.get(key)
        if known is None:
            known = json_bytes(event.as_dict())
            if len(self.queries) >= KEPT:
                self.queries.clear()
            self.queries[key] = known
        out.put(known)


def around(fields: dict[str, object]) -> list[bytes]:
    """The JSON of some fields, taken apart at its gaps."""
    return json_bytes(fields).split(b"%d" % GAP)


def around_seq_no(event: MariadbGtid) -> list[bytes]:
    """The same of a GTID, which for this is lent another number."""
    seq_no = event.seq_no
    event.seq_no = GAP
    fields = event.as_dict()
    event.seq_no = seq_no
    return around(fields)
