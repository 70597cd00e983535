"""The text of row events: rows as pseudo-SQL, column types, table metadata, base64."""
