"""`binlogcli pull`: a raw archive of a server's logs that resumes and never loses its place."""

from __future__ import annotations

import signal
import socket
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import partial
from os import environ
from typing import TYPE_CHECKING

import click

from binlogcli.cli.environment import Environment, Exit
from binlogcli.cli.options.help_sections import SectionedCommand, typed_arguments
from binlogcli.cli.options.server import connection_options
from binlogcli.cli.options.values import FILE_NAME, Number
from binlogcli.cli.progress import bar, shows
from binlogcli.errors import ChecksumError
from binlogcli.sources.opening import is_server
from binlogcli.sources.server.options import ServerOptions

if TYPE_CHECKING:
    from binlogcli.archive.archive import LogArchive
    from binlogcli.archive.pull import LogPull
    from binlogcli.cli.manifest.archive_record import ArchiveRecord
    from binlogcli.sources.server.address import Address

_UNIT = """
\b
As a systemd service:
  [Service]
  Type=notify
  ExecStart=binlogcli pull --follow --output-dir /archive mysql://repl@db1/
  Restart=on-failure
"""


@click.command(
    cls=SectionedCommand,
    short_help="Copy a server's logs into a local archive; resumes where it stopped.",
    epilog=_UNIT,
)
@click.option(
    "-o",
    "--output-dir",
    required=True,
    type=FILE_NAME,
    metavar="DIR",
    help="Directory of the archive; use one per server.",
)
@click.option(
    "--follow", is_flag=True, help="Run until stopped: wait for new events, and reconnect when the server is back."
)
@click.option(
    "--semi-sync", is_flag=True, help="Acknowledge events, as a semi-synchronous replica, once they are on disk."
)
@click.option(
    "--retries",
    type=Number(0),
    default=5,
    metavar="N",
    show_default=True,
    help="Retries without progress before giving up. With --follow unlimited, unless the same event arrives damaged "
    "each time.",
)
@click.option(
    "--verify/--no-verify",
    default=True,
    help="Fetch events with wrong checksums again (the default), or archive them as they are.",
)
@click.option(
    "--manifest",
    type=FILE_NAME,
    metavar="FILE",
    help="Keep a record of all complete logs of the archive in FILE: SHA-256 and size of each, and how the logs are "
    "linked. Check it with binlogcli verify.",
)
@connection_options
@click.argument("source", metavar="URL", default="")
@click.pass_obj
def pull(
    environment: Environment,
    server: ServerOptions,
    *,
    source: str,
    output_dir: str,
    follow: bool,
    semi_sync: bool,
    retries: int,
    verify: bool,
    manifest: str | None,
) -> None:
    """Copy a server's binary logs into a directory; the copies equal the server's files byte for byte.

    URL is mysql://USER@HOST[:PORT]/[LOG]. The archive starts with LOG, or with the oldest log on the server. Each run
    continues where the last one stopped, also after a crash: data is fsynced before it is recorded in the state file in
    DIR. The names and sizes of the logs that grew are printed.
    """
    if semi_sync and not follow:
        raise click.UsageError("--semi-sync requires --follow, because commits wait for this archive")
    from binlogcli.archive.archive import LogArchive  # only where something is pulled
    from binlogcli.archive.directory import Directory
    from binlogcli.archive.pull import LogPull, PullOptions
    from binlogcli.archive.stopping import Stopping

    address = address_of(source, server)
    with Directory(output_dir) as directory, Stopping() as stopping:
        archive = LogArchive(directory, environment.tell)
        run = LogPull(address, server, PullOptions(follow, semi_sync, retries, verify), archive, stopping)
        record = None if manifest is None else _kept_manifest(environment, manifest, archive, run.place)
        _notify("READY=1")
        try:
            with watched(run):
                run.run()
        except ChecksumError as error:
            error.hint = f"{error.hint}; use --no-verify to archive it as it is"
            environment.trouble(error)
        finally:
            if record is not None:
                record.add_complete(environment)
            for name, size in archive.touched.items():
                click.echo(f"{name}\t{size}")
        if archive.missing:
            environment.status = max(environment.status, Exit.DAMAGED)
        if stopping.signal == signal.SIGINT:
            environment.status = Exit.INTERRUPTED


def _kept_manifest(environment: Environment, path: str, archive: LogArchive, server: str) -> ArchiveRecord:
    """Have the manifest written whenever a log is complete, and at the end of the run; return what it is made of."""
    from binlogcli.cli.manifest.archive_record import ArchiveRecord  # only where asked for
    from binlogcli.cli.options.manifest import check_place

    check_place(path)
    record = ArchiveRecord(path, typed_arguments(click.get_current_context()), archive, server)
    environment.manifest = partial(record.write, environment)
    archive.on_complete = lambda: record.update(environment)
    return record


def address_of(source: str, server: ServerOptions) -> Address:
    """Return the server to pull from; raise a usage error where none is named, or GTIDs are."""
    from binlogcli.sources.server.address import Address, read_address  # only for servers

    if not server.remote and not is_server(source):
        raise click.UsageError("no server specified; write mysql://USER@HOST[:PORT]/[LOG], or -R --host HOST [LOG]")
    address = Address(log=source) if server.remote else read_address(source)
    if address.gtid is not None:
        raise click.UsageError("an archive consists of whole logs: ?gtid= is not allowed")
    return address


def watched(run: LogPull) -> AbstractContextManager[None]:
    """Show a bar on a terminal, unless the run has no end."""
    if run.options.follow or not shows():
        return nullcontext()
    return bar(lambda: run.expected, lambda: run.received)


def _notify(message: str) -> None:
    """Send systemd a message if it has asked for it."""
    place = environ.get("NOTIFY_SOCKET", "")
    if place:
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as out:
            out.sendto(message.encode(), "\0" + place[1:] if place.startswith("@") else place)
