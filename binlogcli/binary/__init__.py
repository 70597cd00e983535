"""Bytes in, bytes out: cursor, notes of what it read, text buffer, JSON writer, C primitives."""
