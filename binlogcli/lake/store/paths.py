"""The directory of a table: any name that a log holds becomes one that is harmless on every file system.

What is awkward is written as %XX: separators, control characters, what begins a hidden name (Spark passes over names
that begin with `_` or `.`), `=` (a partition, to Spark), and what other systems do not allow.
"""

from __future__ import annotations

import hashlib

AWKWARD = frozenset('/\\:*?"<>|%=~ \x7f')
LONGEST = 200  # bytes of a name; file systems take 255
NAMELESS = "%"


def encoded(name: str) -> str:
    """A name of a database or table as a name of a directory."""
    text = "".join(char if harmless(char) else escaped(char) for char in name)
    if text[:1] in ("_", "."):
        text = escaped(text[0]) + text[1:]
    if text[-1:] == ".":
        text = text[:-1] + escaped(".")
    raw = text.encode("utf-8", "surrogateescape")
    if len(raw) > LONGEST:
        digest = hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:16]
        return raw[: LONGEST - 17].decode("utf-8", "ignore").rstrip("%") + "~" + digest
    return text or NAMELESS


def harmless(char: str) -> bool:
    """Whether a character stands for itself."""
    return char.isprintable() and char not in AWKWARD


def escaped(text: str) -> str:
    """As %XX."""
    return "".join(f"%{byte:02X}" for byte in text.encode("utf-8", "surrogateescape"))


def table_directory(database: str, table: str, taken: set[str]) -> str:
    """The directory of a table below `tables`; unlike all in `taken` (which are in lower case) also without case."""
    first, second = encoded(database), encoded(table)
    path = f"{first}/{second}"
    if path.casefold() in taken:
        path = f"{shouted(first)}/{shouted(second)}"
    if path.casefold() in taken:
        digest = hashlib.sha256(f"{database}\0{table}".encode("utf-8", "surrogateescape")).hexdigest()[:16]
        path = f"{first}/{second[: LONGEST - 17]}~{digest}"
    return path


def shouted(text: str) -> str:
    """With capitals written as %XX, for a system that does not tell them from small letters."""
    return "".join(escaped(char) if char.isupper() else char for char in text)
