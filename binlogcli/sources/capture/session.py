"""One captured connection to a MySQL or MariaDB server: the bytes of both sides become messages, events and holes.

A session that is captured from its beginning is followed through greeting, login and commands to the dump; what the two
sides agree on (compression, the form of result sets) is read from their login. Where the capture begins later, or the
client's part of the login is missing, both sides are searched: for a request that only a replica makes, and for events,
in plain and in compressed packets at once. Either tells that this is replication and which side is the server.

States go LISTENING -> LOGIN -> COMMANDS -> DUMPING; SEALED (TLS) is final. A hole never changes what the sides have
agreed on: it ends the result set or answer that was awaited.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from binlogcli.errors import DecodeError
from binlogcli.names.event_types import event_type_name
from binlogcli.sources.capture.compressed import CompressedStream
from binlogcli.sources.capture.flow import OrderedBytes
from binlogcli.sources.capture.packet_stream import LostBytes, PacketStream, SeenPacket, find_event
from binlogcli.sources.capture.recorder import MessageRecorder, noting
from binlogcli.sources.capture.signs import PARSERS, REQUESTS, brings_event, is_artificial, is_greeting, is_request
from binlogcli.sources.protocol import answers, login, messages, packets, requests, results
from binlogcli.sources.protocol.messages import Hole, SentEvent

# what a session is doing
LISTENING, _LOGIN, COMMANDS, _DUMPING, SEALED = range(5)
_MESSAGES_KEPT = 1000  # of a session that has not turned out to be replication
SMALL_LIMIT = 1 << 17  # bytes of a packet of such a session
_REPLICA_WORDS = re.compile(r"(?i)@(@global\.)?\w*(master|source|slave|replica|semi_sync|binlog)")
_ATTRIBUTES = login.CLIENT_QUERY_ATTRIBUTES
_COMPRESSION = login.CLIENT_COMPRESS | login.CLIENT_ZSTD_COMPRESSION


class _Direction:
    """The packets of one side, decompressed where the session is compressed."""

    def __init__(self, limit: int, *, synced: bool, strict: bool = False) -> None:
        self.packets = PacketStream(limit, synced=synced, strict=strict)
        self.compressed: CompressedStream | None = None

    def feed(self, run: OrderedBytes) -> Iterator[SeenPacket | LostBytes]:
        """Yield the packets that the bytes complete."""
        if self.compressed is None:
            yield from self.packets.feed(run)
            return
        for inner in self.compressed.feed(run):
            yield from self.packets.feed(inner)


class CapturedSession(MessageRecorder):
    """A session as it is seen from outside; `server` is the number of the server's side, -1 while unknown."""

    def __init__(self, addresses: tuple[str, str], limit: int) -> None:
        super().__init__(addresses)
        self.limit = SMALL_LIMIT
        self.event_limit = limit
        self.state = LISTENING
        self.replica = False
        self.directions = [_Direction(SMALL_LIMIT, synced=True), _Direction(SMALL_LIMIT, synced=True)]
        self.midway: list[tuple[PacketStream, CompressedStream, PacketStream]] = []
        self.begun = [False, False]
        self.capabilities = self.client_capabilities = 0
        self.result: list[int] | None = None  # definitions to come, rows or not: a result set is on its way
        self.awaiting = False

    # bytes in -----------------------------------------------------------------------------------------------------

    def feed(self, side: int, run: OrderedBytes) -> None:
        """Add the next bytes that one side has sent."""
        self.directions[side].packets.events = self.state == _DUMPING and side == self.server
        if self.state == SEALED:
            return
        if run.missing and self.state == _LOGIN:
            self._pass_login()
        if self.state == LISTENING and not self.listen(side, run):
            return
        found = list(self.directions[side].feed(run))
        for item in found:
            if isinstance(item, LostBytes):
                self.lost(side, item)
            elif side == self.server:
                self.from_server(item)
            else:
                self._from_client(item)
        if not self.replica and len(self.items) > _MESSAGES_KEPT:
            self.items.popleft()

    def expect_logs(self) -> None:
        """Allow packets as large as events: this is replication."""
        self.limit = self.event_limit
        for direction in self.directions:
            direction.packets.expect(self.limit)

    def finish(self, side: int, missing: int) -> None:
        """End one side, `missing` of whose last bytes were not captured; record a hole at the end of a dump."""
        if self.state == _DUMPING and side == self.server:
            waiting = self.directions[side].packets
            unread = (waiting.reader.waiting if waiting.reader else len(waiting.tail)) + waiting.unread
            missing += waiting.missing
            if missing or unread:
                self.items.append(Hole(missing, unread, 0))

    def listen(self, side: int, run: OrderedBytes) -> bool:
        """Look for a greeting, or for a replica's packets; return whether these bytes are to be read now."""
        first = not self.begun[side]
        self.begun[side] = True
        if first and not run.missing and not self.midway and is_greeting(run.data):
            self.server = side
            self.state = _LOGIN
            return True
        if not self.midway:
            self.midway = [self.watch(), self.watch()]
        return self._overhear(side, run)

    def watch(self) -> tuple[PacketStream, CompressedStream, PacketStream]:
        """Return searches for events in plain and in compressed packets."""
        plain = PacketStream(self.limit, synced=False, strict=True)
        return plain, CompressedStream(synced=False), PacketStream(self.limit, synced=False, strict=True)

    def _overhear(self, side: int, run: OrderedBytes) -> bool:
        """Look for a replica's request, or for events; return whether these bytes are to be read now."""
        if is_request(run.data):
            self.server = 1 - side
            self.state = COMMANDS
            self.directions = [_Direction(self.limit, synced=False), _Direction(self.limit, synced=False)]
            return True
        plain, compressed, inner = self.midway[side]
        for inner_run in compressed.feed(run):
            if find_event(inner_run.data) >= 0:
                self._begin_midway(side, compressed, inner)
                for item in inner.feed(inner_run):
                    self.take(item)
        if self.state == LISTENING:
            for item in plain.feed(run):
                if self.state == LISTENING:
                    self._begin_midway(side, None, plain)
                self.take(item)
        return False

    def _begin_midway(self, side: int, compressed: CompressedStream | None, stream: PacketStream) -> None:
        """Follow the session from the event that was found on."""
        self.server = side
        self.state = _DUMPING
        self.replica = True
        self.directions = [_Direction(self.limit, synced=False), _Direction(self.limit, synced=False)]
        stream.strict = False
        self.directions[side].packets = stream
        self.directions[side].compressed = compressed
        if compressed is not None:
            self.directions[1 - side].compressed = CompressedStream(synced=False)
        stream.unread = 0  # what was said before is not lost: the capture does not have it

    def take(self, item: SeenPacket | LostBytes) -> None:
        """Handle an item of the server's side found by a search."""
        if isinstance(item, SeenPacket):
            self.from_server(item)

    def lost(self, side: int, item: LostBytes) -> None:
        """Record a hole, and stop waiting for the rest of an answer."""
        self.result = None
        self.awaiting = False
        self.tell_hole(item)

    # what a client says -------------------------------------------------------------------------------------------

    def _from_client(self, seen: SeenPacket) -> None:
        """Handle a packet of the client."""
        client = 1 - self.server
        payload = seen.packet.payload
        if self.state == _LOGIN:
            self._answer_of(seen)
        elif payload[:1] == bytes([packets.SEMI_SYNC]) and len(payload) > 9:
            self.tell_parsed(seen, client, "semi-sync ACK", requests.Acknowledgement, 1)
        elif payload:
            self.command_of(seen)

    def _answer_of(self, seen: SeenPacket) -> None:
        """Record the client's part of the login, of which all but its names is secret."""
        client = 1 - self.server
        payload = seen.packet.payload
        if self.client_capabilities:
            self.tell_size(seen, client, "authentication", "auth_data")
            return
        self.client_capabilities = int.from_bytes(payload[:4], "little")
        if len(payload) == 32 and self.client_capabilities & login.CLIENT_SSL:
            self.tell(seen, client, "SSL request", None, {"capabilities": self.client_capabilities})
            self.state = SEALED
            return
        self.tell_parsed(seen, client, "handshake response", login.HandshakeResponse, 0)

    def both(self, capability: int) -> bool:
        """Whether both sides have a capability, as far as the login was captured."""
        return self.capabilities & self.client_capabilities & capability > 0

    def command_of(self, seen: SeenPacket) -> None:
        """Record a command, and remember what it makes of the session."""
        client = 1 - self.server
        payload = seen.packet.payload
        code = payload[0]
        name = requests.COMMANDS.get(code, f"command 0x{code:02x}")
        self.result = None
        self.awaiting = True
        if code in PARSERS:
            parser = (
                requests.ComQueryWithAttributes
                if code == packets.COM_QUERY and self.both(_ATTRIBUTES)
                else PARSERS[code]
            )
            said = self.tell_parsed(seen, client, name, parser, 1)
            if said is not None and code in (packets.COM_BINLOG_DUMP, packets.COM_BINLOG_DUMP_GTID):
                self.state = _DUMPING
            if code in REQUESTS or (isinstance(said, requests.ComQuery) and _REPLICA_WORDS.search(said.query)):
                self.replica = True
        elif name == "COM_CHANGE_USER":
            self.tell_size(seen, client, name, "auth_data")
        else:
            self.tell_size(seen, client, name)

    # what a server says -------------------------------------------------------------------------------------------

    def from_server(self, seen: SeenPacket) -> None:
        """Handle a packet of the server."""
        payload = seen.packet.payload
        first = payload[0] if payload else -1
        if self.state == _LOGIN:
            self._login_step(seen, first)
            return
        if self.state == COMMANDS and brings_event(payload):  # its request was not captured
            self.state = _DUMPING
            self.replica = True
        if self.state == _DUMPING and first == packets.OK:
            self.sent(seen)
        elif first == packets.ERR:
            self.tell_parsed(seen, self.server, "ERR", answers.Err, 1)
            self.result = None
        elif self.result is not None and first == packets.EOF and self.both(login.CLIENT_DEPRECATE_EOF):
            self.tell_parsed(seen, self.server, "OK", results.EndOfRows, 1)
            self.result = None
        elif answers.is_eof(payload):
            self._end_of_part(seen)
        elif self.result is not None:
            self._part_of_result(seen)
        elif first == packets.OK:
            self.tell_parsed(seen, self.server, "OK", answers.Ok, 1)
        elif self.awaiting and payload:
            self._begin_result(seen)
        else:
            self.tell_size(seen, self.server, "packet")

    def _login_step(self, seen: SeenPacket, first: int) -> None:
        """Record greeting, questions and verdict of the server before the session begins."""
        payload = seen.packet.payload
        if seen.packet.sequence == 0 and first == login.PROTOCOL_VERSION:
            greeting = self.tell_parsed(seen, self.server, "greeting", login.Greeting, 0)
            self.capabilities = greeting.capabilities if greeting is not None else 0
            if greeting is not None:
                self.family = "MariaDB" if "MariaDB" in greeting.server_version else "MySQL"
        elif first == packets.OK:
            self.tell_parsed(seen, self.server, "OK", answers.Ok, 1)
            self._logged_in()
        elif first == packets.ERR:
            self.tell_parsed(seen, self.server, "ERR", answers.Err, 1)
            self.state = COMMANDS
        elif first == packets.EOF:
            plugin = payload[1:].split(b"\0", 1)[0].decode("utf-8", "replace")
            said: dict[str, object] = {"auth_plugin_name": plugin, "auth_data": messages.redacted(payload)}
            self.tell(seen, self.server, "auth switch request", None, said)
        else:
            self.tell_size(seen, self.server, "authentication", "auth_data")

    def _logged_in(self) -> None:
        """Begin the commands, in compressed packets where both sides can."""
        if not self.client_capabilities:
            self._begin_anew()
            return
        self.state = COMMANDS
        if self.both(_COMPRESSION):
            for direction in self.directions:
                direction.compressed = CompressedStream(synced=True)
                start = direction.packets.end
                direction.packets = PacketStream(self.limit, synced=True)
                direction.packets.end = start

    def _begin_anew(self) -> None:
        """Search for events, as the client's login, and with it whether packets are compressed, is unknown."""
        self.state = LISTENING
        self.midway = [self.watch(), self.watch()]

    def _pass_login(self) -> None:
        """Continue after a hole in the login: the session has begun, or soon will."""
        if not self.client_capabilities:
            self._begin_anew()
            return
        self.state = COMMANDS
        if self.both(_COMPRESSION):
            for direction in self.directions:
                direction.compressed = CompressedStream(synced=False)
                direction.packets = PacketStream(self.limit, synced=False)

    def sent(self, seen: SeenPacket) -> None:
        """Record an event, of a log or an artificial one."""
        sent = answers.EventPacket.parse(seen.packet.payload)
        event = sent.event
        if len(event) < packets.EVENT_HEADER:
            self.tell_size(seen, self.server, "packet")
        elif is_artificial(event):
            self.artificial(seen)
        else:
            place = self.place(seen, self.server)
            self.items.append(SentEvent(place, seen.packet.sequence, event, sent.semi_sync_flags))

    def artificial(self, seen: SeenPacket) -> None:
        """Record an artificial event: one that is in no log."""
        fields, notes = noting(seen.packet.payload, 1)
        name = event_type_name(answers.EventPacket.parse(seen.packet.payload).event[4])
        try:
            said = answers.ArtificialEvent.parse(seen.packet.payload, fields).said
        except DecodeError as error:
            said = {"unread": str(error)}
        self.tell(seen, self.server, name, notes, said)

    def _begin_result(self, seen: SeenPacket) -> None:
        """Record the number of columns of a result set."""
        self.awaiting = False
        head = self.tell_parsed(seen, self.server, "column count", results.ColumnCount, 0)
        if head is not None:
            self.result = [head.column_count, 0]

    def _part_of_result(self, seen: SeenPacket) -> None:
        """Record a column's definition, or a row."""
        if self.result is not None and self.result[0] > 0:
            self.tell_parsed(seen, self.server, "column definition", results.ColumnDefinition, 0)
            self.result[0] -= 1
            return
        self.tell_parsed(seen, self.server, "row", results.ResultRow, 0)

    def _end_of_part(self, seen: SeenPacket) -> None:
        """Record the end of the definitions, of the rows, or of a dump."""
        self.tell_parsed(seen, self.server, "EOF", answers.Eof, 1)
        if self.result is not None and not self.result[1]:
            self.result[1] = 1
        else:
            self.result = None
