"""Network captures made frame by frame: connections between a replica and its server, on any link layer."""

from __future__ import annotations

import io
import ipaddress
import struct
import zlib
from collections.abc import Iterator
from typing import Any

import zstandard
from dpkt import ip, ip6, pcap, pcapng, tcp

from binlogcli.events.stream import EventStream
from binlogcli.sources.capture.logs import CapturedLog, CapturedLogs
from binlogcli.sources.protocol.answers import EventPacket
from binlogcli.sources.protocol.messages import Message, SentEvent
from binlogcli.sources.protocol.packets import frame
from binlogcli.sources.protocol.requests import BinlogDump, RegisterSlave
from support.bodies import u8
from support.logs import ARTIFICIAL, ROTATE, LogBuilder, raw_event
from support.packets import OK, greeting
from support.reading import MemorySource, events

START = 1_700_000_000
CLIENT, SERVER = ("10.0.0.2", 40000), ("10.0.0.1", 3306)
CAPABILITIES = 0x80000 | 0x8000 | 0x200  # CLIENT_PLUGIN_AUTH, CLIENT_SECURE_CONNECTION, CLIENT_PROTOCOL_41
GREETING = greeting("5.5.5-10.11.19-MariaDB-log", b"nonce-01second-nonce", 0x8DFFF7FF, mariadb_capabilities=7)
MSS = 1448


def answer(capabilities: int = CAPABILITIES, user: bytes = b"repl") -> bytes:
    """Return a client's handshake response."""
    head = capabilities.to_bytes(4, "little") + (1 << 24).to_bytes(4, "little") + b"\x21" + bytes(23)
    return head + user + b"\0\x14" + b"secret-of-20-bytes!!" + b"mysql_native_password\0"


class Capture:
    """A conversation of a client and a server as TCP segments, from which capture files are made."""

    def __init__(self, client: tuple[str, int] = CLIENT, server: tuple[str, int] = SERVER) -> None:
        self.sides = {"client": client, "server": server}
        self.seq = {"client": 1000, "server": 0xFFFFFF00}  # the server's numbers soon begin anew
        self.segments: list[tuple[Any, ...]] = []  # time, side, sequence, acknowledgement, flags, data
        self.clock = float(START)
        self.method = ""

    def other(self, side: str) -> str:
        return "server" if side == "client" else "client"

    def put(self, side: str, data: bytes = b"", flags: int = tcp.TH_ACK) -> Capture:
        """Add one segment."""
        self.clock += 0.001
        self.segments.append((self.clock, side, self.seq[side], self.seq[self.other(side)], flags, data))
        self.seq[side] = (self.seq[side] + len(data) + (1 if flags & (tcp.TH_SYN | tcp.TH_FIN) else 0)) & 0xFFFFFFFF
        return self

    def open(self) -> Capture:
        """Add the three segments that open a connection."""
        self.put("client", flags=tcp.TH_SYN).put("server", flags=tcp.TH_SYN | tcp.TH_ACK)
        return self.put("client")

    def close(self) -> Capture:
        return self.put("server", flags=tcp.TH_FIN | tcp.TH_ACK).put("client", flags=tcp.TH_FIN | tcp.TH_ACK)

    def bytes_of(self, side: str, data: bytes, size: int = MSS) -> Capture:
        """Add bytes in segments of at most `size`, and the other side's acknowledgement."""
        for at in range(0, len(data), size):
            self.put(side, data[at : at + size], tcp.TH_ACK | tcp.TH_PUSH)
        return self.put(self.other(side))

    def say(self, side: str, payload: bytes, sequence: int = 0) -> Capture:
        """Add one packet, compressed if the connection is."""
        data = frame(payload, sequence)
        return self.bytes_of(side, compressed(data, sequence, self.method) if self.method else data)

    def log_in(self, capabilities: int = CAPABILITIES) -> Capture:
        self.open().say("server", GREETING).say("client", answer(capabilities), 1).say("server", OK, 2)
        self.method = "zlib" if capabilities & 0x20 else "zstd" if capabilities & (1 << 26) else ""
        return self

    def request(self, name: str = "shop-bin.000001", pos: int = 4) -> Capture:
        self.say("client", RegisterSlave(202, "replica", "", "hidden-password", 3306).pack()).say("server", OK, 1)
        self.say("client", BinlogDump(pos, 2, 202, name).pack())
        return self.event(rotate(name, pos), 1)

    def event(self, event: bytes, sequence: int = 1, flags: int | None = None) -> Capture:
        return self.say("server", EventPacket(event, flags).pack(), sequence)

    def events(self, events: list[bytes]) -> Capture:
        """Add events without a break: packets need not begin where segments do."""
        data = b"".join(frame(EventPacket(event).pack(), at + 2) for at, event in enumerate(events))
        if not self.method:
            return self.bytes_of("server", data)
        packed = [compressed(frame(EventPacket(one).pack(), at + 2), at, self.method) for at, one in enumerate(events)]
        return self.bytes_of("server", b"".join(packed))

    # files -----------------------------------------------------------------------------------------------------------

    def frames(self, link: int = pcap.DLT_EN10MB, vlan: int = 0) -> list[tuple[float, bytes]]:
        return [(time, layered(self.packet(*rest), link, vlan)) for time, *rest in self.segments]

    def packet(self, side: str, seq: int, ack: int, flags: int, data: bytes) -> bytes:
        (source, sport), (target, dport) = self.sides[side], self.sides[self.other(side)]
        segment = tcp.TCP(sport=sport, dport=dport, seq=seq, ack=ack, flags=flags, data=data, sum=1)
        if ":" in source:
            addresses = {"src": ipaddress.ip_address(source).packed, "dst": ipaddress.ip_address(target).packed}
            return bytes(ip6.IP6(nxt=6, hlim=64, plen=len(segment), data=segment, **addresses))
        addresses = {"src": ipaddress.ip_address(source).packed, "dst": ipaddress.ip_address(target).packed}
        return bytes(ip.IP(p=6, data=segment, len=20 + len(segment), sum=1, **addresses))

    def pcap(self, **layers: int) -> bytes:
        return pcap_of(self.frames(**layers), layers.get("link", pcap.DLT_EN10MB))


