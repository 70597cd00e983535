"""Bytes to raw events: framing, checksums, damage, and the cursor that bodies are read with."""
