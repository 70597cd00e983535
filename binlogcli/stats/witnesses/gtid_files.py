"""MariaDB's GTID files: the state that a server writes when it stops (.state), and the index of a log (.idx).

An index consists of pages; the last four bytes of each are its CRC32. The first page begins with a header of 12 bytes:

    fe fe 0c 01  01  00  00 00  00 10 00 00     magic, version (major, minor), reserved, page size

Each page has four bytes of flags: 1 a leaf, 2 the continuation of the page before, 4 the last page of its node, 8 the
root. The records of a leaf are a position in the log with the GTIDs that have changed since the record before:

    02 00 00 00  2b 01 00 00     number of GTIDs and one more (0: no record), position
    00 00 00 00  65 00 00 00  09 00 00 00 00 00 00 00     each GTID: domain, server, number
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator
from typing import Any

from binlogcli.gtids.text import mariadb_gtid

Read = tuple[dict[str, Any], str]  # values, and what is wrong with the file; "" for nothing

_GTID = re.compile(rb"(\d{1,10})-(\d{1,10})-(\d{1,20})")
_FILE_HEADER, _PAGE_HEADER, _CHECKSUM = 12, 4, 4
_LEAF, _CONTINUED, _ROOT = 1, 2, 8
_RECORD, _ENTRY = struct.Struct("<II"), struct.Struct("<IIQ")
_VERSION = 1
_PAGE_SIZES = range(64, (1 << 24) + 1)


def read_gtid_state(data: bytes, _file: str) -> Read:
    """Return the GTIDs of a .state file: the last one of each domain and server."""
    lines = data.split()
    gtids = [tuple(map(int, found.groups())) for line in lines if (found := _GTID.fullmatch(line))]
    problem = "" if len(gtids) == len(lines) else "has lines that are not GTIDs"
    return {"gtid_binlog_state": ",".join(mariadb_gtid(*gtid) for gtid in gtids)}, problem


class _Index:
    """What the leaves of an index say."""

    def __init__(self) -> None:
        self.records = 0
        self.first = self.last = 0  # positions
        self.state: dict[tuple[int, int], int] = {}
        self.pending = 0  # GTIDs of the last record that are in the continuation of its page

    def read(self, page: bytes, at: int) -> None:
        """Read the records of a leaf page from `at` on."""
        end = len(page) - _CHECKSUM
        while True:
            while self.pending and at + _ENTRY.size <= end:
                domain, server, number = _ENTRY.unpack_from(page, at)
                self.state[domain, server] = number
                at += _ENTRY.size
                self.pending -= 1
            if self.pending or at + _RECORD.size > end:
                return
            count, position = _RECORD.unpack_from(page, at)
            if count == 0:
                return
            at += _RECORD.size
            self.pending = count - 1
            self.records += 1
            self.first = self.first or position
            self.last = position


def _pages(data: bytes, size: int) -> Iterator[bytes]:
    for start in range(0, len(data) - size + 1, size):
        yield data[start : start + size]


def read_gtid_index(data: bytes, _file: str) -> Read:
    """Return what an index covers: positions and GTIDs of its log."""
    major, minor, size = data[4], data[5], int.from_bytes(data[8:12], "little")
    values: dict[str, Any] = {"version": f"{major}.{minor}", "page_size": size}
    if major != _VERSION or size not in _PAGE_SIZES:
        return values, f"has the unknown format {major}.{minor} with pages of {size} bytes"
    index, damaged, root = _Index(), 0, False
    for number, page in enumerate(_pages(data, size)):
        at = _FILE_HEADER if number == 0 else 0
        flags = page[at]
        if zlib.crc32(page[:-_CHECKSUM]) != int.from_bytes(page[-_CHECKSUM:], "little"):
            damaged += 1
            continue
        root = root or bool(flags & _ROOT)
        if flags & _LEAF:
            if not flags & _CONTINUED:
                index.pending = 0
            index.read(page, at + _PAGE_HEADER)
    values |= {"pages": -(-len(data) // size), "records": index.records, "complete": "yes" if root else "no"}
    values |= {"first_position": index.first, "last_position": index.last}
    values["gtids_at_last_position"] = ",".join(
        mariadb_gtid(domain, server, number) for (domain, server), number in sorted(index.state.items())
    )
    if damaged:
        return values, f"{damaged} of its pages are damaged: their checksums are wrong"
    return values, "is truncated within a page" if len(data) % size else ""
