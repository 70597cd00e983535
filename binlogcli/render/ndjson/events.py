"""Events as JSON, one object per line (NDJSON); keys and their order are part of the command line's contract."""

from __future__ import annotations

from datetime import tzinfo

from binlogcli.binary.json_writer import json_bytes, put_hex, put_json, put_json_str
from binlogcli.binary.long_text import LONG
from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.errors import DecodeError
from binlogcli.events.damage import rows_damage
from binlogcli.events.event import Event, Transaction
from binlogcli.events.log import Log
from binlogcli.events.statements import Query, StatementText
from binlogcli.events.tables import Rows
from binlogcli.log.gaps import Damage
from binlogcli.names.event_types import event_type_name
from binlogcli.names.flags import flag_names
from binlogcli.render.ndjson.rows import JsonRows
from binlogcli.render.writer import EventWriter
from binlogcli.rows.plan import TablePlan
from binlogcli.rows.plan_cache import PlanCache
from binlogcli.rows.walk import RowWalker
from binlogcli.select.times import time_text
from binlogcli.sources.source import PiecedSource

_QUOTE, _DASH = 34, 45


class JsonLines(EventWriter):
    """Writes events and damage as lines of JSON, with times in a zone (None: the machine's); made by the commands."""

    def __init__(self, out: TextBuffer, zone: tzinfo | None = None) -> None:
        EventWriter.__init__(self, out)
        self.zone = zone
        self.head = b""
        self.carved: PiecedSource | None = None  # of a log whose events are at places in a larger file
        self.types = [b'", "type": ' + json_bytes(event_type_name(code)) for code in range(256)]
        self.flags: dict[int, bytes] = {}
        self.tables: PlanCache[tuple[bytes, bytes]] = PlanCache()
        self.walker = RowWalker()
        self.sink = JsonRows(out, self.walker)
        self.second = -1
        self.time = b""

    def begin_log(self, log: Log) -> None:
        """Name the log in the lines that follow."""
        self.name_file(log.path)
        self.carved = log.source if isinstance(log.source, PiecedSource) and log.source.carved else None

    def name_file(self, file: str) -> None:
        """Set the file name of the lines that follow."""
        self.head = b'{"file": ' + json_bytes(file) + b', "pos": '

    def put_event(self, event: Event) -> Damage | None:
        """Write an event; return the damage where its rows could not all be read."""
        out = self.out
        self.put_place(event.start, event.end, event.within_at)
        if event.timestamp != self.second:
            self.turn_to(event.timestamp)
        out.put(b', "time": "')
        out.put(self.time)
        out.put(self.types[event.type_code])
        out.put(b', "type_code": ')
        out.put_uint(event.type_code)
        out.put(b', "server_id": ')
        out.put_uint(event.server_id)
        out.put(b', "flags": ')
        out.put(self._flags_text(event.flags))
        self._put_crc(event.crc)
        self._put_transaction(event.transaction)
        out.put(b', "body": ')
        damage = None
        if isinstance(event, Rows):
            damage = self.put_rows(event)
        elif isinstance(event, (Query, StatementText)):
            put_json(out, event.fields(event.shown()))
        else:
            put_json(out, event.as_dict())
        out.put(b"}\n")
        return damage

    def put_damage(self, damage: Damage) -> None:
        """Write a damaged stretch."""
        self.put_place(damage.start, damage.end, -1 if damage.within is None else damage.within)
        self.out.put(b', "damage": ')
        put_json_str(self.out, damage.reason)
        self.out.put(b"}\n")

    def put_place(self, start: int, end: int, within: int) -> None:
        """Write file, start and end of the line's bytes, and the payload event they are in, if any (not -1)."""
        out = self.out
        out.put(self.head)
        out.put_uint(start)
        out.put(b', "end": ')
        out.put_uint(end)
        if self.carved is not None:
            self._put_offset(start if within < 0 else within)
        if within >= 0:
            out.put(b', "within": ')
            out.put_uint(within)

    def _put_offset(self, position: int) -> None:
        """Write where in the carved file the event at a position of its log is, if it is there."""
        offset = -1 if self.carved is None else self.carved.offset_of(position)
        if offset >= 0:
            self.out.put(b', "offset": ')
            self.out.put_uint(offset)

    def turn_to(self, second: int) -> None:
        """Set the second that the lines name as their time."""
        self.second = second
        self.time = time_text(second, self.zone).encode("ascii")

    def _flags_text(self, flags: int) -> bytes:
        """Return the names of the header's flags as a JSON array."""
        known = self.flags.get(flags)
        if known is None:
            known = json_bytes(flag_names("header", flags))
            self.flags[flags] = known
        return known

    def _put_crc(self, crc: int) -> None:
        """Write the stored checksum, or null."""
        out = self.out
        if crc < 0:
            out.put(b', "crc32": null')
        else:
            out.put(b', "crc32": "0x')
            out.put_hex32(crc)
            out.put_char(34)

    def _put_transaction(self, transaction: Transaction | None) -> None:
        """Write what is known of the transaction at this event."""
        out = self.out
        if transaction is None:
            out.put(b', "transaction": null')
            return
        out.put(b', "transaction": {"gtid": ')
        if transaction.mariadb_gtid:
            out.put_char(_QUOTE)
            out.put_uint(transaction.domain_id)
            out.put_char(_DASH)
            out.put_uint(transaction.server_id)
            out.put_char(_DASH)
            out.put_uint(transaction.seq_no)
            out.put_char(_QUOTE)
        else:
            put_json(out, transaction.gtid)
        out.put(b', "xid": ')
        put_json(out, transaction.xid)
        out.put(b', "thread_id": ')
        put_json(out, transaction.thread_id)
        out.put_char(125)  # }

    def put_rows(self, event: Rows) -> Damage | None:
        """Write the body of a rows event; rows that cannot be read follow as bytes with the reason."""
        out = self.out
        head, names = self.table_texts(event)
        out.put(head)
        out.put_uint(event.table_id)
        out.put(names)
        failure = None
        self.sink.forget()
        try:
            event.walk(self.walker, self.sink)
        except DecodeError as error:
            failure = error
            self.put_unread(event, error)
        damage = None if failure is None and not self.sink.problem else rows_damage(event, failure, self.sink)
        out.put(b'], "statement": ')
        self.put_statement(event.statement)
        out.put(b', "flags": ')
        put_json(out, flag_names("rows", event.row_flags))
        if self.sink.two_readings:
            out.put(b', "sign_unknown": ')
            put_json(out, [name for _, name in sorted(self.sink.two_readings.items())])
        if event.extra:
            self.put_extra(event)
        out.put_char(125)
        return damage

    def put_unread(self, event: Rows, error: DecodeError) -> None:
        """Write the bytes from the unreadable row on, and the reason."""
        start = event.rows_start
        if self.sink.begun:
            start = self.walker.row_start
            if self.out.drained != self.sink.drained:
                raise AssertionError("a row that was checked could not be written") from error
            self.out.size = self.sink.row_at
            self.out.held = False
        if self.sink.rows > 0:
            self.out.put(b", ")
        self.out.put(b'{"hex": "')
        put_hex(self.out, memoryview(event.row_data)[start : event.rows_end])
        self.out.put(b'", "reason": ')
        put_json_str(self.out, str(error))
        self.out.put_char(125)  # }

    def put_extra(self, event: Rows) -> None:
        """Write the extra row info."""
        self.out.put(b', "extra_row_info": ')
        try:
            info: object = event.extra_info().fields
        except DecodeError:
            info = event.extra
        put_json(self.out, info)

    def table_texts(self, event: Rows) -> tuple[bytes, bytes]:
        """Return the texts before and after the table's id in a rows event's body."""
        plan = event.plan
        if plan is None:
            return self._missing_table(event)
        known = self.tables.get(plan)
        if known is None:
            known = self.tables.keep(plan, _table_bytes(plan))
        return known

    def _missing_table(self, event: Rows) -> tuple[bytes, bytes]:
        """Return these texts for an event without a table map."""
        columns = json_bytes(event.columns)
        return b'{"database": null, "table": null, "table_id": ', b', "columns": ' + columns + b', "rows": ['

    def put_statement(self, statement: StatementText | None) -> None:
        """Write the text of the statement that changed the rows, or null."""
        if statement is None:
            self.out.put(b"null")
        elif len(statement.query) > LONG or not self.out.put_json_chars(
            statement.query, 0, len(statement.query), False
        ):
            put_json(self.out, statement.shown())


def _table_bytes(plan: TablePlan) -> tuple[bytes, bytes]:
    """Return the texts before and after the table's id."""
    names = json_bytes({"database": plan.definition.database, "table": plan.definition.table})
    return names.removesuffix(b"}") + b', "table_id": ', b', "columns": ' + json_bytes(plan.names) + b', "rows": ['
