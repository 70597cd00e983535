"""Which tables are chosen by `--database` and `--table`, for commands that list tables and not events."""

from __future__ import annotations

from binlogcli.select.patterns import Patterns, table_pattern


class TableChoice:
    """The patterns of both options: a table is chosen that matches each of the options that were given."""

    def __init__(self, databases: tuple[str, ...], tables: tuple[str, ...]) -> None:
        patterns = tuple(map(table_pattern, tables))
        self._databases = Patterns("--database", databases) if databases else None
        self._tables = Patterns("--table", patterns, qualified=True) if patterns else None

    def takes(self, name: tuple[str, str]) -> bool:
        """Return whether a table is chosen, by its database and its own name."""
        if self._databases is not None and not self._databases.match(name[0]):
            return False
        return self._tables is None or self._tables.match(".".join(name))

    def remarks(self) -> list[str]:
        """Return a line for each pattern that matched nothing."""
        return [
            f"{patterns.option} {text}: {what}"
            for patterns, what in ((self._databases, "nothing matched"), (self._tables, "no such table"))
            if patterns is not None
            for text in patterns.texts
            if text in patterns.unmatched
        ]
