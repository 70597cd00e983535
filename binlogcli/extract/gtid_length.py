"""The length of a transaction, which MySQL 8.0 and newer write into its GTID event: set anew where events are left out.

The field is of variable length, as is the length of the message that a GTID with a tag is.
"""

from __future__ import annotations

import struct

from binlogcli.binary.records import RECORD
from binlogcli.events.again.noted import EventNoter
from binlogcli.events.event import Event
from binlogcli.log.context import LogContext
from binlogcli.names.event_types import GTID_TAGGED_LOG_EVENT

LengthFields = tuple[int, int, int, int]  # transaction_length from, to; message_size from, to, or zeros
_LENGTH_AT = 9  # of the event, in its header


def find_length_fields(event: Event, context: LogContext) -> LengthFields | None:
    """Return where a GTID event has the length of its transaction; None if it has none."""
    noter = EventNoter()
    noter.note(event, context)
    notes = noter.notes
    found = {}
    for index in range(notes.count):
        start, end = (int(notes.numbers[index * RECORD + at]) - event.at for at in (0, 1))
        found[notes.names[index]] = (start, end)
    if "transaction_length" not in found:
        return None
    tagged = event.type_code == GTID_TAGGED_LOG_EVENT
    return (*found["transaction_length"], *(found["message_size"] if tagged else (0, 0)))


def with_length(gtid: bytes, fields: LengthFields, others: int) -> bytes:
    """Return a GTID event that says how long its transaction is: itself, and `others` bytes of events after it."""
    start, end, size_start, size_end = fields
    tagged = size_end > 0
    total = others + len(gtid)
    while True:
        length = _varint(total) if tagged else _lenenc(total)
        made = gtid[:start] + length + gtid[end:]
        if tagged:
            made = _with_message_size(made, len(made) - len(gtid), size_start, size_end)
        if others + len(made) == total:
            break
        total = others + len(made)
    return made[:_LENGTH_AT] + struct.pack("<I", len(made)) + made[_LENGTH_AT + 4 :]


def _with_message_size(event: bytes, growth: int, start: int, end: int) -> bytes:
    """Return an event with a message that is longer by `growth` bytes, and by what its own size then takes."""
    size = max(_read_varint(event[start:end]) + growth, 0)  # damaged, it can be anything
    width = end - start
    encoded = _varint(size)
    while len(encoded) != width:
        width = len(encoded)
        encoded = _varint(max(size + width - (end - start), 0))
    return event[:start] + encoded + event[end:]


def _lenenc(number: int) -> bytes:
    """Return a number as MySQL's packed integer."""
    if number < 251:
        return bytes([number])
    for head, size in ((0xFC, 2), (0xFD, 3), (0xFE, 8)):
        if number < 1 << 8 * size:
            return bytes([head]) + number.to_bytes(size, "little")
    raise OverflowError(number)


def _varint(number: int) -> bytes:
    """Return a number in MySQL's serialization: as many 1-bits as bytes follow, a 0, and the number."""
    for size in range(1, 9):
        if number < 1 << 7 * size:
            return (number << size | (1 << size - 1) - 1).to_bytes(size, "little")
    return b"\xff" + number.to_bytes(8, "little")


def _read_varint(data: bytes) -> int:
    """Return the number that `_varint` wrote."""
    return int.from_bytes(data, "little") >> len(data) if len(data) < 9 else int.from_bytes(data[1:], "little")
