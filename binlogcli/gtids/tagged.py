"""The body of GTID_TAGGED events: a message in MySQL's serialization format (8.3 and newer).

    serialization_version, message_size, last_non_ignorable_field_id, then field_id and value of each field in order

All numbers are of variable length: as many bytes follow the first one as it has 1-bits at its low end. Fields that have
their default are left out.
"""

from __future__ import annotations

from typing import NamedTuple

from binlogcli.binary.cursor import Cursor
from binlogcli.errors import DecodeError, counted
from binlogcli.gtids.encoding import read_tag

FIELDS = (
    "gtid_flags",
    "uuid",
    "gno",
    "tag",
    "last_committed",
    "sequence_number",
    "immediate_commit_timestamp",
    "original_commit_timestamp",
    "transaction_length",
    "immediate_server_version",
    "original_server_version",
    "commit_group_ticket",
)
_UUID_SIZE = 16
_SIGNED = ("gno", "last_committed", "sequence_number")


class TaggedFields(NamedTuple):
    """The fields of a message; `numbers` has all but UUID and tag under their names, without those left out."""

    uuid: bytes
    tag: str
    numbers: dict[str, int]


def _read_varint(body: Cursor, name: str) -> int:
    start = body.need(name, 1)
    first = body.data[start]
    extra = 0
    while first >> extra & 1:
        extra += 1
    at = body.need(name, extra)
    value = body.little(at, 8) if extra == 8 else (first | body.little(at, extra) << 8) >> (extra + 1)
    body.note(name, start, value)
    return value


def _read_signed_varint(body: Cursor, name: str) -> int:
    value = _read_varint(body, name)  # the lowest bit is the sign
    return -(value >> 1) - 1 if value & 1 else value >> 1


def read_message(body: Cursor) -> TaggedFields:
    """Read a message; bytes after a field of an unknown number are skipped, if the message allows that."""
    start = body.pos
    _read_varint(body, "serialization_version")
    size = _read_varint(body, "message_size")
    last_needed = _read_varint(body, "last_non_ignorable_field_id")
    end = start + size
    if end > body.end:
        raise DecodeError(f"message_size is {size}: {counted(body.end - start, 'byte')} left")
    sid, tag = bytes(_UUID_SIZE), ""
    numbers: dict[str, int] = {}
    while body.pos < end:
        number = _read_varint(body, "field_id")
        if number >= len(FIELDS):
            if number <= last_needed:
                raise DecodeError(f"field {number} is unknown and cannot be ignored")
            body.skip("unknown", end - body.pos)
            break
        name = FIELDS[number]
        if name == "uuid":
            body.enter("uuid")
            sid = bytes(_read_varint(body, "byte") & 0xFF for _ in range(_UUID_SIZE))
            body.leave(sid)
        elif name == "tag":
            length = _read_varint(body, "tag_length")
            if length > end - body.pos:
                raise DecodeError(f"tag_length is {length}: {counted(end - body.pos, 'byte')} left")
            tag = read_tag(body, length)
        elif name in _SIGNED:
            numbers[name] = _read_signed_varint(body, name)
        else:
            numbers[name] = _read_varint(body, name)
    return TaggedFields(sid, tag, numbers)
