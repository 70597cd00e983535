"""MySQL's serialization format (8.3 and newer), as GTID_TAGGED events use it."""

from __future__ import annotations

from typing import Any

from binlogcli.binary.cursor import Cursor
from binlogcli.errors import DecodeError, counted

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
SIGNED = ("gno", "last_committed", "sequence_number")


def read_varint(body: Cursor, name: str) -> int:
    """An unsigned number: the 1-bits that end its first byte count the bytes that follow."""
    start = body.need(name, 1)
    first = body.data[start]
    extra = 0
    while first >> extra & 1:
        extra += 1
    at = body.need(name, extra)
    value = body.little(at, 8) if extra == 8 else (first | body.little(at, extra) << 8) >> (extra + 1)
    body.note(name, start, value)
    return value


def read_signed_varint(body: Cursor, name: str) -> int:
    """A signed number: the lowest bit is its sign."""
    value = read_varint(body, name)
    return -(value >> 1) - 1 if value & 1 else value >> 1


def read_message(body: Cursor) -> dict[str, Any]:
    """The fields of a message by name; those not there have their default."""
    start = body.pos
    read_varint(body, "serialization_version")
    size = read_varint(body, "message_size")
    last_needed = read_varint(body, "last_non_ignorable_field_id")
    end = start + size
    if end > body.end:
        raise DecodeError(f"message_size is {size}: {counted(body.end - start, 'byte')} left")
    found: dict[str, Any] = {}
    while body.pos < end:
        number = read_varint(body, "field_id")
        if number >= len(FIELDS):
            if number <= last_needed:
                raise DecodeError(f"field {number} is unknown and not ignorable")
            body.skip("unknown", end - body.pos)
            break
        name = FIELDS[number]
        if name == "uuid":
            body.enter("uuid")
            found[name] = bytes(read_varint(body, "byte") & 0xFF for _ in range(16))
            body.leave(found[name])
        elif name == "tag":
            length = read_varint(body, "tag_length")
            if length > end - body.pos:
                raise DecodeError(f"tag_length is {length}: {counted(end - body.pos, 'byte')} left")
            found[name] = body.text("tag", length)
        elif name in SIGNED:
            found[name] = read_signed_varint(body, name)
        else:
            found[name] = read_varint(body, name)
    return found
