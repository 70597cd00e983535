"""The logs that were sent over the connections of a capture: one for each file that a server sent on a connection.

A connection's items (`session`) come in the order in which they were seen: messages, events, holes. They are cut into
logs at the artificial ROTATE that names the next file, and at a format description after a hole, where that ROTATE was
not captured. A log's name is that of the ROTATE before its first event; where that was not captured, the name that
follows that of the log before, or else one that a message some items ahead mentions.

An event keeps its position in the server's file: its end position, which has 32 bits, is continued from that of the
event before. Missing bytes become the gap before the next event. Packets that hold no event of a log go to the log's
listener, each before the event that comes after it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator

from binlogcli.errors import BinlogError, SourceError, counted
from binlogcli.names.event_types import FORMAT_DESCRIPTION_EVENT
from binlogcli.sources.capture.connections import Connections, Item, TcpConnection
from binlogcli.sources.log_names import SERVER_DIGITS, read_log_name
from binlogcli.sources.protocol.messages import Hole, Message, SentEvent
from binlogcli.sources.protocol.packets import LOG_START
from binlogcli.sources.source import LogPiece, PiecedSource, Source, WireSource
from binlogcli.sources.wire_figures import WireFigures

_ROTATE_NAME = "ROTATE_EVENT"
HEARTBEATS = ("HEARTBEAT_LOG_EVENT", "HEARTBEAT_LOG_EVENT_V2")
_ACK_NAME = "semi-sync ACK"
MASK32 = 0xFFFFFFFF
NANOSECONDS = 1e9
_WAITING_ACKS = 1 << 12
_LOOKED_AHEAD = 4096  # items, and bytes, among which the name of a log is looked for where none was captured
_LOOKED_BYTES = 1 << 22
_GTID_REQUESTS = ("COM_BINLOG_DUMP_GTID",)
_HEAD_ROOM = 64  # what stands around an event in its packet


class CapturedLog(WireSource, PiecedSource):
    """What was sent of one log over one connection; to be read to its end before the next one is asked for."""

    def __init__(self, conversation: Conversation, log_name: str) -> None:
        super().__init__(f"{conversation.capture}:{log_name or conversation.server}")
        self.log_name = log_name
        self.figures = conversation.figures
        self.wire_name = conversation.capture
        self.conversation = conversation
        self.expected = LOG_START  # where the next event should stand
        self.placed = False  # whether that is known
        self.described = False
        self.hole: Hole | None = None

    def call_before_waiting(self, call: Callable[[], None]) -> None:
        """Have `call` called before the capture is read on, which may still be growing."""
        self.conversation.window.on_wait = call

    def close(self) -> None:
        """Read the rest of the log, so that the next one can begin."""
        while self.next_piece() is not None:
            pass

    def next_piece(self) -> LogPiece | None:
        """Return the next event; pass the messages before it to the listener."""
        conversation = self.conversation
        while (item := conversation.peek()) is not None:
            if isinstance(item, SentEvent):
                if self.described and item.event[4] == FORMAT_DESCRIPTION_EVENT and self._begins_another(item.event):
                    break
                conversation.take()
                return self._piece_of(item)
            if isinstance(item, Message) and item.name == _ROTATE_NAME and not self.follow(item):
                break
            conversation.take()
            if isinstance(item, Hole):
                self.lose(item)
            else:
                self.tell(item)
        return self.rest()

    def follow(self, rotate: Message) -> bool:
        """Take the position that an artificial ROTATE announces; return False where it begins another log."""
        name = str(rotate.body.get("log_name", ""))
        if (self.described or self.placed) and name != self.log_name:
            return False
        position = rotate.body.get("position")
        if isinstance(position, int) and position > LOG_START and not self.placed:
            self.expected = position
        return True

    def _begins_another(self, event: bytes) -> bool:
        """Whether a format description is that of another log, whose rotation was not captured."""
        return self.hole is not None and int.from_bytes(event[13:17], "little") != 0

    def tell(self, message: Message) -> None:
        """Count a packet that holds no event of the log, and pass it to the listener."""
        self.conversation.count(message)
        if self.listener is not None:
            self.listener.message(message)

    def lose(self, hole: Hole) -> None:
        """Add a hole to what is missing before the next event."""
        if self.hole is not None:
            hole = Hole(self.hole.missing + hole.missing, self.hole.unread + hole.unread, hole.number)
        self.hole = hole

    def _piece_of(self, item: SentEvent) -> LogPiece:
        """Return an event at its place, with what is missing before it."""
        self.conversation.arrived(item)
        if self.listener is not None:
            self.listener.sent(item)
        start = self.place_of(item.event)
        expected, self.expected = self.expected, start + len(item.event)
        hole, self.hole = self.hole, None
        if hole is None:
            return LogPiece(start, item.event)
        return LogPiece(start, item.event, reason_of(hole), expected if self.described or self.placed else start)

    def place_of(self, event: bytes) -> int:
        """Return where the event begins in the server's file, by its end position and that of the event before."""
        size = len(event)
        log_pos = int.from_bytes(event[13:17], "little")
        if event[4] == FORMAT_DESCRIPTION_EVENT:
            self.described = True
            return log_pos - size if log_pos > size else LOG_START
        if log_pos == 0:
            return self.expected
        if not self.placed and not self.described:
            self.placed = True
            return max(log_pos - size, 0)
        self.placed = True
        distance = (log_pos - size - self.expected) & MASK32
        return max(self.expected + (distance if distance <= MASK32 >> 1 else distance - MASK32 - 1), 0)

    def rest(self) -> LogPiece | None:
        """Return what is missing at the end as a piece without events; None where nothing is."""
        hole, self.hole = self.hole, None
        return None if hole is None else LogPiece(self.expected, b"", reason_of(hole), self.expected)


