"""Table definitions from SQL: CREATE TABLE statements, as dumps hold them, to columns."""
