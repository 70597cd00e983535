"""Printers of the event types that both families print alike, in a table by event type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from binlogcli.events.control import FormatDescription, StartV3, Stop
from binlogcli.events.load import CreateFile, ExecuteLoadQuery, FileBlock, FileEnd, Load
from binlogcli.names import event_types
from binlogcli.render.mysqlbinlog.shared import control, statements
from binlogcli.render.mysqlbinlog.shared.load_files import with_file
from binlogcli.render.mysqlbinlog.shared.load_statements import LoadStatement
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


def put_start_statements(text: EventText, event: FormatDescription | StartV3, *, encoded: bool = True) -> None:
    """Write ROLLBACK where the server has just started, and the event in base64, which BINLOG statements need.

    START_EVENT_V3 is best left out with `encoded` False: MySQL 8 refuses it, and its log has no row events.
    """
    out = text.out
    if not event.flags & control.ARTIFICIAL and event.created:
        out.put(b"ROLLBACK" + DELIMITER)
    if text.encoded and encoded:
        out.put(b"BINLOG '\n")
        text.put_encoded(out, event)
        out.put(b"'" + DELIMITER)


def _put_load_query(text: EventText, event: ExecuteLoadQuery) -> None:
    """Write EXECUTE_LOAD_QUERY_EVENT with the name of the file that was collected; as a comment if none was."""
    out = text.out
    name = text.loads.end(event.file_id)
    if not text.short_form:
        text.put_query_header(out, event, b"\tExecute_load_query\tthread_id=")
    if name is not None:
        text.session.put_before(out, event)
        text.put_statement(out, event, with_file(event, name))
    elif not text.short_form:
        out.put(b"".join(b"# " + line + b"\n" for line in event.query.split(b"\n")))
    if not text.short_form:
        out.put(b"# file_id: %d \n" % event.file_id)


def _put_load(text: EventText, event: Load) -> None:
    """Write LOAD_EVENT or NEW_LOAD_EVENT, which load a file of the server."""
    statement = LoadStatement(event, whole=False)
    if not text.short_form:
        text.put_header(text.out, event)
        text.out.put(statement.words)
    text.out.put(statement.sql(text.session, event))


def _put_create_file(text: EventText, event: CreateFile) -> None:
    """Write CREATE_FILE_EVENT as a comment, and begin the file that EXEC_LOAD_EVENT loads."""
    statement = LoadStatement(event, whole=text.hexdump)
    text.loads.create(event, statement)
    if not text.short_form:
        text.put_header(text.out, event)
        text.out.put(statement.words + statement.comment(text.session, event) + statement.size_line)


def _put_exec_load(text: EventText, event: FileEnd) -> None:
    """Write EXEC_LOAD_EVENT, and the statement that loads the collected file under the header of CREATE_FILE_EVENT."""
    out = text.out
    if not text.short_form:
        text.put_header(out, event)
        statements.put_file_end(text, event)
    found = text.loads.executed(event.file_id)
    if found is None:
        return
    statement, name = found
    if text.short_form:
        out.put(statement.sql(text.session, event, name))
        return
    text.put_header(out, statement.header.copy_at(event.start, whole=text.hexdump))
    out.put(statement.words + statement.sql(text.session, event, name) + statement.size_line)


def _put_delete_file(text: EventText, event: FileEnd) -> None:
    """Write DELETE_FILE_EVENT: the file is not loaded."""
    text.loads.drop(event.file_id)
    if not text.short_form:
        text.put_header(text.out, event)
        statements.put_file_end(text, event)


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
    event_types.LOAD_EVENT: _put_load,
    event_types.SLAVE_EVENT: long_form(control.put_slave),
    event_types.CREATE_FILE_EVENT: _put_create_file,
    event_types.APPEND_BLOCK_EVENT: _put_block,
    event_types.EXEC_LOAD_EVENT: _put_exec_load,
    event_types.DELETE_FILE_EVENT: _put_delete_file,
    event_types.NEW_LOAD_EVENT: _put_load,
    event_types.BEGIN_LOAD_QUERY_EVENT: _put_block,
    event_types.EXECUTE_LOAD_QUERY_EVENT: _put_load_query,
    event_types.INCIDENT_EVENT: long_form(control.put_incident),
    event_types.HEARTBEAT_LOG_EVENT: _put_nothing,
    event_types.HEARTBEAT_LOG_EVENT_V2: _put_nothing,
}
