"""The annotated hexdump: every byte of every event by name, as text or as JSON."""
