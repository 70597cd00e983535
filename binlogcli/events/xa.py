"""Identifiers of XA transactions in one form, and the statements that end them."""

from __future__ import annotations

import re

from binlogcli.events.transactions import xid_text

_ENDING = re.compile(
    rb"\s*xa\s+(commit|rollback)\s+(?:x'((?:[0-9a-f]{2})*)'|0x((?:[0-9a-f]{2})+))\s*,\s*(?:x'((?:[0-9a-f]{2})*)'|0x((?:[0-9a-f]{2})+))"
    rb"\s*,\s*([0-9]+)\s*\Z",
    re.IGNORECASE,
)


def xa_text(format_id: int, gtrid: bytes, bqual: bytes) -> str:
    """Return an identifier as text that is equal for what XA PREPARE (signed) and XA COMMIT (unsigned) have of it."""
    return xid_text(format_id & 0xFFFFFFFF, gtrid, bqual)


def ended_xa(statement: bytes) -> tuple[str, bool] | None:
    """Return which XA transaction a statement ends, as `xa_text`, and whether it commits; None for other statements."""
    found = _ENDING.match(statement)
    if found is None:
        return None
    gtrid = bytes.fromhex((found[2] or found[3] or b"").decode())
    bqual = bytes.fromhex((found[4] or found[5] or b"").decode())
    return xa_text(int(found[6]), gtrid, bqual), found[1].lower() == b"commit"
