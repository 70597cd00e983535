"""Reads the tables that an SQL file defines: the output of mysqldump or mariadb-dump as it comes, and what follows it.

The file is cut into statements (`statements`); those that define tables or set a default are replayed in their order
(`replay`), so that a file may also hold the ALTER TABLE statements that came after the dump. A statement that cannot be
read is a warning, a file without CREATE TABLE an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from binlogcli.errors import SchemaError
from binlogcli.schema.definitions import Definitions
from binlogcli.schema.logged_statement import Session
from binlogcli.schema.replay import replay
from binlogcli.schema.sql.charsets import Collations
from binlogcli.schema.sql.columns import read_word
from binlogcli.schema.sql.foreign_keys import read_trigger
from binlogcli.schema.sql.statements import SqlStatement, StatementReader, open_text
from binlogcli.schema.sql.tokens import TokenCursor, Unreadable, tokens
from binlogcli.schema.table import SchemaTable

_BETWEEN = rb"(?:\s|/\*M?!\d*|\*/|\bor\b|\breplace\b|\btemporary\b|\bonline\b|\bignore\b)*"
_TELLING = re.compile(
    rb"use\b|(?:create|alter|drop|rename)\b" + _BETWEEN + rb"(?:tables?|database|schema|sequence)\b"
    rb"|(?:create|drop)\b(?:\s|\w)*?\bindex\b",
    re.IGNORECASE,
)
_TRIGGER = re.compile(
    rb"create\b(?:\s|/\*M?!\d*|\*/|\bor\b|\breplace\b)*(?:definer\b[^;]{0,400}?)?\btrigger\b", re.IGNORECASE
)
# a database may be empty: where all of its tables were dropped, the history of the logs leads back to them
_CREATES = re.compile(rb"create\b" + _BETWEEN + rb"(?:table|database|schema)\b", re.IGNORECASE)
_MARIADB = re.compile(rb"-- MariaDB (?:dump|definitions)|-- MySQL dump[^\n]*MariaDB|/\*M!")


def read_definitions(paths: Iterable[str], warnings: list[str]) -> Definitions:
    """Return what all files define; of several tables with one name the last counts. Raises `SchemaError`."""
    found = Definitions()
    for path in paths:
        reader = _read(path, warnings)
        for table in reader.tables():
            found.put((table.database, table.table), table)
            found.triggers.drop_table((table.database, table.table))
        for trigger in reader.definitions.triggers:
            found.triggers.add(trigger)
        found.charsets |= reader.definitions.charsets
    return found


def read_schema(path: str, warnings: list[str] | None = None) -> list[SchemaTable]:
    """Return the tables of a file; statements that cannot be read are added to `warnings`. Raises `SchemaError`."""
    return _read(path, [] if warnings is None else warnings).tables()


def _read(path: str, warnings: list[str]) -> _FileReader:
    with open_text(path) as read:
        statements = StatementReader(read, path)
        reader = _FileReader(path, mariadb=bool(_MARIADB.search(statements.head)))
        for statement in statements:
            reader.take(statement)
    if not reader.created:
        raise SchemaError(
            "contains no CREATE TABLE statement", file=path, hint="pass the output of mysqldump --no-data to --schema"
        )
    warnings += reader.warnings
    return reader


class _FileReader:
    """Replays the statements of one file in order."""

    def __init__(self, path: str, *, mariadb: bool) -> None:
        self.definitions = Definitions(complete=True)
        self.warnings: list[str] = []
        self.created = 0
        self._path = path
        self._session = Session(collations=Collations(mariadb=mariadb))

    def take(self, statement: SqlStatement) -> None:
        """Read one statement; add a warning where it cannot be read."""
        if b"/*M!" in statement.text:
            self._session = replace(self._session, collations=Collations(mariadb=True))
        is_trigger = _TRIGGER.match(statement.text) is not None
        if not is_trigger and not _TELLING.match(statement.text):
            return
        self.created += _CREATES.match(statement.text) is not None
        if not statement.whole:
            self._warn(statement, "it is too long")
            return
        try:
            if is_trigger:
                self._add_trigger(statement.text)
            elif statement.text[:3].lower() == b"use":
                self._session = replace(self._session, database=read_word(TokenCursor(tokens(statement.text[3:]))))
            else:
                replay(statement.text, self.definitions, self._session)
        except Unreadable as error:
            self._warn(statement, str(error))

    def _add_trigger(self, text: bytes) -> None:
        for trigger in read_trigger(text, self._session.database):
            self.definitions.triggers.add(trigger)

    def tables(self) -> list[SchemaTable]:
        """Return the tables as the last statement left them."""
        return [table for table in self.definitions.tables.values() if table is not None]

    def _warn(self, statement: SqlStatement, reason: str) -> None:
        words = " ".join(statement.text[:200].decode(errors="replace").split())
        shown = "".join(char if char.isprintable() else "?" for char in words)[:60]
        self.warnings.append(f"{self._path}: at {statement.start}: {shown!r} is not used: {reason}")
