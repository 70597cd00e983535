"""The record of a run while it runs, and the manifest that is written of it at its end.

`RunRecord` is made by the option `--manifest`; `main` has it written when the exit status is known, so that there is a
manifest also of a command that ends with an error or is interrupted.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, tzinfo
from typing import TYPE_CHECKING, Any

from binlogcli import __version__
from binlogcli.cli.manifest.hashed_output import WrittenOutput, hashed_stdout
from binlogcli.select.times import zone_name
from binlogcli.sources.opening import is_server
from binlogcli.sources.recording import InputRecorder, recorded

if TYPE_CHECKING:
    from binlogcli.events.stream import EventStream
    from binlogcli.sources.source import Source
    from binlogcli.stats.log_chain import ChainedLog

VERSION = 1  # of the form of manifests
STDOUT = "-"
INTERRUPTED = 130
_PIECE = 1 << 20  # bytes read at once
# as Spark hides values of properties in its own pages
_SECRET_SETTING = re.compile(r"(?i)(secret|password|passwd|token|credential|access[.]?key|private[.]?key)")
_SETTINGS = "--conf"


def without_secrets(arguments: Sequence[str]) -> list[str]:
    """Return arguments as they were typed, but for passwords in addresses and secret properties of Spark."""
    found: list[str] = []
    for at, argument in enumerate(arguments):
        name, equals, value = argument.partition("=")
        if name == _SETTINGS and equals:
            found.append(f"{name}={_setting(value)}")
        elif at and arguments[at - 1] == _SETTINGS:
            found.append(_setting(argument))
        else:
            found.append(_address(argument))
    return found


def _setting(text: str) -> str:
    name, equals, _ = text.partition("=")
    return f"{name}=..." if equals and _SECRET_SETTING.search(name) else text


def _address(argument: str) -> str:
    if not is_server(argument):
        return argument
    from binlogcli.sources.server.address import without_secret  # only for servers

    return without_secret(argument)


def now_text() -> str:
    """Return the time of the manifest: that of SOURCE_DATE_EPOCH if it is set, as for reproducible builds."""
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    seconds = int(given) if given.isdecimal() and len(given) < 12 else int(time.time())
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")


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
        self.arguments = without_secrets(arguments)
        self.force = force
        self.zone: tzinfo | None = None
        self.inputs = InputRecorder()
        self.outputs: list[WrittenOutput] = []
        self.chain: dict[str, ChainedLog] = {}
        self.more: dict[str, Any] = {}  # what a command adds
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

    def manifest(self, status: int, damage: dict[str, Any]) -> dict[str, Any]:
        """Return the content of the manifest, when all inputs were hashed."""
        from binlogcli.stats.log_chain import chain  # only for manifests

        interrupted = status == INTERRUPTED
        found: dict[str, Any] = {
            "manifest": VERSION,
            "created": now_text(),
            "tool": {"name": "binlogcli", "version": __version__},
            "command": self.command,
            "arguments": self.arguments,
            "timezone": zone_name(self.zone),
            "exit_status": status,
            "interrupted": interrupted,
            "damage": damage,
            "inputs": [self._placed(entry) for entry in self.inputs.entries()],
            "chain": chain(list(self.chain.values())),
            "outputs": [self._placed(one.entry(), redirected=one is self._redirected) for one in self.outputs],
        }
        return found | self.more

    def _placed(self, entry: dict[str, Any], *, redirected: bool = False) -> dict[str, Any]:
        """Return an entry with the path as seen from the manifest's directory, unless an absolute one was given."""
        path = entry["path"]
        if path == STDOUT or entry.get("kind") == "server" or (os.path.isabs(path) and not redirected):
            return entry
        directory = os.path.dirname(os.path.abspath(self.path))
        given = STDOUT if redirected else path
        return {"path": os.path.relpath(os.path.abspath(path), directory), "given_as": given} | {
            name: value for name, value in entry.items() if name != "path"
        }
