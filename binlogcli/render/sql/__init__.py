"""What happened as SQL statements, and the statements that take it back."""
