"""Bytes in, bytes out: the cursor and its notes, the text buffer, the JSON writer, C primitives."""
