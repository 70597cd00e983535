"""Bytes to raw events: framing, checksums, damage, compressed content, and where transactions begin and end."""
