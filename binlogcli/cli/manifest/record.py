"""The record of a run while it runs, and the manifest that is written of it at its end.

`RunRecord` is made by the option `--manifest`; `main` has it written when the exit status is known, so that there is a
manifest also of a command that ends with an error or is interrupted.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from datetime import tzinfo
from typing import TYPE_CHECKING, Any

from binlogcli.cli.manifest.form import STDOUT, seen_from
from binlogcli.cli.manifest.hashed_output import WrittenOutput, hashed_stdout
from binlogcli.select.times import zone_name
from binlogcli.sources.recording import InputRecorder, recorded

if TYPE_CHECKING:
    from binlogcli.events.stream import EventStream
    from binlogcli.sources.source import Source
    from binlogcli.stats.log_chain import ChainedLog

_PIECE = 1 << 20  # bytes read at once


@contextlib.contextmanager
def _ended_as_interrupted() -> Iterator[None]:
    """Have the signals that would end the program at once interrupt it, so that there is a manifest."""
    numbers = [number for number in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(number) == signal.SIG_DFL]
    for number in numbers:
        signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        for number in numbers:
            signal.signal(number, signal.SIG_DFL)


class RunRecord:
    """What a run reads and writes. `path` is that of the manifest."""

    def __init__(self, path: str, command: str, arguments: Sequence[str], *, force: bool) -> None:
        self.path = path
        self.command = command
        self.arguments = arguments
        self.force = force
        self.zone: tzinfo | None = None
        self.inputs = InputRecorder()
        self.outputs: list[WrittenOutput] = []
        self.chain: dict[str, ChainedLog] = {}
        self.histories: Sequence[Sequence[str]] = ()  # names of logs by history, where there are several
        self._redirected: WrittenOutput | None = None  # stdout

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Record what is read and written inside."""
        with recorded(self.inputs), hashed_stdout() as output, _ended_as_interrupted():
            self._redirected = output
            try:
                yield
                if output is not None:
                    sys.stdout.flush()
                    output.whole = True
            finally:
                if output is not None and output.size:
                    self.outputs.insert(0, output)

    @contextlib.contextmanager
    def writing(self, path: str) -> Iterator[WrittenOutput]:
        """Give the record of an output; one that is not finished is left out, as it never gets its name."""
        output = WrittenOutput(path)
        yield output
        output.whole = True
        self.outputs.append(output)

    def add_file(self, path: str) -> None:
        """Read a file that was written, and add it to the outputs."""
        output = WrittenOutput(path)
        try:
            with open(path, "rb") as file:
                while piece := file.read(_PIECE):
                    output.wrote(piece)
            output.whole = True
        except OSError:  # the entry says that it is not complete
            pass
        self.outputs.append(output)

    @contextlib.contextmanager
    def reading(self, name: str, source: Source, stream: EventStream) -> Iterator[None]:
        """Take what a log tells of its place among others: at its beginning, and when it was read."""
        from binlogcli.stats.log_chain import begin_chained, end_chained  # only for manifests

        found = begin_chained(name, source)
        try:
            yield
        finally:
            self.chain[name] = found
            end_chained(found, source, stream)

    def digests(self) -> dict[str, str]:
        """Return the SHA-256 of each file that was read, all of which are read to their ends now."""
        self.inputs.finish()
        return {entry["path"]: entry["sha256"] for entry in self.inputs.entries()}

    def of_log(self, path: str) -> tuple[dict[str, Any] | None, ChainedLog | None]:
        """Return what is known of a log, read to its end, for `adopt` in another process."""
        return self.inputs.entry(path), self.chain.get(path)

    def adopt(self, path: str, found: tuple[dict[str, Any] | None, ChainedLog | None]) -> None:
        """Take over what another process knows of a log."""
        entry, chained = found
        if entry is not None:
            self.inputs.adopt(entry)
        if chained is not None:
            self.chain[path] = chained

    def content(self) -> dict[str, Any]:
        """Return what the manifest says of inputs, logs and outputs, when all inputs were hashed."""
        from binlogcli.stats.log_chain import chain  # only for manifests

        return {
            "timezone": zone_name(self.zone),
            "inputs": [self._placed(entry) for entry in self.inputs.entries()],
            "chain": [entry for logs in self._histories() for entry in chain(logs)],
            "outputs": [self._placed(one.entry(), redirected=one is self._redirected) for one in self.outputs],
        }

    def _histories(self) -> list[list[ChainedLog]]:
        """Return the logs that may follow one another, in lists of their own."""
        if not self.histories:
            return [list(self.chain.values())]
        return [[self.chain[name] for name in names if name in self.chain] for names in self.histories]

    def _placed(self, entry: dict[str, Any], *, redirected: bool = False) -> dict[str, Any]:
        """Return an entry with the path as seen from the manifest's directory, unless an absolute one was given."""
        path = entry["path"]
        if path == STDOUT or entry.get("kind") == "server" or (os.path.isabs(path) and not redirected):
            return entry
        given = STDOUT if redirected else path
        return {"path": seen_from(self.path, path), "given_as": given} | {
            name: value for name, value in entry.items() if name != "path"
        }