class Conversation:
    """The items of one connection, some of which may be looked at before they are taken."""

    def __init__(self, logs: CapturedLogs, connection: TcpConnection) -> None:
        session = connection.session
        self.window = logs.connections.window
        self.server = session.addresses[max(session.server, 0)]
        self.capture = logs.source.name
        self.figures = logs.figures
        self.items = logs.connections.items(connection)
        self.ahead: deque[Item] = deque()
        self.unacknowledged: dict[int, int] = {}  # when the events came that are to be acknowledged, by end position

    def peek(self) -> Item | None:
        """Return the next item without taking it; None at the end."""
        if not self.ahead:
            item = next(self.items, None)
            if item is None:
                return None
            self.ahead.append(item)
        return self.ahead[0]

    def take(self) -> None:
        """Drop the item that `peek` returned."""
        self.ahead.popleft()

    def log_name(self, before: str) -> str:
        """Return the name of the log of the next event, as the ROTATE before it says.

        Where that was not captured: the name after `before`, or one that a later message mentions; "" where there is
        none.
        """
        found, sent = following(before), False
        for item in self.coming():
            if isinstance(item, SentEvent):
                sent = True
            elif _is_rotate(item) and not sent:
                return _named_by(item)
            else:
                found = found or _named_by(item)
            if sent and found:
                break
        return found

    def coming(self) -> Iterator[Item]:
        """Yield the items ahead without taking them, up to the limits on their number and size."""
        size = 0
        for at in range(_LOOKED_AHEAD):
            if at == len(self.ahead):
                item_after = next(self.items, None)
                if item_after is None:
                    return
                self.ahead.append(item_after)
            item = self.ahead[at]
            size += len(item.event) if isinstance(item, SentEvent) else 0
            yield item
            if size > _LOOKED_BYTES:
                return

    def logs(self) -> Iterator[CapturedLog]:
        """Yield what was sent of each log."""
        name = ""
        while self.peek() is not None:
            name = self.log_name(name)
            log = CapturedLog(self, name)
            yield log
            log.close()

    # figures ----------------------------------------------------------------------------------------------------------

    def arrived(self, item: SentEvent) -> None:
        """Count an event, and the time from its writing to its arrival."""
        figures = self.figures
        figures.events += 1
        written = int.from_bytes(item.event[:4], "little")
        if written:
            delay = max(item.place.time / NANOSECONDS - written, 0.0)
            figures.delay_sum += delay
            figures.delay_max = max(figures.delay_max, delay)
        if item.semi_sync_flags and len(self.unacknowledged) < _WAITING_ACKS:
            self.unacknowledged[int.from_bytes(item.event[13:17], "little")] = item.place.time

    def count(self, message: Message) -> None:
        """Count heartbeats and acknowledgements."""
        if message.name in HEARTBEATS:
            self.figures.heartbeats += 1
        elif message.name == _ACK_NAME:
            position = message.body.get("log_file_pos")
            came = self.unacknowledged.pop(position & MASK32, None) if isinstance(position, int) else None
            if came is not None:
                self.figures.acknowledged(max(message.place.time - came, 0) / NANOSECONDS)


