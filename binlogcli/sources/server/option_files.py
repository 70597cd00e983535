"""The servers' option files (`my.cnf`): groups of options, with includes, as the servers' own programs read them."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field

from binlogcli.errors import SourceError

GROUPS = frozenset({"client", "client-server", "client-mariadb", "mysqlbinlog", "mariadb-binlog", "binlogcli"})
STANDARD_FILES = ("/etc/my.cnf", "/etc/mysql/my.cnf", "~/.my.cnf")
LARGEST = 1 << 20
DEEPEST = 10
WITHOUT = "use --no-defaults to read no option file"
_ESCAPES = {"b": "\b", "t": "\t", "n": "\n", "r": "\r", "\\": "\\", "s": " "}
_QUOTED = re.compile(r"""(?s)(["'])(.*)\1\s*(#.*)?$""")


@dataclass(slots=True)
class Options:
    """The options of all files; the last value of an option counts, None where it was named without one."""

    values: dict[str, str | None] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    def get(self, name: str) -> str | None:
        """Return an option's value; None where it is not named or has none."""
        return self.values.get(name)


def read_option_files(defaults_file: str | None, *, none: bool = False) -> Options:
    """Return the options of the standard files, of `defaults_file` instead if given, or of none."""
    options = Options()
    if defaults_file is not None:
        _read_file(options, os.path.expanduser(defaults_file), 0, wanted=True)
    elif not none:
        for name in STANDARD_FILES:
            _read_file(options, os.path.expanduser(name), 0, wanted=False)
    return options


def read_groups(options: Options, text: str, file: str = "", depth: int = 0) -> None:
    """Add the options of our groups in a file's text."""
    wanted = False
    for line in text.splitlines():
        line = line.strip()  # noqa: PLW2901
        if not line or line[0] in "#;":
            continue
        if line.startswith("!include"):
            _include(options, line, file, depth)
        elif line[0] == "[":
            wanted = line[1:].partition("]")[0].strip().lower() in GROUPS
        elif wanted:
            name, equals, value = line.partition("=")
            key = name.split("#")[0].strip().lower().replace("_", "-").removeprefix("loose-")
            options.values[key] = _value(value) if equals else None


def _value(text: str) -> str:
    text = text.strip()
    quoted = _QUOTED.match(text)
    text = quoted[2] if quoted else text.partition("#")[0].strip()
    return re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[0]), text)


def _include(options: Options, line: str, file: str, depth: int) -> None:
    """Read `!include FILE`, and `!includedir DIR` for each file in it that ends in .cnf."""
    directive, _, target = line.partition(" ")
    if depth >= DEEPEST:
        raise SourceError(f"includes are nested more than {DEEPEST} deep", file=file, hint=WITHOUT)
    path = os.path.join(os.path.dirname(file), target.strip())
    if directive == "!include":
        _read_file(options, path, depth + 1, wanted=True)
    elif directive == "!includedir":
        for name in sorted(_names(path, file)):
            _read_file(options, os.path.join(path, name), depth + 1, wanted=True)


def _names(directory: str, file: str) -> Iterator[str]:
    try:
        yield from (name for name in os.listdir(directory) if name.endswith(".cnf"))
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise SourceError(f"cannot read {directory}: {reason}", file=file, hint=WITHOUT) from error


def _read_file(options: Options, path: str, depth: int, *, wanted: bool) -> None:
    try:
        with open(path, "rb") as file:
            if stat.S_IMODE(os.fstat(file.fileno()).st_mode) & stat.S_IWOTH:
                options.warnings.append(f"{path}: this option file is writable by everyone: it is ignored")
                return
            text = file.read(LARGEST + 1)
    except OSError as error:
        if wanted:
            reason = (error.strerror or str(error)).lower()
            raise SourceError(f"cannot read the option file: {reason}", file=path, hint=WITHOUT) from error
        return
    if len(text) > LARGEST:
        raise SourceError("too large for an option file", file=path, hint=WITHOUT)
    read_groups(options, text.decode("utf-8", "surrogateescape"), path, depth)
