"""The content of a TABLE_MAP event: a table's columns, their types, and its optional metadata."""
