"""Printers of the event types that both families print alike, in a table by event type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from binlogcli.events.control import FormatDescription, StartV3, Stop
from binlogcli.events.load import ExecuteLoadQuery, FileBlock
from binlogcli.names import event_types
from binlogcli.render.mysqlbinlog.shared import control, statements
from binlogcli.render.mysqlbinlog.shared.text import EventText
from binlogcli.render.mysqlbinlog.sql_text import DELIMITER

Printer = Callable[[Any, Any], None]  # takes the text of a family, and an event of the type it is for


def long_form(put: Printer) -> Printer:
    """Return a printer that writes the header and calls `put`, and writes nothing in the short form."""

    def printer(text: EventText, event: Any) -> None:
        if not text.short_form:
            text.put_header(text.out, event)
            put(text, event)

    return printer


def _put_stop(text: EventText, _event: Stop) -> None:
    """Write STOP_EVENT: the server shut down."""
    text.out.put(b"\tStop\n")


def put_start(text: EventText, event: FormatDescription | StartV3) -> None:
    """Write the header and first line of a format description."""
    if not text.short_form:
        text.put_header(text.out, event)
        control.put_start(text, event)


def put_start_statements(text: EventText, event: FormatDescription | StartV3) -> None:
    """Write ROLLBACK where the server has just started, and the event in base64, which BINLOG statements need."""
    out = text.out
    if not event.flags & control.ARTIFICIAL and event.created:
        out.put(b"ROLLBACK" + DELIMITER)
    if text.encoded:
        out.put(b"BINLOG '\n")
        text.put_encoded(out, event)
        out.put(b"'" + DELIMITER)


def _put_load_query(text: EventText, event: ExecuteLoadQuery) -> None:
    """Write EXECUTE_LOAD_QUERY_EVENT with the name of the file that was collected."""
    out = text.out
    if not text.short_form:
        text.put_query_header(out, event, b"\tExecute_load_query\tthread_id=")
    text.session.put_before(out, event)
    out.put(text.loads.statement(event) + b"\n" + DELIMITER)
    if not text.short_form:
        out.put(b"# file_id: %d \n" % event.file_id)


def _put_block(text: EventText, event: FileBlock) -> None:
    """Collect a block of a LOAD DATA file and write its size."""
    text.loads.take(event)
    if not text.short_form:
        text.put_header(text.out, event)
        statements.put_block(text.out, event)


def _put_nothing(_text: EventText, _event: object) -> None:
    """Write nothing: the tools print no heartbeats."""


COMMON: dict[int, Printer] = {
    event_types.STOP_EVENT: long_form(_put_stop),
    event_types.ROTATE_EVENT: long_form(control.put_rotate),
    event_types.APPEND_BLOCK_EVENT: _put_block,
    event_types.EXEC_LOAD_EVENT: long_form(statements.put_file_end),
    event_types.DELETE_FILE_EVENT: long_form(statements.put_file_end),
    event_types.BEGIN_LOAD_QUERY_EVENT: _put_block,
    event_types.EXECUTE_LOAD_QUERY_EVENT: _put_load_query,
    event_types.INCIDENT_EVENT: long_form(control.put_incident),
    event_types.HEARTBEAT_LOG_EVENT: _put_nothing,
    event_types.HEARTBEAT_LOG_EVENT_V2: _put_nothing,
}
