"""Logs without the optional metadata of their table maps, as a server with binlog_row_metadata=NO_LOG writes them."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator

import zstandard

HEADER = 19
QUERY, FORMAT_DESCRIPTION, TABLE_MAP, TRANSACTION_PAYLOAD = 2, 15, 19, 40


def without_metadata(log: bytes, *, checksums: bool) -> bytes:
    """Return a log whose table maps end after the null bits; sizes, positions and checksums are right again.

    Compressed transactions hold the same uncompressed.
    """
    return rewritten(log, without_optional, checksums=checksums)


def without_optional(kind: int, body: bytes) -> bytes:
    """Return the body of an event without metadata of tables."""
    if kind == TABLE_MAP:
        return body[: end_of_null_bits(body)]
    return unpacked(body) if kind == TRANSACTION_PAYLOAD else body


def without_definitions(log: bytes) -> bytes:
    """Return a log of MariaDB without checksums, and without its statements: nothing tells of tables then."""
    return rewritten(log, lambda kind, body: None if kind == QUERY else body, checksums=False)


def rewritten(log: bytes, change: Callable[[int, bytes], bytes | None], *, checksums: bool) -> bytes:
    """Return a log with other bodies, without the events whose body is None; positions and checksums are right."""
    parts = [log[:4]]
    size = 4
    for event in raw_events(log, 4):
        trailer = 4 if checksums or event[4] == FORMAT_DESCRIPTION else 0
        body = change(event[4], event[HEADER : len(event) - trailer])
        if body is None:
            continue
        length = HEADER + len(body) + trailer
        size += length
        log_pos = int.from_bytes(event[13:17], "little")
        place = size if log_pos else 0
        made = event[:9] + length.to_bytes(4, "little") + place.to_bytes(4, "little") + event[17:HEADER] + body
        parts.append(made + zlib.crc32(unmarked(made)).to_bytes(4, "little") if trailer else made)
    return b"".join(parts)


def unmarked(event: bytes) -> bytes:
    """Return a format description as its checksum covers it: without LOG_EVENT_BINLOG_IN_USE_F."""
    if event[4] != FORMAT_DESCRIPTION:
        return event
    return event[:17] + bytes([event[17] & ~1]) + event[18:]


def unpacked(body: bytes) -> bytes:
    """Return the body of a payload event with its content uncompressed, and without metadata of tables."""
    fields = {}
    at = 0
    while (kind := lenenc(body, at))[0]:
        size, start = lenenc(body, kind[1])
        fields[kind[0]] = lenenc(body, start)[0]
        at = start + size
    content = zstandard.ZstdDecompressor().decompressobj().decompress(body[at + 1 :])
    parts = []
    for event in raw_events(content, 0):
        kept = event[: HEADER + end_of_null_bits(event[HEADER:])] if event[4] == TABLE_MAP else event
        parts.append(kept[:9] + len(kept).to_bytes(4, "little") + kept[13:])
    content = b"".join(parts)
    size_field = b"\xfd" + len(content).to_bytes(3, "little")
    none = b"\xfc\xff\x00"
    return b"\x02\x03" + none + b"\x03\x04" + size_field + b"\x01\x04" + size_field + b"\x00" + content


def raw_events(log: bytes, at: int) -> Iterator[bytes]:
    """Yield the bytes of each event from `at` on."""
    while at < len(log):
        length = int.from_bytes(log[at + 9 : at + 13], "little")
        yield log[at : at + length]
        at += length


def end_of_null_bits(body: bytes) -> int:
    """Return where the optional metadata begins in the body of a TABLE_MAP event."""
    at = 8  # the table's id and flags
    for _ in range(2):
        at += body[at] + 2
    count, at = lenenc(body, at)
    at += count
    size, at = lenenc(body, at)
    return at + size + (count + 7) // 8


def lenenc(data: bytes, at: int) -> tuple[int, int]:
    """Return the number of variable length at `at`, and where it ends."""
    width = {252: 2, 253: 3, 254: 8}.get(data[at])
    if width is None:
        return data[at], at + 1
    return int.from_bytes(data[at + 1 : at + 1 + width], "little"), at + 1 + width