class CapturedLogs:
    """All logs of a capture, connection after connection."""

    def __init__(self, source: Source, max_event_size: int) -> None:
        self.source = source
        self.figures = WireFigures()
        self.connections = Connections(source, max_event_size + _HEAD_ROOM)
        self.replicas: set[tuple[str, str]] = set()

    def __iter__(self) -> Iterator[CapturedLog]:
        for connection in self.connections:
            conversation = Conversation(self, connection)
            self.count(connection)
            yield from conversation.logs()

    def count(self, connection: TcpConnection) -> None:
        """Count a connection from the address of an earlier replica to the same server as a reconnect."""
        session = connection.session
        pair = (session.addresses[1 - session.server].rpartition(":")[0], session.addresses[session.server])
        if pair in self.replicas:
            self.figures.reconnects += 1
        self.replicas.add(pair)

    def problems(self) -> list[BinlogError]:
        """Return what could not be read since the last call."""
        found = list(self.connections.problems)
        self.connections.problems.clear()
        return found

    @property
    def found_any(self) -> bool:
        """Whether there was any replication that could be read."""
        return self.connections.given > 0

    def refuse_what_has_none(self) -> None:
        """Raise `SourceError` if the capture holds no log and nothing else was reported as the reason."""
        if self.found_any or self.connections.sealed:
            return
        seen = f"{counted(self.connections.frame_count, 'frame')}, {self.connections.tcp_count} of them TCP"
        raise SourceError(
            f"the capture contains no readable replication traffic ({seen})",
            file=self.source.name,
            hint="capture the server's port with complete packets: tcpdump -s 0 -w FILE tcp port 3306",
        )


def _is_rotate(item: Item) -> bool:
    """Whether this is an artificial rotation."""
    return isinstance(item, Message) and item.name == _ROTATE_NAME


def _named_by(item: Item) -> str:
    """Return the log that a request, rotation, heartbeat or acknowledgement names; "" for other items."""
    if not isinstance(item, Message) or item.name in _GTID_REQUESTS:  # there the name is ignored
        return ""
    return next((str(item.body[key]) for key in ("log_name", "log_file_name", "log_ident") if item.body.get(key)), "")


def reason_of(hole: Hole) -> str:
    """Return the words for missing bytes."""
    where = f" before frame {hole.number}" if hole.number else " at the end of the connection"
    parts = []
    if hole.missing:
        were = "was" if hole.missing == 1 else "were"
        parts.append(f"{counted(hole.missing, 'byte')} of the stream {were} not captured")
    if hole.unread:
        parts.append(f"{counted(hole.unread, 'byte')} could not be read{' without them' if hole.missing else ''}")
    return ", ".join(parts) + where


def following(name: str) -> str:
    """Return the name of the log after `name`, as servers count; "" where they give no such names."""
    parts = read_log_name(name)
    return parts.with_number(parts.number + 1) if parts is not None and len(parts.digits) in SERVER_DIGITS else ""
