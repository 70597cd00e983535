"""`_seq`, which orders changes and events over all logs by the logs alone, whichever run took them.

It is a number of up to 38 digits, `base_of` the log + (position << SEQ_BITS) + n: n counts the rows, or events, that
stand at one position, as many come out of a compressed event. The base has, from its upper end,

    32 bits  when the log was begun, in seconds since 1970: a server's later log, also after RESET MASTER
    30 bits  the number in the log's name, as short logs begin in the same second
     8 bits  a checksum of the server's number and the base of the name: other servers' logs of that second

and leaves 56 bits to positions and rows. 64 bits for all of it would not do: time and position alone take them.
"""

from __future__ import annotations

import zlib

from binlogcli.sources.log_names import read_log_name

SEQ_BITS = 16  # log2 of the numbers for each byte of a log: more than a byte of a log can hold rows
_NUMBER_BITS = 30
_LARGEST_NUMBER = (1 << _NUMBER_BITS) - 1
_LOG_BITS = 56
_HALF_BITS = 64


def base_of(name: str, server_id: int, created: int) -> int:
    """Return `_seq` at position 0 of a log, by its name without folder and the header of its first event."""
    parts = read_log_name(name)
    number = 0 if parts is None else min(parts.number, _LARGEST_NUMBER)
    series = f"{server_id} {name if parts is None else parts.base}".encode("utf-8", "surrogateescape")
    tag = zlib.crc32(series) & 0xFF
    return ((created << _NUMBER_BITS | number) << _HALF_BITS) + (tag << _LOG_BITS)


def created_of(sequence: int) -> int:
    """Return when the log was begun that a base, or a `_seq`, is of: in seconds since 1970."""
    return sequence >> _HALF_BITS >> _NUMBER_BITS


def halves_of(base: int) -> tuple[int, int]:
    """Return the lower and the upper 64 bits of a base."""
    return base & ((1 << _HALF_BITS) - 1), base >> _HALF_BITS
