"""Definitions as statements: a file that a client can run, and that `--schema` reads back.

The first line names the servers' family, which decides what the statements mean. Tables are named with their
databases, so that no USE is needed; comments say since when a definition holds, and what is not known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import tzinfo

from binlogcli.names.column_types import column_type_name
from binlogcli.render.definitions.moments import place_text
from binlogcli.render.definitions.scan import DefinitionScan
from binlogcli.render.escape import visible
from binlogcli.rows.table.definition import TableDefinition
from binlogcli.schema.definitions import Name
from binlogcli.schema.history import TableState
from binlogcli.schema.sql.charsets import Charset
from binlogcli.schema.sql.show import create_table_statement, quoted
from binlogcli.schema.table import sequence_table

_NONE = "-- No table is known: no statement defines one. --schema FILE gives those from before the logs."

_NONE_CHOSEN = "-- None of the chosen tables is known."


def as_statements(
    tables: Sequence[tuple[Name, TableState]], scan: DefinitionScan, zone: tzinfo | None
) -> Iterator[str]:
    """Yield the parts of the file, each with its line breaks: the tables as the scan has left them."""
    known = [state.table for _, state in tables if state.table is not None]
    family = "MariaDB" if scan.mariadb or any(table.mariadb for table in known) else "MySQL"
    yield f"-- {family} definitions" + (f" up to {place_text(scan.end, zone)}" if scan.end else "") + "\n"
    for gap in scan.gaps:
        yield f"-- {visible(gap)}: statements that changed definitions may be missing there\n"
    if not tables:
        yield f"{_NONE if not scan.catalog.tables else _NONE_CHOSEN}\n"
    if known:
        yield "SET NAMES utf8mb4;\n"
    if any(table.foreign_keys for table in known):
        yield "SET foreign_key_checks = 0;\n"
    database = ""
    for name, state in tables:
        if name[0] != database and state.table is not None:
            database = name[0]
            charset = _charset(scan.catalog.default_charset(database))
            if any(not table.charset for table in known if table.database == database):
                charset = ""  # it would be that of tables whose own is not known
            yield f"\nCREATE DATABASE IF NOT EXISTS {quoted(database)}{charset};\n"
        yield "\n" + _table(name, state, zone)


def _table(name: Name, state: TableState, zone: tzinfo | None) -> str:
    """Return the statement of a table with a comment before it, or the comment alone."""
    since = "from a schema file" if state.since is None else f"since {place_text(state.since, zone)}"
    if state.table is None:
        shown = visible(".".join(quoted(part) for part in name if part))
        return f"-- {shown} is not known, {since}: {visible(state.reason)}\n" + _columns_in_log(state.logged)
    if state.table.declared == sequence_table().declared:
        return f"-- {since}\nCREATE SEQUENCE {'.'.join(quoted(part) for part in name if part)};\n"
    return f"-- {since}\n{create_table_statement(state.table)};\n"


def _columns_in_log(logged: TableDefinition | None) -> str:
    """Return what the log says of the columns of a table that is not known, as a comment."""
    if logged is None:
        return ""
    columns = (f"{column.shown_name} {column_type_name(column.code)}" for column in logged.columns)
    return f"-- its columns in the log: {visible(', '.join(columns))}\n"


def _charset(charset: Charset) -> str:
    text = f" DEFAULT CHARACTER SET {charset.name}" if charset.name else ""
    return text + (f" COLLATE {charset.collation}" if charset.collation else "")
