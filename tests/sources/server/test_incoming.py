"""The bytes of a dump taken apart: however they arrive, the log's bytes come out, and what is between them."""

from __future__ import annotations

import random
import zlib
from itertools import pairwise

import pytest

from binlogcli.errors import DecodeError
from binlogcli.sources.protocol.answers import read_fake_rotate
from binlogcli.sources.protocol.packets import LARGEST_CHUNK, LOG_START, frame
from binlogcli.sources.server.incoming import ACK, END, MARK, MORE, REFUSED, Incoming
from support.logs import raw_event

EOF = b"\xfe\0\0\0\0"


def event(code: int, body: bytes, log_pos: int, timestamp: int = 1000, flags: int = 0) -> bytes:
    return raw_event(code, body, log_pos, timestamp=timestamp, flags=flags, checksum=False)


def rotate(name: bytes = b"shop-bin.000001") -> bytes:
    return event(4, LOG_START.to_bytes(8, "little") + name, 0, 0, 0x20)


def log_of(sizes: list[int]) -> list[bytes]:
    """Events with bodies of these sizes, as they are in a log."""
    events, at = [], LOG_START
    for size in sizes:
        at += 19 + size
        events.append(event(2, random.Random(size).randbytes(size), at & 0xFFFFFFFF))
    return events


def receive(incoming: Incoming, data: bytes, most: int) -> tuple[bytes, list[int]]:
    """The log's bytes, and what else was found, of bytes that arrive in pieces of at most this size."""
    out, found = [], []
    while data:
        space = incoming.space()
        size = min(len(space), most, len(data))
        space[:size] = data[:size]
        incoming.filled(size, 1005)
        data = data[size:]
        while (what := incoming.advance()) != MORE:
            found.append(what)
        out.append(incoming.take())
    return b"".join(out), found


@pytest.mark.parametrize("marks", [b"", b"\xef\0"], ids=["plain", "semi-sync"])
@pytest.mark.parametrize("most", [1, 7, 300, 1 << 20])
def test_the_logs_bytes_come_out_however_they_arrive(marks: bytes, most: int) -> None:
    events = log_of([0, 1, 50, 300, 5, 2000])
    packets = [rotate(), *events[:3], event(27, b"shop-bin.000001", 300, 0), *events[3:]]
    data = b"".join(frame(b"\0" + marks + one, number) for number, one in enumerate(packets)) + frame(EOF, 9)
    incoming = Incoming(LOG_START, 1 << 30)
    out, found = receive(incoming, data, most)
    assert out == b"".join(events)
    assert found == [MARK, MARK, END]
    assert incoming.boundary == incoming.offset == LOG_START + len(out)
    assert (incoming.events, incoming.delay_max, incoming.last_type) == (6, 5, 2)


@pytest.mark.parametrize("size", [LARGEST_CHUNK - 21, LARGEST_CHUNK - 20, LARGEST_CHUNK - 19, 2 * LARGEST_CHUNK + 3])
def test_events_of_several_packets(size: int) -> None:
    events = log_of([10, size, 10])
    data = b"".join(frame(b"\0" + one, 0) for one in (rotate(), *events))
    out, _ = receive(Incoming(LOG_START, 1 << 30), data, 1 << 20)
    assert out == b"".join(events)


def test_what_is_to_be_acknowledged_ends_at_the_boundary() -> None:
    events = log_of([10, 200, 10])
    marks = [0, 1, 0]
    data = frame(b"\0\xef\0" + rotate(), 0)
    data += b"".join(frame(b"\0\xef" + bytes([mark]) + one, 0) for mark, one in zip(marks, events, strict=True))
    incoming = Incoming(LOG_START, 1 << 30)
    space = incoming.space()
    space[: len(data)] = data
    incoming.filled(len(data), 0)
    assert (incoming.advance(), incoming.advance()) == (MARK, ACK)
    assert incoming.take() == events[0] + events[1]
    assert incoming.boundary == LOG_START + len(events[0]) + len(events[1])
    assert incoming.advance() == MORE
    assert incoming.take() == events[2]


