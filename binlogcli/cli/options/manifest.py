"""The option `--manifest`."""

from __future__ import annotations

import functools
import os
from functools import partial
from typing import Any

import click

from binlogcli.cli.options.help_sections import Command, typed_arguments
from binlogcli.cli.options.values import FILE_NAME
from binlogcli.errors import OutputError

_OUTPUTS = ("result_file", "html", "export", "output")  # parameters of commands that name the file they write


def manifest_option(command: Command) -> Command:
    """Add `--manifest`: the command runs as without it, and a record of the run is written when it has ended.

    To stand below `pass_obj` or `pass_context`, and above the options of which the record has to know.
    """

    @functools.wraps(command)
    def wrapper(*args: Any, manifest: str | None, **rest: Any) -> Any:
        if manifest is None:
            return command(*args, **rest)
        from binlogcli.cli.manifest.record import RunRecord  # only where asked for
        from binlogcli.cli.manifest.writing import write_record

        context = click.get_current_context()
        force = bool(rest.get("force"))
        check_place(manifest)
        if manifest in (rest.get(name) for name in _OUTPUTS):
            raise click.UsageError("--manifest must be a file of its own, and not the output")
        if not force and os.path.lexists(manifest):
            raise OutputError(
                "exists already", file=manifest, hint="a manifest is not replaced: choose another name, or remove it"
            )
        record = RunRecord(manifest, context.info_name or "", typed_arguments(context), force=force)
        record.zone = rest.get("zone")
        context.obj.record, context.obj.manifest = record, partial(write_record, context.obj, record)
        with record.running():
            return command(*args, **rest)

    text = (
        "Write a record of this run to FILE, as JSON: SHA-256 and size of all inputs and outputs, options, and how the "
        "logs are linked. Check it with binlogcli verify."
    )
    click.option("--manifest", type=FILE_NAME, metavar="FILE", help=text)(wrapper)
    return wrapper  # type: ignore[return-value]


def check_place(path: str) -> None:
    """Raise an error where a manifest could not be written at the end of the run."""
    if path == "-":
        raise click.UsageError("--manifest writes a file: stdout has the output of the command")
    if os.path.isdir(path):
        raise OutputError("is a directory", file=path, hint="specify a file in it")
    if not os.access(os.path.dirname(path) or ".", os.W_OK):
        raise OutputError("cannot be written", file=path, hint="check the directory and its permissions")
