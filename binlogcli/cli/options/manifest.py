"""The option `--manifest`."""

from __future__ import annotations

import functools
import os
from typing import Any

import click

from binlogcli.cli.options.help_sections import Command, typed_arguments
from binlogcli.cli.options.values import FILE_NAME


def manifest_option(command: Command) -> Command:
    """Add `--manifest`: the command runs as without it, and a record of the run is written when it has ended.

    To stand below `pass_obj` or `pass_context`, and above the options of which the record has to know.
    """

    @functools.wraps(command)
    def wrapper(*args: Any, manifest: str | None, **rest: Any) -> Any:
        if manifest is None:
            return command(*args, **rest)
        from binlogcli.cli.manifest.record import RunRecord  # only where asked for

        context = click.get_current_context()
        force = bool(rest.get("force"))
        _check(manifest, force=force)
        record = RunRecord(manifest, context.info_name or "", typed_arguments(context), force=force)
        record.zone = rest.get("zone")
        context.obj.record = record
        with record.running():
            return command(*args, **rest)

    text = (
        "Write a record of this run to FILE, as JSON: SHA-256 and size of all inputs and outputs, options, and how the "
        "logs are linked. Check it with binlogcli verify."
    )
    click.option("--manifest", type=FILE_NAME, metavar="FILE", help=text)(wrapper)
    return wrapper  # type: ignore[return-value]


def _check(path: str, *, force: bool) -> None:
    """Raise an error where the manifest could not be written at the end of the run."""
    from binlogcli.cli.outputs import exists  # only where asked for
    from binlogcli.errors import OutputError

    if path == "-":
        raise click.UsageError("--manifest writes a file: stdout has the output of the command")
    if os.path.isdir(path):
        raise OutputError("is a directory", file=path, hint="specify a file in it")
    if os.path.lexists(path) and not force:
        error = exists(path)
        error.hint = "a manifest is not replaced: choose another name, or remove it"
        raise error
    if not os.access(os.path.dirname(path) or ".", os.W_OK):
        raise OutputError("cannot be written", file=path, hint="check the directory and its permissions")
