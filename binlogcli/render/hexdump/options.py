"""The options of the annotated hexdump."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import tzinfo


@dataclass(frozen=True, slots=True)
class HexOptions:
    """What the user chose; `max_bytes` 0 shows all bytes, `verified`: a wrong checksum is damage for the reader."""

    width: int = 120
    fields: bool = True
    max_bytes: int = 256
    painted: bool = False
    verified: bool = True
    zone: tzinfo | None = None
    needles: list[bytes] = field(default_factory=list)
