"""Logs without a beginning or an end, and where the next event is found after damage."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

import binlogcli
from binlogcli.log.gaps import Padding
from support.bodies import query, u8
from support.logs import (
    CRC32,
    GTID_MARIADB,
    MAGIC,
    MARIADB,
    MYSQL,
    NO_CHECKSUM,
    QUERY,
    STOP,
    XID,
    LogBuilder,
    rotated_log,
)
from support.reading import events, gaps, places, read, stream_of

# ends -------------------------------------------------------------------------------------------------------------


def test_a_log_of_nothing_but_its_magic_is_empty() -> None:
    assert read(MAGIC) == []


@pytest.mark.parametrize("zeros", [1, 3, 18, 19, 20, 4096, 200_000])
@pytest.mark.parametrize("checksum", [CRC32, NO_CHECKSUM])
def test_zero_bytes_after_the_last_event_are_padding(zeros: int, checksum: int) -> None:
    log = rotated_log(checksum=checksum)
    size = len(log.log)
    *found, padding = log.raw(bytes(zeros)).read()
    assert len(events(found)) == 6
    assert padding == Padding(size, size + zeros)


def test_zero_bytes_before_more_events_are_damage() -> None:
    log = rotated_log()
    size = len(log.log)
    items = log.raw(bytes(300)).add(STOP).read()
    assert items[-1].type_code == STOP
    (gap,) = gaps(items)
    assert (gap.start, gap.end, gap.reason) == (size, size + 300, "zero bytes where an event should start")


@pytest.mark.parametrize("checksum", [CRC32, NO_CHECKSUM])
def test_a_log_cut_off_anywhere_gives_all_events_before_the_cut(checksum: int) -> None:
    log = bytes(rotated_log(checksum=checksum).log)
    whole = read(log)
    for cut in range(4, len(log)):
        items = read(log[:cut])
        assert list(places(events(items))) == [place for place in places(whole) if place[2] <= cut]
        assert items[-1].end == cut if items else cut == 4
        assert len(gaps(items)) == (cut not in {4, *(event.end for event in whole)})


def test_what_is_shorter_than_the_magic_is_damage() -> None:
    for cut in range(1, 4):
        (gap,) = read(MAGIC[:cut])
        assert (gap.start, gap.end) == (0, cut)


def test_a_log_that_a_server_is_writing_is_read_as_far_as_it_is_written(tmp_path: Path) -> None:
    log = LogBuilder().describe()
    for _ in range(4):
        log.add(9, bytes(50_000))
    path = tmp_path / "log"
    path.write_bytes(log.log[:200])  # inside of an event
    with binlogcli.open(str(path)) as reader:
        with path.open("ab") as file:
            file.write(log.log[200:])
        items = list(reader)
    assert (len(events(items)), gaps(items)) == (5, [])


# a lost place -----------------------------------------------------------------------------------------------------


def test_any_flipped_bit_of_a_log_with_checksums_costs_one_event_at_most() -> None:
    log = bytes(rotated_log().log)
    whole = list(places(read(log)))
    for at in range(127, len(log)):
        for bit in range(8):
            damaged = bytearray(log)
            damaged[at] ^= 1 << bit
            items = read(bytes(damaged))
            found = list(places(events(items)))
            lost = [place for place in whole if place not in found]
            assert len(lost) == 1, (at, bit)
            assert lost[0][1] <= at < lost[0][2]
            assert [item.start for item in items[1:]] == [item.end for item in items[:-1]]


def test_a_flipped_bit_of_the_format_description_leaves_the_events_after_it() -> None:
    log = bytes(rotated_log().log)
    whole = list(places(read(log)))
    for at in range(4, 127):
        if at == 21:  # the in-use flag is not part of the checksum
            continue
        damaged = bytearray(log)
        damaged[at] ^= 1
        found = list(places(events(read(bytes(damaged)))))
        assert found[-5:] == whole[1:], at


@pytest.mark.parametrize("version", [MYSQL, MARIADB])
@pytest.mark.parametrize("checksum", [CRC32, NO_CHECKSUM])
def test_a_log_without_its_beginning_is_read_from_the_first_whole_event_on(version: str, checksum: int) -> None:
    log = rotated_log(version, checksum=checksum)
    whole = events(log.read())
    for cut in range(5, whole[4].start):
        items = read(bytes(log.log[cut:]))
        expected = [(event.type, event.start - cut) for event in whole if event.start >= cut]
        found = [(event.type, event.start) for event in events(items)]
        assert found == expected, cut
        assert items[0].start == 0
        assert items[-1].end == len(log.log) - cut


def test_a_log_without_its_beginning_tells_its_family_by_its_events() -> None:
    log = LogBuilder(MARIADB, magic=b"", at=0)
    log.add(GTID_MARIADB, struct.pack("<QIB", 1, 0, 12) + bytes(6)).add(QUERY, query(text=b"BEGIN"))
    stream = stream_of(bytes(log.log))
    assert [event.type_code for event in events(list(stream))] == [GTID_MARIADB, QUERY]
    assert stream.context.mariadb


def test_an_event_between_two_damaged_ones_is_read_though_it_has_no_position() -> None:
    log = LogBuilder("11.8.6-MariaDB").describe()
    for number in range(5):
        log.add(XID, struct.pack("<Q", number), log_pos=0)
    first = 256
    for number in (1, 3):
        log.log[first + 31 * number + 9] ^= 0xFF  # the length
    found = events(log.read())
    assert [event.xid for event in found[1:]] == [0, 2, 4]


def test_events_without_positions_nor_checksums_are_found_by_their_server() -> None:
    log = LogBuilder("11.8.6-MariaDB", checksum=NO_CHECKSUM).describe()
    for number in range(6):
        log.add(XID, struct.pack("<Q", number), log_pos=0)
    log.log[256 + 27 + 9 + 2] = 1  # the second one's length
    items = log.read()
    assert [event.xid for event in events(items)[1:]] == [0, 2, 3, 4, 5]
    (gap,) = gaps(items)
    assert (gap.start, gap.end) == (283, 310)


@pytest.mark.parametrize("kind", [1, 15])
def test_a_damaged_type_makes_no_format_description(kind: int) -> None:
    log = LogBuilder().describe()
    log.add(33, b"\1" + bytes(range(16)) + struct.pack("<q", 5)).add(XID, u8(7))
    log.log[127 + 4] = kind
    items = log.read()
    assert [event.type_code for event in events(items)] == [15, XID]
    assert items[-1].crc32 is not None


@pytest.mark.parametrize("chunk", [1, 2, 7, 19, 64, 1000])
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("checksum", [CRC32, NO_CHECKSUM])
def test_what_is_read_does_not_depend_on_the_chunks_it_comes_in(chunk: int, stream: bool, checksum: int) -> None:
    log = rotated_log(checksum=checksum)
    log.raw(b"no event" * 9).add(STOP).raw(bytes(40)).add(XID, u8(7), log_pos=77).add(99, b"?", log_pos=5)
    log.add(STOP).raw(bytes(25))
    whole = list(places(log.read()))
    assert list(places(log.read(chunk=chunk, stream=stream))) == whole
    assert whole[-1][0] == "padding"


def junk(kind: str, size: int) -> bytes:
    if kind == "numbers":
        return b"".join(struct.pack("<iqi", at, at * 3, at % 50) for at in range(size // 16))
    if kind == "headers":
        return b"".join(struct.pack("<IBIIIH", 5, QUERY, 1, size - at, 0, 0) for at in range(0, size, 19))
    found = bytearray()
    while len(found) < size:
        length = size - len(found) + 100
        found += struct.pack("<IBIIIH", 5, QUERY, 1, length, (127 + len(found) + length) & 0xFFFFFFFF, 0)
    return bytes(found)


@pytest.mark.parametrize("kind", ["numbers", "headers", "positions"])
def test_an_event_is_found_after_much_that_looks_like_events(kind: str) -> None:
    log = LogBuilder().describe().raw(junk(kind, 1 << 18))
    for _ in range(50):
        log.add(XID, bytes(4000))
    assert len(events(log.read())) == 51
