"""Encrypted logs read as plain ones."""
