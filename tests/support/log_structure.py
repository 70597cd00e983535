"""Checks the form of a log byte by byte, without the program's own reader: what a server's recovery looks at."""

from __future__ import annotations

import re
import struct
import zlib
from typing import NamedTuple

from support.logs import MAGIC, raw_events

FORMAT_DESCRIPTION, START_V3, PREVIOUS_GTIDS, GTID_LIST, CHECKPOINT = 15, 1, 35, 163, 161
OF_A_PLACE = 0x01 | 0x20 | 0x40
IDS_END_STATEMENTS = (0xFFFFFF, 0xFFFFFFFF)
ROWS = {23, 24, 25, 30, 31, 32, 39, 166, 167, 168, 169, 170, 171}
TABLE_MAP, FRAGMENT = 19, 172
TEXTS = {29, 160}


class Form(NamedTuple):
    """What was found in a log: the types of its events with their bytes, and whether they have checksums."""

    kinds: list[int]
    events: list[bytes]
    checked: bool


def form_of(log: bytes) -> Form:
    """Return the form of a log of version 4; an AssertionError says what is wrong with it."""
    assert log.startswith(MAGIC)
    events = [event for _, event in raw_events(log)]
    assert events[0][4] == FORMAT_DESCRIPTION
    size = len(MAGIC)
    checked = False
    maps: set[int] = set()
    for event in events:
        kind, length, position, flags = event[4], *struct.unpack_from("<IIH", event, 9)
        size += length
        assert length == len(event)
        assert position == size & 0xFFFFFFFF
        assert flags & OF_A_PLACE == 0
        if kind == FORMAT_DESCRIPTION:
            has_algorithm = knows_checksums(event[21:71].rstrip(b"\0"))
            checked = has_algorithm and event[-5] == 1
            assert is_sealed(event) or not has_algorithm
        elif checked:
            assert is_sealed(event)
        see_rows(event, maps)
    assert size == len(log)
    return Form([event[4] for event in events], events, checked)


def knows_checksums(version: bytes) -> bool:
    """Whether format descriptions of this server have an algorithm, and a checksum of their own."""
    major, minor, rest = version.split(b".", 2)
    first = (5, 3, 0) if b"MariaDB" in version else (5, 6, 1)
    return (int(major), int(minor), int(re.match(rb"\d*", rest)[0] or 0)) >= first  # type: ignore[index]


def is_sealed(event: bytes) -> bool:
    """Whether an event ends in the checksum of the bytes before."""
    return zlib.crc32(event[:-4]) == int.from_bytes(event[-4:], "little")


def see_rows(event: bytes, maps: set[int]) -> None:
    """Rows come after a table map of their statement, which ends with STMT_END_F, and with it the maps' validity."""
    table_id = int.from_bytes(event[19:25], "little")
    if event[4] == TABLE_MAP:
        maps.add(table_id)
    elif event[4] in ROWS:
        assert table_id in maps or table_id in IDS_END_STATEMENTS
        if event[25] & 1:
            maps.clear()
    elif event[4] == FRAGMENT:  # its flags are inside
        maps.clear()
    else:
        assert not maps or event[4] in TEXTS


def content_of(event: bytes, *, checked: bool) -> bytes:
    """The bytes of an event without its position, checksum, and the flags that belong to a log."""
    flags = int.from_bytes(event[17:19], "little") & ~OF_A_PLACE
    body = event[19:-4] if checked else event[19:]
    return event[:13] + flags.to_bytes(2, "little") + body
