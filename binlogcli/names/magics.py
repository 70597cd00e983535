"""The first four bytes of a log. MariaDB's encrypted logs begin as plain ones do: their events are encrypted."""

from __future__ import annotations

MAGIC = b"\xfebin"
ENCRYPTED_MAGIC = b"\xfdbin"
LOG_MAGICS = (MAGIC, ENCRYPTED_MAGIC)
