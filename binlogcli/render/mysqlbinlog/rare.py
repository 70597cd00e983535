"""What the printers of rare events share: those that both families print, and how a printer is found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from binlogcli.events.control import Stop
from binlogcli.events.load import FileBlock
from binlogcli.render.mysqlbinlog import control, statements
from binlogcli.render.mysqlbinlog.text import EventText
from binlogcli.rows.out import Out

Printer = Callable[[Any, Any], None]  # takes the text of a family, and an event of the type it is for


def long_form(put: Callable[[Out, Any], None]) -> Printer:
    """A printer of something that the short form leaves out."""

    def printer(text: EventText, event: Any) -> None:
        if not text.short_form:
            text.put_header(text.out, event)
            put(text.out, event)

    return printer


def put_stop(out: Out, _event: Stop) -> None:
    """The server shut down."""
    out.put(b"\tStop\n")


def put_block(text: EventText, event: FileBlock) -> None:
    """A piece of a file for LOAD DATA."""
    text.loads.take(event)
    if not text.short_form:
        text.put_header(text.out, event)
        statements.put_block(text.out, event)


def put_nothing(_text: EventText, _event: object) -> None:
    """Heartbeats are not printed."""


COMMON: dict[int, Printer] = {
    3: long_form(put_stop),
    4: long_form(control.put_rotate),
    9: put_block,
    10: long_form(statements.put_file_end),
    11: long_form(statements.put_file_end),
    17: put_block,
    26: long_form(control.put_incident),
    27: put_nothing,
    41: put_nothing,
}
