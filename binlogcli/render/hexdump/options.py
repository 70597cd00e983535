"""The options of the annotated hexdump."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import tzinfo
from typing import NamedTuple

OffsetOf = Callable[[int], int]  # where in the file that it was found in is a position of a carved log


class HexOptions(NamedTuple):
    """What the user chose; `max_bytes` 0 shows all bytes, `verified`: a wrong checksum is damage for the reader."""

    width: int = 120
    fields: bool = True
    max_bytes: int = 256
    painted: bool = False
    verified: bool = True
    zone: tzinfo | None = None
    needles: Sequence[bytes] = ()
