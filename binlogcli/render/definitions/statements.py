"""Definitions as statements: a file that a client can run, and that `--schema` reads back.

The first line names the servers' family, which decides what the statements mean. Tables are named with their
databases, so that no USE is needed; comments say since when a definition holds, and what is not known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import tzinfo

from binlogcli.render.definitions.moments import place_text
from binlogcli.render.definitions.scan import DefinitionScan
from binlogcli.render.escape import visible
from binlogcli.schema.definitions import Name
from binlogcli.schema.history import LoggedColumns, TableState
from binlogcli.schema.sql.charsets import Charset
from binlogcli.schema.sql.show import create_table_statement, quoted
from binlogcli.schema.table import sequence_table

_NONE = (
    "-- No table is known: no statement in the logs defines one. Use --schema FILE for tables created before the logs."
)

_NONE_CHOSEN = "-- None of the selected tables is known."


@dataclass
class _Overview:
    """What is to be known of all tables before the first is written."""

    tables: int = 0
    known: int = 0
    mariadb: bool = False
    foreign_keys: bool = False
    uncertain: set[str] = field(default_factory=set)  # databases with tables whose character set is not known

    @classmethod
    def of(cls, tables: Iterable[tuple[Name, TableState]]) -> _Overview:
        """Return the overview of tables, none of which is kept."""
        found = cls()
        for _, state in tables:
            found.tables += 1
            if (table := state.table) is not None:
                found.known += 1
                found.mariadb |= table.mariadb
                found.foreign_keys |= bool(table.foreign_keys)
                if not table.charset:
                    found.uncertain.add(table.database)
        return found


def as_statements(
    tables: Callable[[], Iterable[tuple[Name, TableState]]], scan: DefinitionScan, zone: tzinfo | None
) -> Iterator[str]:
    """Yield the parts of the file, each with its line breaks: the tables as the scan has left them."""
    overview = _Overview.of(tables())
    yield from _head(overview, scan, zone)
    database = ""
    for name, state in tables():
        if name[0] != database and state.table is not None:
            database = name[0]
            charset = _charset(scan.catalog.default_charset(database))
            if database in overview.uncertain:
                charset = ""  # it would be that of tables whose own is not known
            yield f"\nCREATE DATABASE IF NOT EXISTS {quoted(database)}{charset};\n"
        yield "\n" + _table(name, state, zone)


def _head(overview: _Overview, scan: DefinitionScan, zone: tzinfo | None) -> Iterator[str]:
    """Yield what is before the first table."""
    family = "MariaDB" if scan.mariadb or overview.mariadb else "MySQL"
    yield f"-- {family} definitions" + (f" up to {place_text(scan.end, zone)}" if scan.end else "") + "\n"
    for gap in scan.gaps:
        yield f"-- {visible(gap)}: statements that changed definitions may be missing there\n"
    if not overview.tables:
        yield f"{_NONE if not scan.catalog.tables else _NONE_CHOSEN}\n"
    if overview.known:
        yield "SET NAMES utf8mb4;\n"
    if overview.foreign_keys:
        yield "SET foreign_key_checks = 0;\n"


def _table(name: Name, state: TableState, zone: tzinfo | None) -> str:
    """Return the statement of a table with a comment before it, or the comment alone."""
    since = "from a schema file" if state.since is None else f"since {place_text(state.since, zone)}"
    if state.table is None:
        shown = visible(".".join(quoted(part) for part in name if part))
        return f"-- {shown} is not known, {since}: {visible(state.reason)}\n" + _columns_in_log(state.logged)
    if state.table.declared == sequence_table().declared:
        return f"-- {since}\nCREATE SEQUENCE {'.'.join(quoted(part) for part in name if part)};\n"
    return f"-- {since}\n{create_table_statement(state.table)};\n"


def _columns_in_log(logged: LoggedColumns | None) -> str:
    """Return what the log says of the columns of a table that is not known, as a comment."""
    if logged is None:
        return ""
    columns = (f"{column['name']} {column['type']}" for column in logged.columns())
    return f"-- its columns in the log: {visible(', '.join(columns))}\n"


def _charset(charset: Charset) -> str:
    text = f" DEFAULT CHARACTER SET {charset.name}" if charset.name else ""
    return text + (f" COLLATE {charset.collation}" if charset.collation else "")
