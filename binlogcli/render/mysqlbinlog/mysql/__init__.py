"""The text of MySQL logs, as mysqlbinlog 9 prints it."""