def test_a_log_that_is_gone_on_with_has_a_head_that_is_no_part_of_it() -> None:
    events = log_of([100, 100])
    start = LOG_START + len(events[0])
    head, key = event(15, bytes(80), 0), event(164, bytes(17), 0, flags=0x80)
    data = b"".join(frame(b"\0" + one, 0) for one in (rotate(), head, key, events[1]))
    out, found = receive(Incoming(start, 1 << 30), data, 64)
    assert (out, found) == (events[1], [MARK, MARK, MARK])


def test_bytes_that_are_known_are_not_given_again() -> None:
    events = log_of([100, 100, 100])
    whole = b"".join(events)
    for known in (0, 1, 50, 119, 130, 300, len(whole)):
        incoming = Incoming(LOG_START, 1 << 30)
        incoming.begin(LOG_START, LOG_START + known)
        out, _ = receive(incoming, b"".join(frame(b"\0" + one, 0) for one in (rotate(), *events)), 33)
        assert out == whole[known:]
        assert incoming.boundary == LOG_START + len(whole)


def test_errors_and_names() -> None:
    incoming = Incoming(LOG_START, 1 << 30)
    data = frame(b"\0" + rotate(b"other.000002"), 0) + frame(b"\xff\xd4\x04#HY000no", 1)
    space = incoming.space()
    space[: len(data)] = data
    incoming.filled(len(data), 0)
    assert incoming.advance() == MARK
    assert read_fake_rotate(incoming.mark()).log_name == "other.000002"
    assert incoming.advance() == REFUSED
    assert incoming.mark() == b"\xff\xd4\x04#HY000no"


def test_noise_is_an_error_or_nothing() -> None:
    noise = random.Random(5)
    good = b"".join(frame(b"\0" + one, 0) for one in (rotate(), *log_of([20, 30, 500, 3])))
    for _ in range(2000):
        data = bytearray(good)
        for _ in range(noise.randrange(1, 6)):
            data[noise.randrange(len(data))] = noise.randrange(256)
        incoming = Incoming(LOG_START, 1 << 20)
        try:
            out, _ = receive(incoming, bytes(data[: noise.randrange(len(data))]), noise.randrange(1, 900))
        except DecodeError:
            continue
        assert len(out) <= len(good)


def test_places_count_on() -> None:
    events = log_of([5, 6, 7])
    ends = [int.from_bytes(one[13:17], "little") for one in events]
    assert [after - before for before, after in pairwise(ends)] == [len(one) for one in events[1:]]
    with pytest.raises(DecodeError, match="instead of"):
        receive(Incoming(LOG_START, 1 << 30), b"".join(frame(b"\0" + one, 0) for one in (rotate(), *events[1:])), 99)
    out, _ = receive(
        Incoming(LOG_START, 1 << 30, placed=False),
        b"".join(frame(b"\0" + one, 0) for one in (rotate(), *events[1:])),
        99,
    )
    assert out == b"".join(events[1:])


@pytest.mark.parametrize("most", [1, 7, 300])
@pytest.mark.parametrize("checksum", [0, 4])
def test_what_10_1_leaves_out_of_an_encrypted_log_is_put_in(most: int, checksum: int) -> None:
    """START_ENCRYPTION with the flag to ignore it; places after it are the file's."""
    first = event(15, bytes(100), LOG_START + 119)
    withheld = 36 + checksum
    second = event(163, bytes(6), LOG_START + 119 + withheld + 25)
    data = b"".join(frame(b"\0" + one, 0) for one in (rotate(), first, second))
    incoming = Incoming(LOG_START, 1 << 30)
    out, _ = receive(incoming, data, most)
    head = event(164, b"\1" + bytes(16), LOG_START + 119 + withheld, flags=0x80)
    head = head[:9] + bytes([withheld]) + head[10:]
    assert out == first + head + zlib.crc32(head).to_bytes(4, "little")[:checksum] + second
    assert incoming.boundary == LOG_START + len(out)


def test_a_log_is_completed_once_however_often_a_server_leaves_a_gap() -> None:
    packets, at = [rotate()], LOG_START
    for _ in range(2000):
        packets += [event(15, b"", at + 19), event(2, b"", at + 19 + 36 + 19)]
        at += 19 + 36 + 19
    data = b"".join(frame(b"\0" + one, 0) for one in packets)
    with pytest.raises(DecodeError, match="the server sent an event that ends at"):
        receive(Incoming(LOG_START, 1 << 30), data, 1 << 20)
