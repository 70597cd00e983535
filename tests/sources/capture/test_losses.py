"""Captured streams that lack something or have it out of order: what is there is read, the rest is damage."""

from __future__ import annotations

import random
from typing import Any

import pytest

from binlogcli.errors import SourceError
from support.captures import CAPABILITIES, Capture, CaptureReading, a_capture, pcap_of, places
from support.logs import LogBuilder, commit_log
from support.reading import events, gaps


def test_segments_out_of_order_sent_twice_and_overlapping(log: LogBuilder, whole: list[Any]) -> None:
    capture = a_capture(log)
    chance = random.Random(7)
    segments = list(capture.segments)
    for at in range(4, len(segments) - 6, 3):
        chunk = segments[at : at + 3]
        chance.shuffle(chunk)
        segments[at : at + 3] = chunk
    for at in range(0, len(segments), 5):
        time, side, seq, ack, flags, data = segments[at]
        segments.append((time, side, seq, ack, flags, data))
        if len(data) > 20:  # sent again together with bytes before or after it
            segments.append((time, side, (seq + 10) & 0xFFFFFFFF, ack, flags, data[10:]))
    capture.segments = segments[:3] + sorted(segments[3:], key=lambda one: one[0] + chance.random() * 0.004)
    reading = CaptureReading(capture.pcap())
    assert places(reading.items) == whole
    assert gaps(reading.items) == []


@pytest.mark.parametrize("method", ["plain", "zlib", "zstd"])
@pytest.mark.parametrize("seed", range(5))
def test_what_was_not_captured_is_damage_at_its_place(method: str, seed: int) -> None:
    log = commit_log(300)
    whole = places(log.read())
    chance = random.Random(seed)
    capture = Capture().log_in(CAPABILITIES | {"plain": 0, "zlib": 0x20, "zstd": 1 << 26}[method]).request()
    first = len(capture.segments)
    for number, event in enumerate(log.events()):
        capture.event(event, number + 2)
    capture.close()
    kept = [one for at, one in enumerate(capture.segments) if at < first or not one[5] or chance.random() > 0.02]
    assert len(kept) < len(capture.segments)
    capture.segments = kept
    reading = CaptureReading(capture.pcap())
    found = places(reading.items)
    assert set(found) < set(whole)
    end = 4
    for item in reading.items:  # nothing is passed over without a word
        assert item.start == end
        end = item.end
    assert all("not captured" in gap.reason and "before frame" in gap.reason for gap in gaps(reading.items)[:-1])
    assert len(found) + sum((gap.end - gap.start) // 31 for gap in gaps(reading.items) if gap.start > 4) >= 300


@pytest.mark.parametrize("method", ["plain", "zlib"])
def test_any_one_frame_may_be_missing(method: str) -> None:
    """Of the login, the request or the events: nothing but what it brought is lost."""
    log = commit_log(40, 60)
    whole = places(log.read())
    capture = Capture().log_in(CAPABILITIES | {"plain": 0, "zlib": 0x20}[method]).request()
    for number, event in enumerate(log.events()):
        capture.event(event, number + 2)
    segments = capture.close().segments
    for missing in range(len(segments)):
        capture.segments = segments[:missing] + segments[missing + 1 :]
        found = places(CaptureReading(capture.pcap()).items)
        assert len(whole) - len(found) <= 1, missing
        assert set(found) <= set(whole)


def test_only_one_direction_was_captured(log: LogBuilder, whole: list[Any]) -> None:
    capture = a_capture(log)
    capture.segments = [one for one in capture.segments if one[1] == "server"]
    assert places(CaptureReading(capture.pcap()).items) == whole


def test_frames_cut_short_by_the_capture(whole: list[Any], log: LogBuilder) -> None:
    log = commit_log(20, 3000)
    frames = [(time, data[:1000]) for time, data in a_capture(log).frames()]
    reading = CaptureReading(pcap_of(frames))
    assert gaps(reading.items)
    assert {event.raw for event in events(reading.items)} <= set(log.events())


def test_the_capture_begins_within_a_connection() -> None:
    log = commit_log(900)
    whole = places(log.read())
    capture = a_capture(log)
    capture.segments = capture.segments[-12:]
    reading = CaptureReading(capture.pcap())
    found = places(reading.items)
    assert found == whole[len(whole) - len(found) :]
    assert len(found) > 10
    assert gaps(reading.items) == []


def test_hostile_lengths_end_nothing() -> None:
    for data in (b"\xd4\xc3\xb2\xa1", b"\x0a\x0d\x0d\x0a" + b"\xff" * 40, b"\xd4\xc3\xb2\xa1" + b"\xff" * 100):
        try:
            reading = CaptureReading(data)
        except SourceError:
            continue
        assert reading.logs == []
