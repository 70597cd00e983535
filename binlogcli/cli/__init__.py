"""The command line: one file per command, shared options, and the one place where errors become lines and statuses."""