def layered(packet: bytes, link: int, vlan: int = 0) -> bytes:
    """Return an IP packet in the frame of a link type."""
    kind = 0x86DD if packet[0] >> 4 == 6 else 0x0800
    tags = b"".join(struct.pack(">HH", 0x8100, 5) for _ in range(vlan))
    heads = {
        pcap.DLT_EN10MB: bytes(12) + tags + struct.pack(">H", kind),
        pcap.DLT_LINUX_SLL: bytes(14) + struct.pack(">H", kind),
        pcap.DLT_LINUX_SLL2: struct.pack(">HH", kind, 0) + bytes(16),
        pcap.DLT_NULL: struct.pack("<I", 2 if kind == 0x0800 else 24),
        108: struct.pack(">I", 2 if kind == 0x0800 else 24),
        9: b"\xff\x03\0\x21" if kind == 0x0800 else b"\xff\x03\0\x57",
        pcap.DLT_NFLOG: b"\x02\0\0\0" + struct.pack("<HHI", 8, 1, 0) + struct.pack("<HH", 4 + len(packet), 9),
    }
    return heads.get(link, b"") + packet


def pcap_of(frames: list[tuple[float, bytes]], link: int = pcap.DLT_EN10MB, *, nano: bool = False) -> bytes:
    """Return a capture file as tcpdump writes it (pcap)."""
    file = io.BytesIO()
    writer = pcap.Writer(file, snaplen=1 << 18, linktype=link, nano=nano)
    for time, data in frames:
        writer.writepkt(data, time)
    return file.getvalue()


def pcapng_of(frames: list[tuple[float, bytes]], link: int = pcap.DLT_EN10MB) -> bytes:
    """Return a capture file as Wireshark writes it (pcapng)."""
    file = io.BytesIO()
    writer = pcapng.Writer(file, snaplen=1 << 18, linktype=link)
    for time, data in frames:
        writer.writepkt(data, time)
    return file.getvalue()


def rotate(name: str, pos: int = 4) -> bytes:
    """Return an artificial rotation."""
    return raw_event(ROTATE, u8(pos) + name.encode(), flags=ARTIFICIAL)


def compressed(data: bytes, sequence: int, method: str) -> bytes:
    """Return a packet of the compressed protocol; below 50 bytes its content is not compressed."""
    if len(data) < 50:
        return len(data).to_bytes(3, "little") + bytes([sequence & 0xFF]) + bytes(3) + data
    content = zlib.compress(data) if method == "zlib" else zstandard.ZstdCompressor().compress(data)
    return len(content).to_bytes(3, "little") + bytes([sequence & 0xFF]) + len(data).to_bytes(3, "little") + content


class CapturedLogReading:
    """One log of a capture: its items, and the messages and events that its listener received."""

    def __init__(self, log: CapturedLog) -> None:
        self.name = log.log_name
        self.label = log.name
        self.messages: list[Message] = []
        self.sent_events: list[SentEvent] = []
        log.listener = self
        self.items: list[Any] = list(EventStream(log))

    def message(self, message: Message) -> None:
        self.messages.append(message)

    def sent(self, event: SentEvent) -> None:
        self.sent_events.append(event)


class CaptureReading:
    """What the program reads from a capture: logs, problems, figures."""

    def __init__(self, data: bytes, max_event_size: int = 1 << 30) -> None:
        self.captured = CapturedLogs(MemorySource(data, chunk=1000, stream=True), max_event_size)
        self.logs = list(self._logs())
        self.problems = [problem.line() for problem in self.captured.problems()]
        self.figures = self.captured.figures

    def _logs(self) -> Iterator[CapturedLogReading]:
        for log in self.captured:
            yield CapturedLogReading(log)

    @property
    def items(self) -> list[Any]:
        return [item for log in self.logs for item in log.items]

    @property
    def messages(self) -> list[Message]:
        return [message for log in self.logs for message in log.messages]


def places(items: list[Any]) -> list[tuple[int, int, bytes]]:
    """Return the start, the end and the bytes of each event."""
    return [(event.start, event.end, event.raw) for event in events(items)]


def a_capture(log: LogBuilder, **more: Any) -> Capture:
    """Return a capture of one replica that logs in, asks for a log and is sent the whole of it."""
    return Capture(**more).log_in().request().events(log.events()).close()
