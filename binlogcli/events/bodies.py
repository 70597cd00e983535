"""Bodies of events as JSON, into a buffer: what `as_dict` says, for the types that logs are full of without a dict."""

from __future__ import annotations

from binlogcli.events.event import Event
from binlogcli.events.mariadb import MariadbGtid
from binlogcli.events.statements import Query, StatementText, Xid
from binlogcli.names.flags import flag_names
from binlogcli.rows.json_value import json_bytes, put_json
from binlogcli.rows.out import Out

ANNOTATE_ROWS_EVENT = 160
GTID_OPTIONAL = 2 | 64 | 128  # flags of a GTID that has more than the usual fields
SHORT_QUERY = 256
KEPT = 1000
DASH = 45


class BodyWriter:
    """Writes the bodies of one log's events. Short statements, mostly BEGIN, are remembered by their bytes."""

    def __init__(self) -> None:
        self.flags: dict[int, bytes] = {}
        self.queries: dict[bytes, bytes] = {}

    def put(self, out: Out, event: Event) -> None:
        """Write the fields of an event that is none of rows."""
        if event.unknown:
            put_json(out, event.as_dict())
        elif event.type_code == ANNOTATE_ROWS_EVENT:
            self.put_annotation(out, event)  # type: ignore[arg-type] # the registry's class for this type
        elif isinstance(event, MariadbGtid):
            self.put_gtid(out, event)
        elif isinstance(event, Xid):
            out.put(b'{"xid": ')
            out.put_uint(event.xid)
            out.put(b"}")
        elif isinstance(event, Query):
            self.put_query(out, event)
        else:
            put_json(out, event.as_dict())

    def put_annotation(self, out: Out, event: StatementText) -> None:
        """ANNOTATE_ROWS: mostly ASCII."""
        begun = out.size
        out.put(b'{"query": ')
        if out.put_json_chars(event.query, 0, len(event.query), False):
            out.put(b"}")
        else:
            out.size = begun
            put_json(out, event.as_dict())

    def put_gtid(self, out: Out, event: MariadbGtid) -> None:
        """GTID of MariaDB."""
        if event.flags2 & GTID_OPTIONAL or event.flags_extra:
            put_json(out, event.as_dict())
            return
        out.put(b'{"gtid": "')
        out.put_uint(event.domain_id)
        out.put_char(DASH)
        out.put_uint(event.server_id)
        out.put_char(DASH)
        out.put_uint(event.seq_no)
        out.put(b'", "seq_no": ')
        out.put_uint(event.seq_no)
        out.put(b', "domain_id": ')
        out.put_uint(event.domain_id)
        out.put(b', "flags2": ')
        known = self.flags.get(event.flags2)
        if known is None:
            known = json_bytes(flag_names("mariadb_gtid", event.flags2))
            self.flags[event.flags2] = known
        out.put(known)
        out.put(b"}")

    def put_query(self, out: Out, event: Query) -> None:
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
