"""Index files: the text file in which a server lists its binary or relay logs, one name a line.

The lines are data of unknown origin: none is ever taken for an option, stdin or a server, and none is looked
into before it is opened as a log. A listed log that is missing stays in the list: opening it reports it.
"""

from __future__ import annotations

import os

from binlogcli.errors import SourceError
from binlogcli.sources.source import Source

# MySQL writes a changed index beside the old one under the second name before it renames it
_ENDINGS = (".index", ".index_crash_safe")

_LARGEST = 1 << 24  # bytes; that is room for some hundred thousand logs
_LONGEST_LINE = 4096  # bytes; no path can be longer
_CONTROL = bytes([*range(0x20), 0x7F])


def has_index_name(path: str) -> bool:
    """Whether `path` is named as servers name their index files."""
    return path.endswith(_ENDINGS)


def read_index(source: Source) -> list[str]:
    """Return the paths of the logs that the index file lists, in its order."""
    directory = source.name.rpartition("/")[0] + "/" if "/" in source.name else ""
    logs: list[str] = []
    for number, line in enumerate(_content(source).split(b"\n"), 1):
        name = line.removesuffix(b"\r")
        if name:
            _check(name, number, source.name)
            logs.append(_resolve(os.fsdecode(name), directory))
    if not logs:
        raise SourceError("lists no logs", file=source.name, hint="pass the log files themselves")
    return logs


def _content(source: Source) -> bytes:
    parts: list[bytes] = []
    left = _LARGEST
    while left >= 0 and (part := source.read(left + 1)):
        parts.append(part)
        left -= len(part)
    if left < 0:
        raise SourceError(
            f"is larger than {_LARGEST >> 20} MiB, which is too large for an index file",
            file=source.name,
            hint="pass the log files themselves",
        )
    return b"".join(parts)


def _check(name: bytes, number: int, file: str) -> None:
    if name != name.translate(None, _CONTROL):
        problem = "contains control characters"
    elif len(name) > _LONGEST_LINE:
        problem = f"is longer than {_LONGEST_LINE} bytes"
    else:
        return
    raise SourceError(
        f"line {number} {problem}, and is not a valid log name", file=file, hint="pass the log files themselves"
    )


def _resolve(name: str, directory: str) -> str:
    """Return where a listed log is: as the line says, else beside the index file, as in a copied set of logs."""
    path = name if name.startswith("/") else directory + name.removeprefix("./")
    if not os.access(path, os.F_OK):
        # a server on Windows separates by backslashes
        base = name.replace("\\", "/").rpartition("/")[2]
        if base and os.access(directory + base, os.F_OK):
            path = directory + base
    # a line "-" is a file of this name, and one like "mysql://host/" is no server
    return f"./{path}" if path == "-" or ("://" in path and not path.startswith("/")) else path
