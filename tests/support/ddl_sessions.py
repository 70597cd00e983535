"""Sessions of random statements on a live MariaDB server, each with its binary log and the schema dump at its end."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import binlogcli
from binlogcli.events.ddl import logged_statement
from binlogcli.events.statements import Query
from binlogcli.events.tables import TableMap
from binlogcli.schema.logged_statement import LoggedStatement
from binlogcli.schema.sql.charsets import Collations
from binlogcli.schema.sql.tokens import Dialect
from binlogcli.schema.table import SchemaTable
from support.live_mariadb import MariaServer, need_program
from support.random_ddl import DdlGenerator

COLLATIONS = Collations(mariadb=True)
MARIADB = Dialect(mariadb=True, version=101100)


@dataclass
class DdlSessions:
    """Runs each session once, whoever asks for it."""

    server: MariaServer
    _run: dict[int, tuple[Path, Path]] = field(default_factory=dict)

    def run(self, seed: int) -> tuple[Path, Path]:
        """Return the log of a session, and the dump of its database as it has left it."""
        if seed not in self._run:
            text = DdlGenerator(seed).session().encode()
            subprocess.run([*self.server.client(), "--force"], input=text, capture_output=True, check=False)
            self._run[seed] = self.server.flush_logs(), self.dump(str(seed))
        return self._run[seed]

    def dump(self, name: str) -> Path:
        """Write what the server has in the database of the sessions into a file of that name."""
        dump = self.server.directory / f"{name}.sql"
        login = ["--no-defaults", f"--socket={self.server.socket}", "--user=root"]
        command = [need_program("mariadb-dump"), *login, "--no-data", "--databases", "s", f"--result-file={dump}"]
        subprocess.run(command, capture_output=True, check=True)
        return dump


def history(log: Path) -> Iterator[LoggedStatement | TableMap]:
    """Yield the statements of a session's log, and the table maps between them."""
    with binlogcli.open(str(log)) as events:
        for event in events:
            if isinstance(event, Query) and event.text not in {"BEGIN", "COMMIT"}:
                yield logged_statement(event, events.stream.context, "")
            elif isinstance(event, TableMap) and event.database == "s":
                yield event


def copies_of_temporary_tables(log: Path) -> int:
    """Return how many tables are LIKE a temporary one, whose character set no statement tells."""
    return sum(isinstance(item, LoggedStatement) and item.session.copies_temporary for item in history(log))


def with_charset(table: SchemaTable, shown: SchemaTable) -> SchemaTable:
    """Return a table whose character set is not known with the one that the server shows."""
    columns = [
        replace(column, collation=other.collation) if column.collation is None else column
        for column, other in zip(table.declared, shown.declared, strict=True)
    ]
    return replace(table, charset=table.charset or shown.charset, declared=tuple(columns))
