"""What a TABLE_MAP event says of a table: its columns, their types, and its optional metadata."""
