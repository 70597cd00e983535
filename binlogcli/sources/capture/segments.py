"""TCP segments out of captured frames: link layers, VLAN tags, IPv4 with its fragments, IPv6."""

from __future__ import annotations

import struct
from typing import Any, NamedTuple

import dpkt
from dpkt import ethernet, ip, ip6, loopback, pcap, sll, sll2, tcp

from binlogcli.sources.capture.frames import Frame

_RAW_IP = (12, 14, pcap.DLT_IPV4, pcap.DLT_IPV6, 101)
# the header of a link type's frames, which `dpkt` reads together with all that it carries
_LAYERS = {
    pcap.DLT_EN10MB: ethernet.Ethernet,
    pcap.DLT_LINUX_SLL: sll.SLL,
    pcap.DLT_LINUX_SLL2: sll2.SLL2,
    pcap.DLT_NULL: loopback.Loopback,
    108: loopback.Loopback,  # LOOP, which dpkt numbers by the system it runs on
}
_NFLOG_HEAD, _NFLOG_PAYLOAD = 4, 9
_PPP_LINKS = {9: (b"\xff\x03", 4), 50: (b"", 4), 104: (b"", 4)}  # PPP, PPP_SERIAL, C_HDLC: what leads to the packet
_SHORTEST_IP = 20
_FRAGMENTS_KEPT = 256  # packets in pieces that wait for the rest
_LARGEST_PACKET = 1 << 16
# what dpkt raises for bytes that are not what they claim to be
_BROKEN = (dpkt.Error, struct.error, ValueError, IndexError, KeyError, TypeError, AttributeError, RecursionError)

Address = tuple[bytes, int]


class Segment(NamedTuple):
    """A TCP segment with the frame that brought it."""

    source: Address
    target: Address
    seq: int
    ack: int
    flags: int
    data: bytes
    number: int  # of the frame
    time: int


class SegmentReader:
    """Turns frames into segments; counts the frames of unknown link types."""

    def __init__(self) -> None:
        self.fragments: dict[tuple[bytes, bytes, int], _Fragments] = {}
        self.unknown_links: dict[int, int] = {}

    def read(self, frame: Frame) -> Segment | None:
        """Return the segment in a frame; None where it holds none."""
        try:
            packet = self._packet_of(frame)
            if isinstance(packet, ip.IP):
                segment = self.whole(packet) if packet.p == ip.IP_PROTO_TCP else None
            else:
                segment = packet.data if isinstance(packet, ip6.IP6) else None
            if not isinstance(segment, tcp.TCP):
                return None
            source, target = (packet.src, segment.sport), (packet.dst, segment.dport)
            data = bytes(segment.data)
            return Segment(source, target, segment.seq, segment.ack, segment.flags, data, frame.number, frame.time)
        except _BROKEN:
            return None

    def _packet_of(self, frame: Frame) -> Any:
        """Return the IP packet in a frame; None for an unknown link type."""
        link, data = frame.link, frame.data
        if link in _LAYERS:
            layer = _LAYERS[link](data).data
            while isinstance(layer, ethernet.Ethernet):
                layer = layer.data
            return layer
        if link in _RAW_IP:
            return _packet_in(data)
        if link == pcap.DLT_NFLOG:
            return _packet_in(_nflog_payload(data))
        if link in _PPP_LINKS:
            start, size = _PPP_LINKS[link]
            return _packet_in(data[size if data.startswith(start) else size - len(start) :])
        self.unknown_links[link] = self.unknown_links.get(link, 0) + 1
        return None

    def whole(self, packet: ip.IP) -> object:
        """Return what an IP packet carries; None for a fragment, unless it completes its packet."""
        if not packet.mf and not packet.offset:
            return packet.data
        key = (packet.src, packet.dst, packet.id)
        if key not in self.fragments and len(self.fragments) >= _FRAGMENTS_KEPT:
            self.fragments.pop(next(iter(self.fragments)))
        fragments = self.fragments.setdefault(key, _Fragments())
        fragments.add(packet.offset * 8, bytes(packet.data), last=not packet.mf)
        content = fragments.content()
        if content is None:
            return None
        del self.fragments[key]
        return tcp.TCP(content)


class _Fragments:
    """The fragments of one IP packet."""

    def __init__(self) -> None:
        self.pieces: dict[int, bytes] = {}
        self.size = -1

    def add(self, offset: int, data: bytes, *, last: bool) -> None:
        """Add a fragment."""
        if offset + len(data) > _LARGEST_PACKET:
            return
        self.pieces[offset] = data
        if last:
            self.size = offset + len(data)

    def content(self) -> bytes | None:
        """Return the packet's content; None while fragments are missing."""
        if self.size < 0:
            return None
        content = b""
        for offset in sorted(self.pieces):
            if offset > len(content):
                return None
            content += self.pieces[offset][len(content) - offset :]
        return content if len(content) >= self.size else None


def _packet_in(data: bytes) -> Any:
    """Return the IP packet of either version in the bytes; None where they are too few."""
    if len(data) < _SHORTEST_IP:
        return None
    return ip6.IP6(data) if data[0] >> 4 == 6 else ip.IP(data)


def _nflog_payload(data: bytes) -> bytes:
    """Return the packet in a frame of Linux's NFLOG: fields of length and type, in the machine's byte order."""
    at = _NFLOG_HEAD
    while at + 4 <= len(data):
        size, kind = struct.unpack_from("<HH", data, at)
        if kind == _NFLOG_PAYLOAD:
            return data[at + 4 : at + size]
        if size < 4:
            break
        at += (size + 3) & ~3
    return b""
