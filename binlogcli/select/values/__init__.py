"""Rows chosen by the values in them: the expression of `--where`, the patterns of `--grep`."""
