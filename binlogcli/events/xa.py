"""The id of an XA transaction as SQL and reports write it."""

from __future__ import annotations


def xid_text(format_id: int, gtrid: bytes, bqual: bytes) -> str:
    """Return X'gtrid',X'bqual',format_id with lower-case hex digits, as XA RECOVER and the servers' tools print it."""
    return f"X'{gtrid.hex()}',X'{bqual.hex()}',{format_id}"
