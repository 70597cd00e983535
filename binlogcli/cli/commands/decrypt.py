"""`binlogcli decrypt`: the plain log out of an encrypted one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from binlogcli.cli.environment import STDOUT, Environment, Exit
from binlogcli.cli.inputs import loaded_keys, log_paths, recorded_reading
from binlogcli.cli.options.help_sections import SectionedCommand
from binlogcli.cli.options.manifest import manifest_option
from binlogcli.cli.options.shared import key_options, sources_argument
from binlogcli.cli.options.values import FILE_NAME
from binlogcli.cli.outputs import OutputFile, open_output
from binlogcli.cli.progress import while_read
from binlogcli.crypto.key_options import KeyOptions
from binlogcli.crypto.opening import encryption_of, open_decrypted
from binlogcli.errors import BinlogError, KeyFileError, SourceError
from binlogcli.events.stream import CHUNK, EventStream
from binlogcli.log.format import is_mariadb
from binlogcli.log.gaps import Damage
from binlogcli.sources.files import STDIN
from binlogcli.sources.log_names import without_packed_ending
from binlogcli.sources.opening import no_event_error, open_source, refuse_other_files
from binlogcli.sources.source import Source, Stream

if TYPE_CHECKING:
    from binlogcli.crypto.keys import Keys

_KEY_OPTION = {"MySQL": "--keyring", "MariaDB": "--key-file"}


class _CopyingSource(Stream):
    """A source that writes its bytes to a file as they are read."""

    def __init__(self, source: Source, output: OutputFile) -> None:
        super().__init__(source.name)
        self.size = source.size
        self._source = source
        self._output = output

    def _pull(self, size: int) -> bytes:
        data = self._source.read(size)
        self._output.write(data)
        return data

    def close(self) -> None:
        """Close the source below."""
        self._source.close()


@click.command(cls=SectionedCommand, short_help="Decrypt encrypted logs.")
@click.option("-o", "--output", type=FILE_NAME, metavar="FILE", help="File for the plain log; - for stdout.")
@click.option(
    "--output-dir", type=FILE_NAME, metavar="DIR", help="Write each plain log into DIR, under the name of its log."
)
@click.option("--force", is_flag=True, help="Replace existing files.")
@click.option("--allow-plain", is_flag=True, help="Also accept logs that are not encrypted: copy them unchanged.")
@manifest_option
@key_options
@sources_argument
@click.pass_obj
def decrypt(
    environment: Environment,
    sources: tuple[str, ...],
    keys: KeyOptions,
    *,
    output: str | None,
    output_dir: str | None,
    force: bool,
    allow_plain: bool,
) -> None:
    """Decrypt logs of MariaDB and MySQL. The result is, byte for byte, what the server sends to its replicas.

    Logs of MariaDB need the server's key file (--key-file), logs of MySQL its keyring (--keyring). Positions do not
    change. An output file gets its name only when it is complete. Damage affects only the damaged event.
    """
    if (output is None) == (output_dir is None):
        raise click.UsageError("specify either --output or --output-dir")
    if output == STDOUT and environment.stdout.isatty() and not force:
        raise click.UsageError("stdout is a terminal, and a log is binary data; redirect it to a file or a pipe")
    with loaded_keys(environment, keys) as loaded:
        paths = log_paths(environment, sources)
        if output is not None and len(paths) > 1:
            raise click.UsageError("--output takes one log; use --output-dir for several")
        written: set[str] = set()
        for path in paths:
            try:
                target = output or _in_directory(output_dir or "", path)
                if target in written:
                    hint = "decrypt it in a separate run, into another directory"
                    raise SourceError("another log of the same name was decrypted in this run", file=path, hint=hint)
                _decrypt_one(environment, path, target, loaded, force=force, allow_plain=allow_plain)
                written.add(target)
            except BinlogError as error:
                environment.failure(error)


def _in_directory(directory: str, path: str) -> str:
    """Return the path of a log's plain form in the directory."""
    if path == STDIN:
        raise click.UsageError("stdin has no file name: specify one with --output")
    return os.path.join(directory, without_packed_ending(Path(path).name))


def _decrypt_one(
    environment: Environment, path: str, target: str, keys: Keys | None, *, force: bool, allow_plain: bool
) -> None:
    """Write one log, and report damage in it."""
    with opened(path, keys, target) as (source, encrypted):
        refused = not encrypted and not allow_plain
        if refused and (keys is None or keys.keyring is None or _of_mariadb(source)):
            raise SourceError("the log is not encrypted", file=path, hint="use --allow-plain to copy it anyway")
        environment.warn_if_slow(source.size)
        with open_output(target, inputs=[path], force=force, private=True) as output:
            copy(environment, path, _CopyingSource(source, output))
        if refused:
            # MySQL is switched to encryption and back while it runs, so that a keyring's logs are of both kinds
            reason, hint = "the log is not encrypted: copied as it is", "use --allow-plain if this is intended"
            environment.failure(SourceError(reason, file=path, hint=hint))


@contextmanager
def opened(path: str, keys: Keys | None, target: str) -> Iterator[tuple[Source, bool]]:
    """Give the plain bytes of a log, and whether it is encrypted; raise `KeyFileError` if its keys are missing."""
    with open_source(path) as whole, while_read(whole, target) as stored:
        kind = encryption_of(stored)
        if kind is None:
            refuse_other_files(stored)
            yield stored, False
            return
        source = stored if keys is None else open_decrypted(stored, keys)
        if source is stored:
            raise KeyFileError(f"the log is encrypted by {kind}", file=path, hint=f"pass {_KEY_OPTION[kind]}")
        with source:
            yield source, True


def _of_mariadb(source: Source) -> bool:
    """Whether a plain log is MariaDB's."""
    return is_mariadb(source.head(77)[25:75].decode("latin-1"))


def copy(environment: Environment, path: str, source: _CopyingSource) -> None:
    """Read a log to its end, which writes it; walk over its events to report damage.

    Raise `SourceError` if there is no event in it.
    """
    stream = EventStream(source)
    empty = False
    try:
        with recorded_reading(environment, path, source, stream):
            while not empty and stream.count() >= 0:
                gap = stream.take_gap()
                if gap is None:
                    break
                empty = stream.holds_nothing_but(gap)
                if isinstance(gap, Damage) and not empty:
                    environment.damage(path, gap._replace(hint="its bytes are copied unchanged"))
            while source.read(CHUNK):
                pass
    except SourceError as error:
        environment.status = max(environment.status, Exit.DAMAGED)  # what came before it is worth having
        environment.tell(f"{error.line()}; everything before it was written")
    if empty:
        raise no_event_error(path)
