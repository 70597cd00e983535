"""Writes manifests, which get their names when they are complete."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from binlogcli import __version__
from binlogcli.cli.environment import Environment, Exit
from binlogcli.cli.manifest.form import VERSION, now_text, without_secrets
from binlogcli.cli.manifest.record import RunRecord
from binlogcli.cli.outputs import open_unrecorded
from binlogcli.errors import OutputError


def head_of(command: str, arguments: Sequence[str], environment: Environment, status: int) -> dict[str, Any]:
    """Return what every manifest begins with."""
    return {
        "manifest": VERSION,
        "created": now_text(),
        "tool": {"name": "binlogcli", "version": __version__},
        "command": command,
        "arguments": without_secrets(arguments),
        "exit_status": status,
        "interrupted": status == Exit.INTERRUPTED,
        "damage": {"gaps": environment.gaps, "bytes": environment.lost, "errors": environment.errors},
    }


def write_record(environment: Environment, record: RunRecord, status: int) -> int:
    """Hash what is left of the inputs of a run, write its manifest, and return its exit status."""
    if status != Exit.INTERRUPTED:
        try:
            record.inputs.finish()
        except KeyboardInterrupt:
            status = int(Exit.INTERRUPTED)
    for entry in record.inputs.entries():
        for change in entry.get("changed_while_read", ()):
            environment.tell(f"{entry['path']}: changed while it was read: {change}")
            status = status or int(Exit.DAMAGED)
    content = head_of(record.command, record.arguments, environment, status) | record.content()
    return write_manifest(environment, record.path, content, status, force=record.force)


def write_manifest(environment: Environment, path: str, content: dict[str, Any], status: int, *, force: bool) -> int:
    """Write a manifest, and return the exit status of the run."""
    try:
        with open_unrecorded(path, inputs=(), force=force) as output:
            output.write((json.dumps(content, indent=1) + "\n").encode())
    except OutputError as error:
        environment.failure(error)
        return int(Exit.UNUSABLE)
    return int(status)
