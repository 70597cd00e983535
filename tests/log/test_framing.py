"""Where events begin and end: versions, checksums, positions, and logs without a beginning or an end."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import pytest

import binlogcli
from binlogcli.events.event import Event
from binlogcli.events.stream import EventStream
from binlogcli.log.format import knows_checksums, version_numbers
from binlogcli.log.gaps import Damage, Padding
from logs import CRC32, MAGIC, MARIADB, MYSQL, NO_CHECKSUM, LogBuilder, events, gaps, places, read, stream_of

IN_USE, IGNORABLE = 1, 0x80
QUERY, STOP, ROTATE, INTVAR, XID, GTID_MARIADB, START_ENCRYPTION = 2, 3, 4, 5, 16, 162, 164
XID_BODY = struct.pack("<Q", 7)


def query(text: bytes = b"BEGIN") -> bytes:
    return struct.pack("<IIBHH", 9, 0, 4, 0, 0) + b"shop\0" + text


def small_log(version: str = MYSQL, *, checksum: int = CRC32) -> LogBuilder:
    log = LogBuilder(version, checksum=checksum).describe()
    log.add(QUERY, query()).add(INTVAR, b"\2" + XID_BODY)
    log.add(QUERY, query(b"INSERT INTO t VALUES (1)")).add(XID, XID_BODY)
    return log.add(ROTATE, struct.pack("<Q", 4) + b"bin.000002")


# versions ---------------------------------------------------------------------------------------------------------


def event_v1(kind: int, body: bytes) -> bytes:
    return struct.pack("<IBII", 5, kind, 1, 13 + len(body)) + body


def event_v3(at: int, kind: int, body: bytes, flags: int = 0) -> bytes:
    return struct.pack("<IBIIIH", 5, kind, 1, 19 + len(body), at, flags) + body


def test_a_log_of_version_1_has_headers_of_13_bytes_and_no_positions() -> None:
    log = MAGIC + event_v1(1, struct.pack("<H50sI", 1, b"3.23.58", 9))
    log += event_v1(QUERY, struct.pack("<IIBH", 7, 0, 1, 0) + b"d\0INSERT") + event_v1(INTVAR, b"\1" + XID_BODY)
    log += event_v1(ROTATE, b"bin.002")
    start, insert, intvar, rotate = events(read(log))
    assert (start.length, start.flags, start.log_pos, start.binlog_version) == (69, 0, 0, 1)
    assert (insert.query, intvar.val) == (b"INSERT", 7)
    assert (rotate.pos, rotate.new_log_ident) == (4, "bin.002")


def test_positions_of_version_3_are_where_events_begin() -> None:
    log = MAGIC + event_v3(4, 1, struct.pack("<H50sI", 3, b"4.1.22-log", 9))
    log += event_v3(len(log), QUERY, struct.pack("<IIBH", 7, 0, 1, 0) + b"d\0INSERT")
    log += event_v3(len(log), ROTATE, struct.pack("<Q", 4) + b"bin.002", flags=2)
    items = read(log)
    assert [event.log_pos for event in events(items)] == [event.end for event in items]
    assert items[1].query == b"INSERT"


@pytest.mark.parametrize("size", [68, 70, 74, 76])
def test_a_first_event_of_version_1_or_3_has_one_of_two_sizes(size: int) -> None:
    body = struct.pack("<H50sI", 3, b"4.1.22", 9).ljust(size - 19, b"\0")
    log = MAGIC + event_v3(4, 1, body[: size - 19]) + event_v3(4 + size, STOP, b"")
    (gap, *_) = read(log)
    assert isinstance(gap, Damage)
    assert "which no server wrote" in gap.reason


@pytest.mark.parametrize("version", [1, 3, 5, 0, 0xFFFF])
def test_a_format_description_is_of_version_4(version: int) -> None:
    log = small_log().log
    log[4 + 19 : 4 + 21] = version.to_bytes(2, "little")
    (gap, *_) = read(bytes(log))
    assert isinstance(gap, Damage)
    assert f"binlog_version is {version}" in gap.reason


def test_a_longer_common_header_holds_for_all_but_rotate_and_format_description() -> None:
    log = LogBuilder().describe(header=25)
    log.add(QUERY, bytes(6) + query()).add(ROTATE, struct.pack("<Q", 4) + b"bin.000002")
    _, begin, rotate = events(log.read())
    assert begin.query == b"BEGIN"
    assert (rotate.pos, rotate.new_log_ident) == (4, "bin.000002")


@pytest.mark.parametrize(
    ("version", "numbers", "knows"),
    [
        ("5.6.0-m4", (5, 6, 0), False),
        ("5.6.1-m5-log", (5, 6, 1), True),
        ("8.4.8", (8, 4, 8), True),
        ("5.2.14-MariaDB", (5, 2, 14), False),
        ("5.3.0-MariaDB-beta", (5, 3, 0), True),
        ("5.3.1-maria-log", (5, 3, 1), True),
        ("10.11-MariaDB", (10, 11, 0), True),
        ("8-log", (0, 0, 0), False),
        ("256.1.1", (0, 0, 0), False),
        ("5.6.300", (0, 0, 0), False),
        ("", (0, 0, 0), False),
    ],
)
def test_the_server_version_tells_whether_there_are_checksums(
    version: str, numbers: tuple[int, int, int], knows: bool
) -> None:
    assert version_numbers(version) == numbers
    assert knows_checksums(version) is knows


# checksums --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [MYSQL, MARIADB])
def test_without_checksums_only_the_format_description_has_one(version: str) -> None:
    first, *others = events(small_log(version, checksum=NO_CHECKSUM).read())
    assert first.crc32 is not None
    assert {event.crc32 for event in others} == {None}
    assert len(others) == 5


def test_the_checksum_of_a_format_description_is_that_of_a_closed_log() -> None:
    log = LogBuilder().describe(flags=IN_USE).add(STOP)
    stream = stream_of(bytes(log.log))
    assert [event.type_code for event in events(list(stream))] == [15, STOP]
    assert stream.framer.in_use


def test_a_wrong_checksum_of_a_format_description_counts_only_where_the_log_has_checksums() -> None:
    for checksum, damaged in ((CRC32, True), (NO_CHECKSUM, False)):
        log = LogBuilder(checksum=checksum).describe().add(STOP).log
        log[126] ^= 1
        assert bool(gaps(read(bytes(log)))) is damaged


@pytest.mark.parametrize("algorithm", [2, 127, 255])
def test_an_unknown_checksum_algorithm_is_damage(algorithm: int) -> None:
    log = LogBuilder(checksum=algorithm).describe()
    (gap,) = log.read()
    assert isinstance(gap, Damage)
    assert f"unknown checksum algorithm {algorithm}" in gap.reason


def test_each_format_description_of_a_relay_log_sets_the_checksums_of_what_follows() -> None:
    log = LogBuilder(checksum=NO_CHECKSUM).describe(flags=0x40).add(STOP)
    log.checksum = CRC32
    log.describe(log_pos=0, flags=0x20, server_id=9).add(XID, XID_BODY, log_pos=900).add(STOP, log_pos=919)
    log.checksum = NO_CHECKSUM
    log.describe(log_pos=0).add(STOP)
    found = events(log.read())
    assert [event.crc32 is not None for event in found] == [True, False, True, True, True, True, False]
    assert gaps(log.read()) == []


def test_a_relay_log_may_hold_the_events_of_a_version_3_source() -> None:
    log = LogBuilder("5.0.46-log", checksum=255)
    log.log += log.framed(15, struct.pack("<H50sIB", 4, b"5.0.46-log", 0, 19) + bytes(27), trailer=0)
    log.raw(event_v3(4, 1, struct.pack("<H50sI", 3, b"4.1.22", 9)))
    log.raw(event_v3(79, QUERY, struct.pack("<IIBH", 7, 0, 1, 0) + b"d\0INSERT"))
    assert [event.type_code for event in events(log.read())] == [15, 1, QUERY]


def test_a_wrong_checksum_is_damage_and_the_next_event_is_read() -> None:
    log = small_log().log
    log[140] ^= 1
    items = read(bytes(log))
    assert [event.type_code for event in events(items)] == [15, INTVAR, QUERY, XID, ROTATE]
    (gap,) = gaps(items)
    assert (gap.start, gap.reason[:17], gap.hint) == (127, "checksum mismatch", "--no-verify reads it all the same")


def test_unverified_checksums_are_no_damage() -> None:
    log = small_log().log
    log[-1] ^= 1
    assert gaps(read(bytes(log), verify=False)) == []


# positions --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("checksum", [CRC32, NO_CHECKSUM])
def test_events_of_newer_mariadb_have_no_position_within_a_transaction(checksum: int) -> None:
    log = LogBuilder("11.8.6-MariaDB-log", checksum=checksum).describe()
    log.add(GTID_MARIADB, struct.pack("<QIB", 1, 0, 12) + bytes(6)).add(QUERY, query(), log_pos=0)
    log.add(XID, XID_BODY, log_pos=0).add(STOP)
    assert [event.type_code for event in events(log.read())] == [15, GTID_MARIADB, QUERY, XID, STOP]
    assert gaps(log.read()) == []


class Endless:
    """A log of large events, made while it is read: more than 4 GiB of it stand nowhere."""

    name = "endless"
    size: int | None = None
    seekable = False

    def __init__(self, count: int, body: int) -> None:
        log = LogBuilder(checksum=NO_CHECKSUM).describe()
        self.piece = memoryview(bytes(1 << 22))
        self.left = list(self.parts(bytes(log.log), count, body))

    def parts(self, head: bytes, count: int, body: int) -> list[tuple[bytes, int]]:
        """Heads of events, and how many zero bytes follow each."""
        parts = [(head, 0)]
        at = len(head)
        for _ in range(count):
            at += 19 + body
            parts.append((struct.pack("<IBIIIH", 1, 9, 1, 19 + body, at & 0xFFFFFFFF, 0), body))
        self.total = at
        return parts

    def read(self, size: int) -> bytes:
        if not self.left:
            return b""
        head, zeros = self.left.pop(0)
        if head:
            self.left.insert(0, (b"", zeros))
            return head
        piece = min(size, zeros, len(self.piece))
        if zeros > piece:
            self.left.insert(0, (b"", zeros - piece))
        return bytes(self.piece[:piece]) or self.read(size)

    def head(self, size: int) -> bytes:
        return self.left[0][0][:size]

    def seek(self, offset: int) -> None:
        raise NotImplementedError

    def close(self) -> None:
        pass

    def __enter__(self) -> Endless:
        return self

    def __exit__(self, *exc: object) -> None:
        pass


def test_offsets_go_on_where_positions_of_32_bits_begin_anew() -> None:
    source = Endless(4200, 1 << 20)
    stream = EventStream(source)
    for item in stream:
        assert isinstance(item, Event)
        assert item.log_pos == item.end & 0xFFFFFFFF
    assert item.end == source.total > 1 << 32


# ends -------------------------------------------------------------------------------------------------------------


def test_a_log_of_nothing_but_its_magic_is_empty() -> None:
    assert read(MAGIC) == []


@pytest.mark.parametrize("zeros", [1, 3, 18, 19, 20, 4096, 200_000])
@pytest.mark.parametrize("checksum", [CRC32, NO_CHECKSUM])
def test_zero_bytes_after_the_last_event_are_padding(zeros: int, checksum: int) -> None:
    log = small_log(checksum=checksum)
    size = len(log.log)
    *found, padding = log.raw(bytes(zeros)).read()
    assert len(events(found)) == 6
    assert padding == Padding(size, size + zeros)


def test_zero_bytes_before_more_events_are_damage() -> None:
    log = small_log()
    size = len(log.log)
    items = log.raw(bytes(300)).add(STOP).read()
    assert items[-1].type_code == STOP
    (gap,) = gaps(items)
    assert (gap.start, gap.end, gap.reason) == (size, size + 300, "zero bytes where an event should begin")


@pytest.mark.parametrize("checksum", [CRC32, NO_CHECKSUM])
def test_a_log_cut_off_anywhere_gives_all_events_before_the_cut(checksum: int) -> None:
    log = bytes(small_log(checksum=checksum).log)
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
    log = bytes(small_log().log)
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
    log = bytes(small_log().log)
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
    log = small_log(version, checksum=checksum)
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
    log.add(GTID_MARIADB, struct.pack("<QIB", 1, 0, 12) + bytes(6)).add(QUERY, query())
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
    log.add(33, b"\1" + bytes(range(16)) + struct.pack("<q", 5)).add(XID, XID_BODY)
    log.log[127 + 4] = kind
    items = log.read()
    assert [event.type_code for event in events(items)] == [15, XID]
    assert items[-1].crc32 is not None


@pytest.mark.parametrize("chunk", [1, 2, 7, 19, 64, 1000])
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("checksum", [CRC32, NO_CHECKSUM])
def test_what_is_read_does_not_depend_on_the_chunks_it_comes_in(chunk: int, stream: bool, checksum: int) -> None:
    log = small_log(checksum=checksum)
    log.raw(b"no event" * 9).add(STOP).raw(bytes(40)).add(XID, XID_BODY, log_pos=77).add(99, b"?", log_pos=5)
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


# what is no event of this log -------------------------------------------------------------------------------------


def test_all_after_a_start_encryption_event_is_sealed() -> None:
    log = LogBuilder(MARIADB).describe().add(START_ENCRYPTION, b"\1" + bytes(16)).add(XID, XID_BODY)
    items = log.read()
    assert [event.type_code for event in events(items)] == [15, START_ENCRYPTION]
    (gap,) = gaps(items)
    assert (gap.reason, gap.end) == ("the log is encrypted from here on", len(log.log))
    assert "--key-file" in gap.hint


def test_what_a_server_has_decrypted_for_us_is_not_sealed() -> None:
    log = LogBuilder(MARIADB).describe().add(START_ENCRYPTION, b"\1" + bytes(16), flags=IGNORABLE).add(XID, XID_BODY)
    assert [event.type_code for event in events(log.read())] == [15, START_ENCRYPTION, XID]


@pytest.mark.parametrize("kind", [0, 44, 159, 173, 255])
def test_an_event_of_unknown_type_is_kept_with_its_bytes(kind: int) -> None:
    log = LogBuilder().describe().add(kind, b"whatever", flags=IGNORABLE).add(STOP)
    _, unknown, _ = events(log.read())
    assert (unknown.type_code, unknown.unknown) == (kind, b"whatever")
    assert unknown.as_dict() == {"unknown": b"whatever"}


def test_an_event_over_the_largest_allowed_is_damage() -> None:
    log = LogBuilder().describe().add(XID, bytes(5000)).add(STOP)
    items = log.read(max_event_size=4096)
    assert [event.type_code for event in events(items)] == [15, STOP]
    assert "over the largest allowed, 4096" in gaps(items)[0].reason


def test_raw_bytes_of_an_event_are_those_of_the_log() -> None:
    log = small_log()
    for event in events(log.read()):
        assert event.raw == bytes(log.log[event.start : event.end])
        assert zlib.crc32(event.raw[:-4]) == event.crc32
