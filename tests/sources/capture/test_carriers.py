"""What carries a captured stream: link layers, IP, both formats of files. The events are those of the log."""

from __future__ import annotations

import gzip
import lzma
import struct
from typing import Any

import pytest
from dpkt import pcap

from support.captures import Capture, CaptureReading, a_capture, layered, pcap_of, pcapng_of, places
from support.golden import GOLDEN
from support.logs import LogBuilder, commit_log
from support.program import run
from support.reading import events, gaps

LINKS = [
    pcap.DLT_EN10MB, pcap.DLT_LINUX_SLL, pcap.DLT_LINUX_SLL2, pcap.DLT_NULL, 108, 12, 101, pcap.DLT_IPV4, 9,
    pcap.DLT_NFLOG,
]  # fmt: skip


@pytest.mark.parametrize("link", LINKS)
def test_any_link_layer(log: LogBuilder, whole: list[Any], link: int) -> None:
    reading = CaptureReading(a_capture(log).pcap(link=link))
    assert places(reading.items) == whole
    assert (gaps(reading.items), reading.problems) == ([], [])
    assert [heard.name for heard in reading.logs] == ["shop-bin.000001"]


@pytest.mark.parametrize("link", [pcap.DLT_EN10MB, pcap.DLT_LINUX_SLL2, pcap.DLT_NULL, 101, pcap.DLT_IPV6])
def test_ipv6(log: LogBuilder, whole: list[Any], link: int) -> None:
    capture = a_capture(log, client=("fd00::2", 40000), server=("fd00::1", 3306))
    reading = CaptureReading(capture.pcap(link=link))
    assert places(reading.items) == whole
    assert reading.messages[0].place.source == "[fd00::1]:3306"


@pytest.mark.parametrize("tags", [1, 2])
def test_vlan_tags(log: LogBuilder, whole: list[Any], tags: int) -> None:
    assert places(CaptureReading(a_capture(log).pcap(vlan=tags)).items) == whole


def test_fragments_of_ipv4(log: LogBuilder, whole: list[Any]) -> None:
    frames = []
    for number, (time, *rest) in enumerate(a_capture(log).segments):
        packet = Capture().packet(*rest)
        header, body = packet[:20], packet[20:]
        pieces = [(at, body[at : at + 504]) for at in range(0, len(body), 504)]
        for at, piece in reversed(pieces):
            more = 0 if at + 504 >= len(body) else 0x2000
            place = struct.pack(">HHH", 20 + len(piece), number, more | at // 8)
            frames.append((time, layered(header[:2] + place + header[8:] + piece, pcap.DLT_EN10MB)))
    assert len(frames) > len(a_capture(log).segments)
    assert places(CaptureReading(pcap_of(frames)).items) == whole


def swapped(data: bytes, nano: bool) -> bytes:
    """A file as a machine of the other byte order writes it."""
    out = struct.pack(">IHHiIII", 0xA1B23C4D if nano else 0xA1B2C3D4, 2, 4, 0, 0, 1 << 18, 1)
    at = 24
    while at < len(data):
        head = struct.unpack_from("<IIII", data, at)
        out += struct.pack(">IIII", *head) + data[at + 16 : at + 16 + head[2]]
        at += 16 + head[2]
    return out


@pytest.mark.parametrize("nano", [False, True])
def test_pcap_of_either_byte_order_and_resolution(log: LogBuilder, whole: list[Any], nano: bool) -> None:
    data = pcap_of(a_capture(log).frames(), nano=nano)
    for file in (data, swapped(data, nano)):
        reading = CaptureReading(file)
        assert places(reading.items) == whole
        assert 1_700_000_000 < reading.messages[0].place.time / 1e9 < 1_700_000_001


def test_pcapng(log: LogBuilder, whole: list[Any]) -> None:
    reading = CaptureReading(pcapng_of(a_capture(log).frames()))
    assert places(reading.items) == whole
    assert 1_700_000_000 < reading.messages[0].place.time / 1e9 < 1_700_000_001


def test_pcapng_of_several_interfaces_and_big_endian(log: LogBuilder, whole: list[Any]) -> None:
    def block(kind: int, body: bytes) -> bytes:
        body += bytes(-len(body) % 4)
        size = struct.pack(">I", 12 + len(body))
        return struct.pack(">I", kind) + size + body + size

    data = block(0x0A0D0D0A, struct.pack(">IHHq", 0x1A2B3C4D, 1, 0, -1))
    data += block(1, struct.pack(">HHI", 1, 0, 0))
    data += block(1, struct.pack(">HHI", 101, 0, 0) + struct.pack(">HHB3xHH", 9, 1, 9, 0, 0))  # raw IP, nanoseconds
    for number, (time, *rest) in enumerate(a_capture(log).segments):
        packet = Capture().packet(*rest)
        kept = layered(packet, pcap.DLT_EN10MB) if number % 2 == 0 else packet
        ticks = int(time * 1e6) if number % 2 == 0 else int(time * 1e9)
        head = struct.pack(">IIIII", number % 2, ticks >> 32, ticks & 0xFFFFFFFF, len(kept), len(kept))
        data += block(6, head + kept) + block(5, bytes(12))
    reading = CaptureReading(data)
    assert places(reading.items) == whole
    assert all(1_700_000_000 < message.place.time / 1e9 < 1_700_000_002 for message in reading.messages)


def test_a_link_type_that_is_not_read_is_named(log: LogBuilder) -> None:
    reading = CaptureReading(pcap_of(a_capture(log).frames(), 127))
    assert reading.logs == []
    assert "link type 127" in reading.problems[0]


@pytest.mark.parametrize("make", [pcap_of, pcapng_of], ids=["pcap", "pcapng"])
def test_a_capture_that_is_cut_off_is_read_to_there(log: LogBuilder, whole: list[Any], make: Any) -> None:
    data = make(a_capture(log).frames())
    reading = CaptureReading(data[: len(data) * 2 // 3])
    found = places(reading.items)
    assert found == whole[: len(found)]
    assert "truncated" in reading.problems[0]


@pytest.mark.parametrize("make", [pcap_of, pcapng_of], ids=["pcap", "pcapng"])
def test_a_broken_record_costs_itself(log: LogBuilder, make: Any) -> None:
    capture = Capture().log_in().request()
    for number, event in enumerate(log.events()):
        capture.event(event, number + 2)
    data = bytearray(make(capture.frames()))
    middle = len(data) // 2 & ~3
    data[middle : middle + 100] = b"\xff" * 100
    reading = CaptureReading(bytes(data))
    assert len(events(reading.items)) > 50
    assert gaps(reading.items)


def test_a_broken_record_of_the_other_byte_order(log: LogBuilder) -> None:
    data = bytearray(swapped(a_capture(commit_log(900)).pcap(), nano=False))
    data[len(data) // 2 : len(data) // 2 + 40] = b"\xff" * 40
    reading = CaptureReading(bytes(data))
    assert len(events(reading.items)) > 500
    assert gaps(reading.items)


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress], ids=["plain", "gzip", "xz"])
def test_a_capture_from_stdin_packed_or_not(pack: Any) -> None:
    path = GOLDEN / "captures" / "replica.pcap"
    of_file = run("dump", "--format", "json", str(path))
    of_stdin = run("dump", "--format", "json", "-", given=pack(path.read_bytes()))
    assert (of_stdin.returncode, of_stdin.stderr) == (0, b"")
    named = of_stdin.stdout.replace(b'{"file": "-:', b'{"file": "' + str(path).encode() + b":")
    assert named == of_file.stdout
