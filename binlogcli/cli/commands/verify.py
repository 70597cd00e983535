"""`binlogcli verify`: whether the files of a manifest are what they were."""

from __future__ import annotations

import json

import click

from binlogcli.cli.environment import Environment, Exit
from binlogcli.cli.manifest.checking import CHANGED, MISSING, SAME, Checked, Manifest
from binlogcli.cli.options.help_sections import SectionedCommand
from binlogcli.cli.options.shared import json_option
from binlogcli.cli.options.values import FILE_NAME
from binlogcli.errors import counted
from binlogcli.render.escape import visible

_WIDTHS = (11, 6)  # of status and role, on a terminal


@click.command(cls=SectionedCommand, short_help="Check whether the files of a manifest are still the same.")
@click.option(
    "--base",
    type=FILE_NAME,
    metavar="DIR",
    help="Look for the files in DIR, by their paths or their names; default: where they were, relative paths from the "
    "directory of the manifest.",
)
@click.option(
    "--stdout", "redirected", type=FILE_NAME, metavar="FILE", help="File that contains what the run wrote to stdout."
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="text: one line per file, in columns on a terminal, else separated by tabs; json: one object per line.",
)
@json_option
@click.argument("manifest", metavar="MANIFEST", type=FILE_NAME)
@click.pass_obj
def verify(environment: Environment, manifest: str, base: str | None, redirected: str | None, format_: str) -> None:
    """Check whether the inputs and outputs of a run are still the same files, byte for byte.

    MANIFEST is a file written by --manifest. Each file is the same, changed (in size, or in its bytes) or missing; what
    came from a server or a pipe is not checked. The exit status is 0 if no file is changed or missing, and 1 otherwise.
    """
    found = Manifest(manifest)
    columns = environment.stdout.isatty()
    counts = dict.fromkeys((SAME, CHANGED, MISSING), 0)
    for checked in found.check(base, redirected):
        counts[checked.status] = counts.get(checked.status, 0) + 1
        line = json.dumps(checked._asdict()) if format_ == "json" else _line(checked, columns=columns)
        environment.stdout.write(line.encode() + b"\n")
    environment.stdout.flush()
    if found.content.get("interrupted"):
        environment.tell(f"{manifest}: the run was interrupted: its record is not complete")
    if counts[CHANGED] or counts[MISSING]:
        environment.status = Exit.DAMAGED
        bad = f"{counted(counts[CHANGED], 'file')} changed, {counts[MISSING]} missing, {counts[SAME]} the same"
        environment.tell(f"{manifest}: {bad}")


def _line(checked: Checked, *, columns: bool) -> str:
    """Return the line of a file."""
    parts = [checked.status, checked.role, visible(checked.path), visible(checked.why)]
    if not columns:
        return "\t".join(parts).rstrip("\t")
    words = [part.ljust(width) for part, width in zip(parts, _WIDTHS, strict=False)]
    return "  ".join([*words, *(part for part in parts[2:] if part)])
