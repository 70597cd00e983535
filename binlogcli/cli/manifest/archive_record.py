"""The manifest of an archive: all complete logs in it, kept up to date by each run of `pull`.

A log is hashed once, from the disk, when it is complete. Later runs keep its entry, whatever has happened to the file
since: `verify` tells. So a run costs what is new, and the manifest says what the logs were when they were archived.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from binlogcli.cli.environment import Environment
from binlogcli.cli.manifest.checking import Manifest
from binlogcli.cli.manifest.form import seen_from
from binlogcli.cli.manifest.writing import head_of, write_manifest
from binlogcli.errors import BinlogError
from binlogcli.events.log import Log
from binlogcli.sources.recording import InputRecorder, recorded
from binlogcli.stats.log_chain import ChainedLog, begin_chained, chain, end_chained

if TYPE_CHECKING:
    from binlogcli.archive.archive import LogArchive

_COMMAND = "pull"


class ArchiveRecord:
    """The manifest at `path` of the archive; it is read if it exists. Raises BinlogError if it is another file."""

    def __init__(self, path: str, arguments: Sequence[str], archive: LogArchive, server: str) -> None:
        self.path = path
        self.arguments = arguments
        self.archive = archive
        self.server = server  # its address
        self.outputs: dict[str, dict[str, Any]] = {}  # by path
        self.chain: dict[str, ChainedLog] = {}
        if os.path.lexists(path):
            self._load()

    def _load(self) -> None:
        content = Manifest(self.path).content
        if content.get("command") != _COMMAND:
            hint = "choose another name: pull replaces only its own manifests"
            raise BinlogError("is the manifest of another command", file=self.path, hint=hint)
        self.outputs = {entry["path"]: entry for entry in content["outputs"]}
        names = [field.name for field in fields(ChainedLog)]
        for entry in content.get("chain", ()):
            found = ChainedLog(**{name: entry[name] for name in names if name in entry})
            self.chain[found.file] = found

    def add_complete(self, environment: Environment) -> None:
        """Hash the logs that are complete and were not hashed before; report those that cannot be read."""
        directory = self.archive.directory
        for name in directory.logs():
            path = os.path.join(directory.path, name)
            if name != self.archive.state.log and seen_from(self.path, path) not in self.outputs:
                try:
                    self._add(name, path)
                except BinlogError as error:
                    environment.trouble(error)

    def _add(self, name: str, path: str) -> None:
        """Hash a log while its place among others is found out."""
        recorder = InputRecorder()
        with recorded(recorder), Log(path) as log:
            found = begin_chained(name, log.source)
            end_chained(found, log.source, log.stream)
        recorder.finish()
        (entry,) = recorder.entries()
        self.outputs[seen_from(self.path, path)] = entry | {"path": seen_from(self.path, path)}
        self.chain[name] = found

    def update(self, environment: Environment) -> None:
        """Bring the manifest up to date while the run continues."""
        self.add_complete(environment)
        self.write(environment, int(environment.status))

    def write(self, environment: Environment, status: int) -> int:
        """Write the manifest, and return the exit status of the run."""
        state = self.archive.state
        content = {
            **head_of(_COMMAND, self.arguments, environment, status),
            "server": {"address": self.server, "server_id": state.server_id, "server_uuid": state.server_uuid},
            "growing": {"log": state.log, "position": state.position},
            "missing": [
                {"log": gap.log, "position": gap.position, "next_log": gap.next_log, "reason": gap.reason}
                for gap in state.gaps
            ],
            "inputs": [],
            "chain": chain(list(self.chain.values())),
            "outputs": list(self.outputs.values()),
        }
        return write_manifest(environment, self.path, content, status, force=True)
