"""--print-table-metadata."""

from __future__ import annotations

from binlogcli.rows.table import TableDefinition


def mariadb_metadata(definition: TableDefinition) -> bytes:
    """The columns as mariadb-binlog shows them."""
    return b""


def mysql_metadata(definition: TableDefinition, *, hidden_key: bool) -> bytes:
    """The columns as mysqlbinlog shows them."""
    return b""
