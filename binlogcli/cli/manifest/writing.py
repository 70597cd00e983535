"""Writes the manifest of a run at its end."""

from __future__ import annotations

import json

from binlogcli.cli.environment import Environment, Exit
from binlogcli.cli.manifest.record import RunRecord
from binlogcli.cli.outputs import open_unrecorded
from binlogcli.errors import OutputError


def write_manifest(environment: Environment, record: RunRecord, status: int) -> int:
    """Hash what is left of the inputs, write the manifest, and return the exit status of the run."""
    if status != Exit.INTERRUPTED:
        try:
            record.inputs.finish()
        except KeyboardInterrupt:
            status = Exit.INTERRUPTED
    for entry in record.inputs.entries():
        for change in entry.get("changed_while_read", ()):
            environment.tell(f"{entry['path']}: changed while it was read: {change}")
            status = status or Exit.DAMAGED
    damage = {"gaps": environment.gaps, "bytes": environment.lost, "errors": environment.errors}
    text = json.dumps(record.manifest(status, damage), indent=1) + "\n"
    try:
        with open_unrecorded(record.path, inputs=(), force=record.force) as output:
            output.write(text.encode())
    except OutputError as error:
        environment.failure(error)
        return int(Exit.UNUSABLE)
    return int(status)
