"""One reader per storage format: from the bytes of a value to a number, a moment, or a range of bytes."""
