"""Names of databases, tables and columns as SQL."""

from __future__ import annotations


def identifier(name: str) -> bytes:
    """Return a name in backticks, those inside it doubled; bytes that are not UTF-8 in the log are kept."""
    return b"`" + name.encode("utf-8", "surrogateescape").replace(b"`", b"``") + b"`"


def qualified_name(database: str, table: str) -> bytes:
    """Return a table's name with its database's, both in backticks."""
    return identifier(database) + b"." + identifier(table)
