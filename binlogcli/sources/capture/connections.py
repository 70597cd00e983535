"""The TCP connections of a capture, and among them those over which logs are sent.

Frames are read on demand, once, from front to back. The connection whose log is being read (`current`) gets its
segments at once. Another one that turns out to be replication meanwhile has its segments put into a temporary file
until it is its turn. Before a connection is known for what it is, its session keeps a bounded number of messages.

Memory is bounded: by what waits for holes to be filled (`flow`), by the number of connections that are watched, of
which the longest silent is forgotten first, and by the number of replication connections at a time.
"""

from __future__ import annotations

import ipaddress
import struct
from collections import OrderedDict, deque
from collections.abc import Iterator
from typing import IO

from dpkt import tcp

from binlogcli.errors import BinlogError, SourceError, counted
from binlogcli.sources.capture.flow import HELD_LIMIT, Flow
from binlogcli.sources.capture.frames import BrokenRecord, Window, read_frames
from binlogcli.sources.capture.segments import Address, Segment, SegmentReader
from binlogcli.sources.capture.session import LISTENING, SEALED, CapturedSession
from binlogcli.sources.protocol.messages import Hole, Message, SentEvent
from binlogcli.sources.source import Source

WATCHED = 1024  # connections at once; of more, those that were silent for longest are forgotten
OVERLAPPING = 256  # replication connections at once
RECORD = struct.Struct("<BIIHQqI")  # a kept segment: side, sequence, acknowledgement, flags, frame, time, length

Item = Message | SentEvent | Hole
Key = tuple[Address, Address]


class TcpConnection:
    """One TCP connection: the flows of both sides, and the session that they carry."""

    def __init__(self, key: Key, limit: int) -> None:
        self.key = key
        self.flows = (Flow(), Flow())
        self.session = CapturedSession((written(key[0]), written(key[1])), limit)
        self.ended = [False, False]
        self.over = False
        self.kept: IO[bytes] | None = None
        self.announced = False  # what it is is known, and was reported
        self.left_out = False

    @property
    def wanted(self) -> bool:
        """Whether it is replication that is read, or will be."""
        return self.announced and not self.left_out and self.session.state != SEALED

    def take(self, segment: Segment) -> None:
        """Add a segment of either side."""
        side = 0 if segment.source == self.key[0] else 1
        flow, other = self.flows[side], self.flows[1 - side]
        seq = segment.seq
        if segment.flags & tcp.TH_SYN:
            seq += 1
            flow.begin(seq)
        if segment.flags & tcp.TH_ACK:
            other.acknowledge(segment.ack)
        if self.session.state == SEALED:
            flow.begin(seq + len(segment.data))
        elif segment.data:
            flow.add(seq, segment.data, segment.number, segment.time)
        self.pass_on(1 - side)
        self.pass_on(side)
        if segment.flags & tcp.TH_FIN and flow.position(seq + len(segment.data)) <= flow.next:
            self.ended[side] = True
        if all(self.ended) or segment.flags & tcp.TH_RST:
            self.finish()

    def pass_on(self, side: int) -> None:
        """Feed the session the bytes that are in order now."""
        for run in self.flows[side].take():
            self.session.feed(side, run)

    def expect_logs(self) -> None:
        """Raise the limits for large events, and for what waits for a hole to be filled: logs are sent here."""
        self.session.expect_logs()
        for flow in self.flows:
            flow.limit = HELD_LIMIT

    def finish(self) -> None:
        """Feed the remaining segments to the session, at the end of the capture."""
        if self.over:
            return
        self.over = True
        for side in (0, 1):
            self.flows[side].finish()
            self.pass_on(side)
            self.session.finish(side, self.flows[side].lost_at_end())

    # while another connection is read --------------------------------------------------------------------------------

    def keep(self, segment: Segment) -> None:
        """Put a segment into the connection's temporary file."""
        if self.kept is None:
            import tempfile  # only where replication connections overlap

            self.kept = tempfile.TemporaryFile()  # noqa: SIM115 - lives with the connection
        side = 0 if segment.source == self.key[0] else 1
        head = (side, segment.seq, segment.ack, segment.flags, segment.number, segment.time, len(segment.data))
        self.kept.write(RECORD.pack(*head) + segment.data)

    def kept_segments(self) -> Iterator[Segment]:
        """Yield the segments that were kept, once."""
        kept, self.kept = self.kept, None
        if kept is None:
            return
        with kept:
            kept.seek(0)
            while len(head := kept.read(RECORD.size)) == RECORD.size:
                side, seq, ack, flags, number, time, size = RECORD.unpack(head)
                source, target = self.key[side], self.key[1 - side]
                yield Segment(source, target, seq, ack, flags, kept.read(size), number, time)


