"""TRANSACTION_PAYLOAD events: what is in them, and what may be wrong with it."""

from __future__ import annotations

import pytest
import zstandard

from support.bodies import lenenc_field, query, u2, u8
from support.logs import NO_CHECKSUM, LogBuilder
from support.reading import events, gaps


def payload(content: bytes, *, kind: int = 0, size: int | None = None) -> bytes:
    """The body of a TRANSACTION_PAYLOAD event."""
    packed = zstandard.compress(content) if kind == 0 else content
    size = len(packed) if size is None else size
    number = bytes([kind]) if kind < 251 else b"\xfc" + u2(kind)
    body = lenenc_field(2, number) + lenenc_field(3, b"\xfd" + len(content).to_bytes(3, "little"))
    return body + lenenc_field(1, b"\xfd" + size.to_bytes(3, "little")) + b"\0" + packed


def inner() -> bytes:
    """Events as they are in a payload: without checksums, with positions of no meaning."""
    log = LogBuilder(checksum=NO_CHECKSUM, magic=b"")
    return bytes(log.add(2, query(text=b"BEGIN"), log_pos=1).add(16, u8(7), log_pos=9).log)


@pytest.mark.parametrize("kind", [0, 255])
def test_the_content_of_a_payload_follows_it(kind: int) -> None:
    log = LogBuilder().describe().add(40, payload(inner(), kind=kind)).add(3)
    _, outer, begin, xid, stop = log.read()
    assert outer.as_dict()["compression_type"] == {0: "ZSTD", 255: "NONE"}[kind]
    assert [(begin.start, begin.end), (xid.start, xid.end)] == [(0, begin.length), (begin.length, len(inner()))]
    assert (begin.within, xid.within, stop.within) == (outer.start, outer.start, None)
    assert (begin.crc32, xid.xid, stop.type_code) == (None, 7, 3)


def test_a_payload_of_several_frames_is_one_stream() -> None:
    frames = zstandard.compress(inner()[:30]) + zstandard.compress(inner()[30:])
    body = lenenc_field(2, b"\0") + lenenc_field(1, bytes([len(frames)])) + b"\0" + frames
    assert [event.type_code for event in events(LogBuilder().describe().add(40, body).read())] == [15, 40, 2, 16]


def test_events_after_a_broken_payload_are_read() -> None:
    for broken in (payload(inner())[:-3], payload(inner()[:-3]), payload(b"\xff" * 50), payload(inner(), kind=9)):
        items = LogBuilder().describe().add(40, broken).add(3).read()
        assert gaps(items), broken
        assert items[-1].type_code == 3


def test_a_payload_over_the_limit_is_damage_after_what_fits() -> None:
    log = LogBuilder().describe().add(40, payload(inner() + inner() * 9999)).add(3)
    items = log.read(max_event_size=1 << 18)
    (gap,) = gaps(items)
    assert "more than the maximum of 262144 bytes" in gap.reason
    assert gap.within == items[1].start
    assert len(events(items)) > 1000
    assert items[-1].type_code == 3


def test_a_payload_within_a_payload_does_no_harm() -> None:
    nested = LogBuilder(checksum=NO_CHECKSUM, magic=b"")
    nested.add(40, payload(inner()))
    items = LogBuilder().describe().add(40, payload(bytes(nested.log))).add(3).read()
    assert items[-1].type_code == 3
