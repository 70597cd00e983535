"""What is seen of a connection from outside, packet by packet: `capture` makes these objects, `render` shows them.

`SECRETS` are the fields whose bytes and values are never shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from binlogcli.errors import counted

SECRETS = frozenset({"auth_plugin_data", "auth_response", "auth_data", "password", "auth_plugin_data_2"})


class Place(NamedTuple):
    """Where a packet was seen."""

    number: int  # of the frame that brought its first byte
    time: int  # of that frame, in nanoseconds since the epoch
    source: str  # address and port of the sender
    target: str
    start: int  # offsets among the bytes of its direction
    end: int


class PacketField(NamedTuple):
    """A named stretch of a payload, and its value."""

    name: str
    start: int
    end: int
    value: object


@dataclass(frozen=True, slots=True)
class Message:
    """A packet that holds no event of a log: its name, its content, and where its fields are in its payload.

    `family` is that of the server, "MariaDB" or "MySQL"; "" where its greeting was not captured.
    """

    place: Place
    sequence: int
    name: str
    body: dict[str, object]
    payload: bytes = b""  # secrets overwritten
    fields: tuple[PacketField, ...] = ()
    family: str = ""


@dataclass(frozen=True, slots=True)
class SentEvent:
    """A packet that holds an event of a log."""

    place: Place
    sequence: int
    event: bytes
    semi_sync_flags: int | None


@dataclass(frozen=True, slots=True)
class Hole:
    """Bytes of a stream that are missing, or that cannot be read without the missing ones."""

    missing: int
    unread: int
    number: int  # of the frame after it; 0 at the end


def public(fields: dict[str, object]) -> dict[str, object]:
    """Return the fields with the size of each secret in the place of its value."""
    return {name: redacted(value) if name in SECRETS else value for name, value in fields.items()}


def redacted(value: object) -> str:
    """Return the words shown in place of a secret."""
    size = len(value) if isinstance(value, str | bytes) else 0
    return f"redacted, {counted(size, 'byte')}" if size else ""


def without_secrets(payload: bytes, noted: tuple[PacketField, ...], *, whole: bool) -> bytes:
    """Return a payload with its secret bytes overwritten, and with all bytes that were not read unless `whole`."""
    shown = bytearray(payload)
    for one in noted:
        if one.name in SECRETS:
            shown[one.start : one.end] = bytes(one.end - one.start)
    read = max((one.end for one in noted), default=0)
    return bytes(shown if whole else shown[:read] + bytes(len(payload) - read))
