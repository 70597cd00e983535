"""The fields by which an event is recognized: each event that servers wrote has a shape, and C and Python agree."""

from __future__ import annotations

import random
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from binlogcli.carve import scanner, shapes
from binlogcli.carve.body import PLAIN, SUMMED
from support.carve_images import logs, noise, number

COMPILED = not str(scanner.__file__).endswith(".py")
HEADER = 19
ODD = (0, 1, 4, 127, 128, 251, 252, 253, 255)


def events() -> list[tuple[bytes, bool]]:
    """Return the events of the golden logs, each with whether it ends in a checksum."""
    found = {}
    for log in logs():
        for at, size in log.events:
            found[log.data[at : at + size]] = log.summed
    return list(found.items())


def found_by_c(data: bytes, at: int, stop: int, left: int) -> int:
    """Return what the C form finds; that of Python where nothing is compiled."""
    return scanner.find_in(data, at, stop, left)


def test_each_event_of_the_golden_logs_has_its_shape() -> None:
    for event, summed in events():
        shape = shapes.shape_of(event, 0, len(event), len(event))
        kind = event[4]
        format_description = kind == 15  # which ends in a checksum in any log
        assert shape & (SUMMED if summed else PLAIN) or format_description, (kind, event[:80])
        assert found_by_c(event, 0, 1, len(event)) == 0


def test_an_event_that_is_longer_than_the_file_has_none() -> None:
    event, _ = events()[0]
    assert shapes.shape_of(event, 0, len(event), len(event) - 1) == 0
    assert found_by_c(event, 0, 1, len(event) - 1) == -1


@pytest.mark.skipif(not COMPILED, reason="the C form is compared with the Python one")
@settings(max_examples=300, deadline=None)
@given(seed=st.integers(0, 1 << 32), kind=st.sampled_from(["event", "header", "noise"]))
def test_c_and_python_find_the_same_places(seed: int, kind: str) -> None:
    rng = random.Random(seed)
    data = bytearray(noise(rng, 2000))
    known = events()
    for _ in range(12):
        at = rng.randrange(len(data) - 200)
        if kind == "event":
            event = bytearray(rng.choice(known)[0][:600])
            for _ in range(rng.randrange(4)):
                event[rng.randrange(len(event))] = rng.choice((*ODD, rng.randrange(256)))
            data[at : at + len(event)] = event
        elif kind == "header":
            size = rng.choice((rng.randrange(19, 300), rng.randrange(1 << 17), rng.randrange(1 << 31)))
            position, flags = rng.getrandbits(32), rng.getrandbits(16) & 0xC3FF
            header = struct.pack("<IBIIIH", 1, rng.randrange(256), 1, size, position, flags)
            data[at : at + HEADER] = header
            data[at + HEADER : at + HEADER + 60] = bytes(rng.choice((0, 1, 2, 40, 65, 252, 255)) for _ in range(60))
    whole = bytes(data)
    left = rng.choice((len(whole), len(whole) + (1 << 31)))
    at, stop = 0, len(whole) - rng.choice((0, 18, 300))
    while at < stop:
        expected = shapes.find_shape(whole, at, stop, len(whole), left - at)
        assert found_by_c(whole, at, stop, left - at) == expected
        if expected < 0:
            break
        assert scanner.shape_in(whole, expected, left - expected) == shapes.shape_of(
            whole, expected, len(whole), left - expected
        )
        at = expected + 1


def test_random_bytes_hardly_look_like_events() -> None:
    data = random.Random(7).randbytes(1 << 22)
    at, found = 0, []
    while (at := found_by_c(data, at, len(data), (1 << 31) - at)) >= 0:
        found.append(number(data, at + 9))
        at += 1
    assert sum(found) < len(data)  # what checksums of them would cost
