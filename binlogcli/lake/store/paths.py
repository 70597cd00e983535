"""The directory of a table, and of a day: any name that a log holds becomes one that is valid on every file system.

Written as %XX are separators, control characters, `_` and `.` at the beginning (Spark passes over such names), `=`
(Spark takes it for a partition), and what other systems do not allow.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

_ESCAPED = frozenset('/\\:*?"<>|%=~ \x7f')
_LONGEST = 200  # bytes of a name; file systems allow 255
_NAMELESS = "%"


def encoded(name: str) -> str:
    """Return the name of a database or table as the name of a directory."""
    text = "".join(char if _is_plain(char) else _escaped(char) for char in name)
    if text[:1] in ("_", "."):
        text = _escaped(text[0]) + text[1:]
    if text[-1:] == ".":
        text = text[:-1] + _escaped(".")
    raw = text.encode("utf-8", "surrogateescape")
    if len(raw) > _LONGEST:
        digest = hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:16]
        return raw[: _LONGEST - 17].decode("utf-8", "ignore").rstrip("%") + "~" + digest
    return text or _NAMELESS


def date_folder(date: str, columns: Iterable[str] = ()) -> str:
    """Return the directory of a day with a slash after it; "" for files that are not by date.

    It is `date=DATE`. A reader would have that in place of a column of the name, so a table with one has `_date=DATE`.
    """
    taken = {name.lower() for name in columns}
    name = "date"
    while name in taken:
        name = f"_{name}"
    return f"{name}={date}/" if date else ""


def _is_plain(char: str) -> bool:
    """Whether a character is written as it is."""
    return char.isprintable() and char not in _ESCAPED


def _escaped(text: str) -> str:
    """Return the text's UTF-8 bytes as %XX."""
    return "".join(f"%{byte:02X}" for byte in text.encode("utf-8", "surrogateescape"))


def table_directory(database: str, table: str, taken: set[str]) -> str:
    """Return the directory of a table below `tables`, unlike all in `taken`, compared without case.

    `taken` holds directories in lower case.
    """
    first, second = encoded(database), encoded(table)
    path = f"{first}/{second}"
    if path.casefold() in taken:
        path = f"{_with_escaped_capitals(first)}/{_with_escaped_capitals(second)}"
    if path.casefold() in taken:
        digest = hashlib.sha256(f"{database}\0{table}".encode("utf-8", "surrogateescape")).hexdigest()[:16]
        path = f"{first}/{second[: _LONGEST - 17]}~{digest}"
    return path


def _with_escaped_capitals(text: str) -> str:
    """Return a name with its capitals as %XX, for file systems that do not distinguish them from small letters."""
    return "".join(_escaped(char) if char.isupper() else char for char in text)