class Connections:
    """Reads a capture and yields its replication connections one after another."""

    def __init__(self, source: Source, limit: int) -> None:
        self.name = source.name
        self.limit = limit
        self.window = Window(source)
        self.frames = read_frames(self.window)
        self.segments = SegmentReader()
        self.watched: OrderedDict[Key, TcpConnection] = OrderedDict()
        self.current: TcpConnection | None = None
        self.found: deque[TcpConnection] = deque()
        self.problems: deque[BinlogError] = deque()
        self.exhausted = False
        self.frame_count = self.tcp_count = self.given = self.sealed = 0

    def __iter__(self) -> Iterator[TcpConnection]:
        """Yield each connection over which a log is sent; take its items before the next one."""
        while True:
            while not self.found and self._read_on():
                pass
            if not self.found:
                return
            self.current = connection = self.found.popleft()
            self.given += 1
            yield connection
            self.current = None
            if self.watched.get(connection.key) is connection:
                del self.watched[connection.key]

    def items(self, connection: TcpConnection) -> Iterator[Item]:
        """Yield the messages, events and holes of the connection that was yielded last."""
        queue = connection.session.items
        kept = connection.kept_segments()
        while True:
            while queue:
                yield queue.popleft()
            if (segment := next(kept, None)) is not None:
                connection.take(segment)
            elif connection.over:
                return
            elif not self._read_on():
                connection.finish()

    def _read_on(self) -> bool:
        """Read one more frame; return False at the end of the capture."""
        if self.exhausted:
            return False
        try:
            frame = next(self.frames, None)
        except SourceError as error:
            self.problems.append(error)
            frame = None
        if frame is None:
            self.finish()
            return True
        if isinstance(frame, BrokenRecord):
            self.problems.append(SourceError(frame.reason, file=self.name, offset=frame.offset))
            return True
        self.frame_count += 1
        segment = self.segments.read(frame)
        if segment is not None:
            self.tcp_count += 1
            self._route(segment)
        return True

    def _route(self, segment: Segment) -> None:
        """Give a segment to its connection."""
        key = key_of(segment)
        connection = self.watched.get(key)
        opening = segment.flags & tcp.TH_SYN and not segment.flags & tcp.TH_ACK
        if connection is None or (opening and (connection.over or connection.session.state != LISTENING)):
            connection = self.watch(key, connection)
        self.watched.move_to_end(key)
        if connection.announced and connection is not self.current:
            if connection.wanted:
                connection.keep(segment)
            return
        connection.take(segment)
        self.judge(connection)

    def watch(self, key: Key, before: TcpConnection | None) -> TcpConnection:
        """Start a new connection in the place of `before`, and forget a silent one if there are too many."""
        if before is not None and before is self.current:
            before.finish()
        connection = self.watched[key] = TcpConnection(key, self.limit)
        if len(self.watched) > WATCHED:
            silent = next((known for known, other in self.watched.items() if not other.wanted), key)
            del self.watched[silent]
        return connection

    def judge(self, connection: TcpConnection) -> None:
        """Act on what a connection has turned out to be: encrypted, replication, or over."""
        session = connection.session
        if session.state == SEALED and not connection.announced:
            connection.announced = True
            self.sealed += 1
            self.problems.append(self.unreadable(session))
        if session.replica and not connection.announced:
            connection.announced = True
            connection.expect_logs()
            self.find(connection)
        if connection.over and connection is not self.current:
            self.watched.pop(connection.key, None)

    def find(self, connection: TcpConnection) -> None:
        """Queue a replication connection, or report it as left out if there are too many."""
        if len(self.found) < OVERLAPPING:
            self.found.append(connection)
            return
        connection.left_out = True
        sides = " and ".join(connection.session.addresses)
        reason = f"more than {OVERLAPPING} replication connections at the same time: that of {sides} is left out"
        hint = "split the capture: tcpdump -r FILE -w PART host ADDRESS"
        self.problems.append(SourceError(reason, file=self.name, hint=hint))

    def unreadable(self, session: CapturedSession) -> BinlogError:
        """Return what is reported of an encrypted connection."""
        asked = session.items[-1]
        sides = " > ".join((session.addresses[1 - session.server], session.addresses[session.server]))
        number = asked.number if isinstance(asked, Hole) else asked.place.number
        return SourceError(
            f"{sides}: encrypted with TLS from frame {number} on; cannot be read",
            file=self.name,
            hint="capture a connection without TLS, or read the log on the server",
        )

    def finish(self) -> None:
        """Finish all connections at the end of the capture."""
        self.exhausted = True
        for connection in list(self.watched.values()):
            if not connection.announced or connection is self.current:
                connection.finish()
                self.judge(connection)
        for link, count in self.segments.unknown_links.items():
            reason = f"{counted(count, 'frame')} of link type {link} cannot be read"
            self.problems.append(
                SourceError(reason, file=self.name, hint="capture with another link type (tcpdump -y)")
            )


def key_of(segment: Segment) -> Key:
    """Return the two sides of a segment, always in the same order."""
    return (segment.source, segment.target) if segment.source <= segment.target else (segment.target, segment.source)


def written(address: Address) -> str:
    """Return an address as it is usually written."""
    ip = ipaddress.ip_address(address[0])
    return f"[{ip}]:{address[1]}" if ip.version == 6 else f"{ip}:{address[1]}"
