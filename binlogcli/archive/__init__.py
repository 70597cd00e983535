"""A server's logs kept as files, byte for byte: what `pull` writes."""
