"""What was seen of a connection, as messages: the fields of a packet by name, secrets overwritten."""

from __future__ import annotations

from collections import deque
from dataclasses import asdict

from binlogcli.binary.cursor import Cursor
from binlogcli.binary.notes import Notes
from binlogcli.errors import DecodeError, counted
from binlogcli.sources.capture.packet_stream import LostBytes, SeenPacket
from binlogcli.sources.protocol import messages, packets
from binlogcli.sources.protocol.messages import Hole, Message, PacketField, Place, SentEvent
from binlogcli.sources.protocol.parsing import Packet_co, PacketParser


class MessageRecorder:
    """Collects messages, events and holes of a connection; its two sides are numbered 0 and 1 as in `addresses`."""

    def __init__(self, addresses: tuple[str, str]) -> None:
        self.addresses = list(addresses)
        self.server = -1  # which of them is the server
        self.family = ""  # of the server, as its greeting has it
        self.items: deque[Message | SentEvent | Hole] = deque()

    def place(self, seen: SeenPacket, side: int) -> Place:
        """Return where a packet was seen that `side` has sent."""
        start, end = seen.packet.start, seen.packet.end
        return Place(seen.number, seen.time, self.addresses[side], self.addresses[1 - side], start, end)

    def tell(self, seen: SeenPacket, side: int, name: str, notes: Notes | None, body: dict[str, object]) -> None:
        """Add a message; without notes of its fields none of its bytes are shown."""
        noted = fields_of(notes) if notes is not None else ()
        payload = seen.packet.payload
        if noted and noted[0].start == 1:
            first = "status" if side == self.server else "command"
            first = "semi_sync_indicator" if payload[0] == packets.SEMI_SYNC else first
            noted = (PacketField(first, 0, 1, payload[0]), *noted)
        noted = tuple(one._replace(value=None) if one.name in messages.SECRETS else one for one in noted)
        clean = messages.without_secrets(payload, noted, whole=notes is not None and "unread" not in body)
        self.items.append(Message(self.place(seen, side), seen.packet.sequence, name, body, clean, noted, self.family))

    def tell_size(self, seen: SeenPacket, side: int, name: str, what: str = "size") -> None:
        """Add a message of which only the size may be shown, or is known."""
        size = len(seen.packet.payload)
        shown = f"redacted, {counted(size, 'byte')}" if what in messages.SECRETS else size
        self.tell(seen, side, name, None, {what: shown})

    def tell_parsed(
        self, seen: SeenPacket, side: int, name: str, parser: PacketParser[Packet_co], start: int
    ) -> Packet_co | None:
        """Add a message of a known kind and return its content; None where it cannot be parsed."""
        fields, notes = noting(seen.packet.payload, start)
        try:
            said = parser.parse(seen.packet.payload, fields)
        except DecodeError as error:
            self.tell(seen, side, name, notes, {"unread": str(error)})
            return None
        self.tell(seen, side, name, notes, messages.public(asdict(said)))
        return said

    def tell_hole(self, item: LostBytes) -> None:
        """Add missing bytes."""
        self.items.append(Hole(item.missing, item.unread, item.number))


def noting(payload: bytes, start: int) -> tuple[Cursor, Notes]:
    """Return a cursor that reads a payload from `start` on, and the notes it takes."""
    cursor, notes = Cursor(payload, start), Notes()
    cursor.listen(notes)
    return cursor, notes


def fields_of(notes: Notes) -> tuple[PacketField, ...]:
    """Return the fields that were noted; those of packets have none inside."""
    return tuple(PacketField(str(one.name), one.start, one.end, one.value) for one in notes.tree())
