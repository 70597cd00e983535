"""Definitions of tables, and the statements that changed them, as SQL, JSON and a table."""
