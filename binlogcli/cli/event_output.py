"""The forms in which `dump` writes the events of logs, and where they go."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import tzinfo
from functools import partial
from typing import BinaryIO, cast

from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.cli.environment import Environment, Exit
from binlogcli.cli.inputs import flush_before_waiting, heard_beside
from binlogcli.events.log import Log
from binlogcli.render.mysqlbinlog.options import TextOptions
from binlogcli.select.choice import Choice

Write = Callable[[bytes | memoryview], object]

# where they go -----------------------------------------------------------------------------------------------------


@contextmanager
def to_file(
    environment: Environment, path: str, inputs: Sequence[str], *, private: bool, endless: bool
) -> Iterator[Write]:
    """Give the function that writes to a file, which must be none of the inputs."""
    from binlogcli.cli.outputs import open_output  # most output goes to stdout

    environment.output = path
    with open_output(path, inputs=inputs, force=True, private=private, endless=endless) as output:
        yield output.write


@contextmanager
def to_stdout(environment: Environment, *, text: bool, color: str | None) -> Iterator[Write]:
    """Give the function that writes to stdout."""
    painted = environment.paints(color) if text else environment.paints_json(color)
    file = _on_terminal(environment.stdout, text=text, painted=painted)
    yield file.write
    file.flush()


def _on_terminal(file: BinaryIO, *, text: bool, painted: bool) -> BinaryIO:
    """Wrap a terminal so that the output cannot steer it, and in colours; return a pipe or file as it is."""
    if text and (painted or file.isatty()):
        from binlogcli.render.mysqlbinlog.terminal import TerminalText  # rarely needed

        return cast("BinaryIO", TerminalText(file, colour=painted))
    if not text and (painted or file.isatty()):
        from binlogcli.render.json_terminal import JsonTerminal  # rarely needed

        return cast("BinaryIO", JsonTerminal(file, painted=painted))
    return file


# their forms: each imports its own -----------------------------------------------------------------------------------


def as_json(environment: Environment, logs: Iterator[Log], zone: tzinfo | None, write: Write) -> None:
    """Write one object a line."""
    from binlogcli.render.ndjson.events import JsonLines  # each format imports its own

    out = TextBuffer()
    lines = JsonLines(out, zone)
    for log in logs:
        flush_before_waiting(environment, log, partial(_show, environment, out, write))
        if (source := heard_beside(log)) is not None:
            from binlogcli.render.dialogue import JsonDialogue  # only of what was sent over a wire

            source.listener = JsonDialogue(out, log.path, zone)
        with environment.telling(log.path):
            lines.run(log, write, partial(environment.damage, log.path))


def _show(environment: Environment, out: TextBuffer, write: Write) -> None:
    """Write out what is ready, down to the reader of stdout."""
    write(out.content())
    out.clear()
    environment.stdout.flush()


def as_sql(environment: Environment, logs: Iterator[Log], zone: tzinfo | None, write: Write) -> None:
    """Write the events as SQL statements."""
    from binlogcli.render.sql.statements import SqlStatements

    out = TextBuffer()
    statements = SqlStatements(out, zone)
    for log in logs:
        flush_before_waiting(environment, log, partial(_show, environment, out, write))
        with environment.telling(log.path):
            statements.run(log, write, partial(environment.damage, log.path))
    statements.finish(write)
    for remark in statements.remarks():
        environment.tell(remark)


def as_table(
    environment: Environment, logs: Iterator[Log], format_: str, zone: tzinfo | None, write: Write, *, raw_cells: bool
) -> None:
    """Write the rows of one table as lines of fields."""
    from binlogcli.render.delimited.table_lines import TableLines

    out = TextBuffer()
    lines = TableLines(out, format_, zone, environment.tell, raw=raw_cells)
    for log in logs:
        flush_before_waiting(environment, log, partial(_show, environment, out, write))
        with environment.telling(log.path):
            lines.run(log, write, partial(environment.damage, log.path))
    for remark in lines.remarks():
        environment.tell(remark)
    if lines.incomplete:
        environment.status = max(environment.status, Exit.DAMAGED)


def as_lines(
    environment: Environment,
    logs: Iterator[Log],
    zone: tzinfo | None,
    choice: Choice,
    write: Write,
    *,
    to_screen: bool,
    color: str | None,
) -> None:
    """Write a line for each transaction, on a terminal in its width."""
    from binlogcli.cli.transaction_lines import LineOptions, write_lines  # with the scan of stats

    lines = LineOptions(
        width=environment.width() if to_screen else 0,
        painted=environment.paints(color),
        zone=zone,
        limit=choice.limit,
        last=choice.last,
    )
    write_lines(environment, logs, lines, write)


def as_undo(environment: Environment, logs: Iterator[Log], zone: tzinfo | None, write: Write, **accepted: bool) -> None:
    """Write the inverse statements once all was read."""
    from binlogcli.render.sql.undo import Undo

    undo = Undo(zone, **accepted)
    for log in logs:
        undo.run(log)
    if environment.status == Exit.DONE:
        undo.finish(write)
        for remark in undo.remarks():
            environment.tell(remark)


def as_text(environment: Environment, logs: Iterator[Log], text: TextOptions, write: Write) -> None:
    """Write the vendors' text."""
    from binlogcli.render.mysqlbinlog.printer import Mysqlbinlog

    out = TextBuffer()
    printer = Mysqlbinlog(out, text, write)
    for log in logs:
        flush_before_waiting(environment, log, partial(_show, environment, out, write))
        with environment.telling(log.path):
            damage, remark = partial(environment.damage, log.path), partial(environment.remark, log.path)
            _as_text_with_dialogue(log, out, text.zone, partial(printer.run, log, damage, remark))
    printer.finish()
    for shortcoming in printer.shortcomings():
        environment.tell(shortcoming)


def _as_text_with_dialogue(log: Log, out: TextBuffer, zone: tzinfo | None, run: Callable[[], object]) -> None:
    """Run the printer of a log, with the packets beside its events as comments."""
    source = heard_beside(log)
    if source is None:
        run()
        return
    from binlogcli.render.dialogue import TextDialogue  # only of what was sent over a wire

    source.listener = dialogue = TextDialogue(out, zone)
    run()
    dialogue.release()
