"""The changes in a log as SQL statements, and the statements that undo them."""
