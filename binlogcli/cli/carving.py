"""`--carve`: logs found in files of any content take the place of the files."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext

from binlogcli.carve.files import CarvedFiles
from binlogcli.carve.logs import ASSUMED, NEAREST, FoundLog
from binlogcli.carve.scanner import Scanner
from binlogcli.cli.environment import Environment, Exit
from binlogcli.cli.progress import bar, leaves_room, shows
from binlogcli.errors import SourceError, counted
from binlogcli.names.magics import MAGIC
from binlogcli.sources.files import open_raw, size_of


def carve_files(environment: Environment, sources: Sequence[str], *, unproven: bool) -> list[str]:
    """Return the names of the logs found in files; `environment.carved` opens them. Report files without any."""
    environment.carved = carved = environment.carved or CarvedFiles(unproven=unproven)
    environment.warn_if_slow(sum(map(size_of, sources)))
    names: list[str] = []
    for source in dict.fromkeys(sources):
        with environment.telling(source):
            if environment.record is not None:
                open_raw(source).close()  # which records the file: all of it is hashed at the end
            scanner = carved.scanner(source)
            with _bar_of(environment, scanner):
                logs = carved.find(scanner)
            _tell_of_scan(environment, scanner)
            _tell_of_places(environment, scanner)
            if not logs:
                raise _nothing_found(scanner)
            _tell_of_formats(environment, logs)
            names += [log.name for log in logs]
    return names


def _bar_of(environment: Environment, scanner: Scanner) -> AbstractContextManager[None]:
    """Return what shows how far a file was scanned, where there is room."""
    if not shows() or not leaves_room(environment.output, at_end=True):
        return nullcontext()
    return bar(lambda: scanner.file_size, lambda: scanner.base)


def _nothing_found(scanner: Scanner) -> SourceError:
    """Return the error of a file without events."""
    from binlogcli.sources.compressed import HEAD, compression_of  # to say why

    image = scanner.image
    hint = "" if scanner.unproven else "--unproven also reads what only looks like events"
    if image.read(0, len(MAGIC)) == MAGIC:
        hint = "it begins like a binary log: read it without --carve"
    if compression_of(image.read(0, HEAD)):
        hint = "it is compressed: decompress it, and pass the result"
    return SourceError("no events were found", file=image.name, hint=hint)


def _tell_of_scan(environment: Environment, scanner: Scanner) -> None:
    """Report what of a file could not be looked at."""
    if scanner.image.unreadable:
        environment.status = max(environment.status, Exit.DAMAGED)
        environment.tell(f"{scanner.image.name}: {counted(scanner.image.unreadable, 'byte')} could not be read")


def _tell_of_places(environment: Environment, scanner: Scanner) -> None:
    """Report long candidates that were passed over as others had been looked at in vain."""
    if scanner.passed_over:
        what = counted(scanner.passed_over, "place")
        environment.tell(
            f"{scanner.image.name}: {what} that look like an event of more than 64 KB, with none after it, were not "
            f"verified: too many others were no events"
        )


def _tell_of_formats(environment: Environment, logs: Sequence[FoundLog]) -> None:
    """Say where it is known from how the events of logs without format descriptions are laid out."""
    told: dict[str, list[str]] = {}
    for log in logs:
        if log.format_from == NEAREST:
            told.setdefault(f"that of a log of {log.log_format.server_version} is used", []).append(log.name)
        elif log.format_from == ASSUMED:
            family = "MariaDB" if log.log_format.mariadb else "MySQL"
            told.setdefault(f"a log of {family} is assumed", []).append(log.name)
    for instead, names in told.items():
        if len(names) == 1:
            environment.tell(f"{names[0]}: its format description was not found; {instead}")
        else:
            others = counted(len(names) - 1, "other log")
            environment.tell(f"{names[0]} and {others}: their format descriptions were not found; {instead}")
