"""Encrypted logs read as plain ones: a source of encrypted bytes becomes a source of plain ones."""
