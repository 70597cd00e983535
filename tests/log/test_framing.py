"""Where events begin and end: versions, checksums, positions, and what is not an event."""

from __future__ import annotations

import struct
import zlib

import pytest

from binlogcli.events.event import Event
from binlogcli.events.stream import EventStream
from binlogcli.log.format import knows_checksums, version_numbers
from binlogcli.log.gaps import Damage
from support.bodies import query, u8
from support.logs import (
    CRC32,
    GTID_MARIADB,
    IGNORABLE,
    IN_USE,
    INTVAR,
    MAGIC,
    MARIADB,
    MYSQL,
    NO_CHECKSUM,
    QUERY,
    ROTATE,
    START_ENCRYPTION,
    STOP,
    XID,
    LogBuilder,
    rotated_log,
)
from support.reading import events, gaps, read, stream_of

# versions ---------------------------------------------------------------------------------------------------------


def event_v1(kind: int, body: bytes) -> bytes:
    return struct.pack("<IBII", 5, kind, 1, 13 + len(body)) + body


def event_v3(at: int, kind: int, body: bytes, flags: int = 0) -> bytes:
    return struct.pack("<IBIIIH", 5, kind, 1, 19 + len(body), at, flags) + body


def test_a_log_of_version_1_has_headers_of_13_bytes_and_no_positions() -> None:
    log = MAGIC + event_v1(1, struct.pack("<H50sI", 1, b"3.23.58", 9))
    log += event_v1(QUERY, struct.pack("<IIBH", 7, 0, 1, 0) + b"d\0INSERT") + event_v1(INTVAR, b"\1" + u8(7))
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
    assert "which no server writes" in gap.reason


@pytest.mark.parametrize("version", [1, 3, 5, 0, 0xFFFF])
def test_a_format_description_is_of_version_4(version: int) -> None:
    log = rotated_log().log
    log[4 + 19 : 4 + 21] = version.to_bytes(2, "little")
    (gap, *_) = read(bytes(log))
    assert isinstance(gap, Damage)
    assert f"binlog_version is {version}" in gap.reason


def test_a_longer_common_header_holds_for_all_but_rotate_and_format_description() -> None:
    log = LogBuilder().describe(header=25)
    log.add(QUERY, bytes(6) + query(text=b"BEGIN")).add(ROTATE, struct.pack("<Q", 4) + b"bin.000002")
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
    first, *others = events(rotated_log(version, checksum=NO_CHECKSUM).read())
    assert first.crc32 is not None
    assert {event.crc32 for event in others} == {None}
    assert len(others) == 5


def test_the_checksum_of_a_format_description_is_that_of_a_closed_log() -> None:
    log = LogBuilder().describe(flags=IN_USE).add(STOP)
    stream = stream_of(bytes(log.log))
    assert [event.type_code for event in events(list(stream))] == [15, STOP]
    assert stream.framer.in_use


@pytest.mark.parametrize("algorithm", [2, 127, 255])
def test_an_unknown_checksum_algorithm_is_damage(algorithm: int) -> None:
    log = LogBuilder(checksum=algorithm).describe()
    (gap,) = log.read()
    assert isinstance(gap, Damage)
    assert f"unknown checksum algorithm {algorithm}" in gap.reason


def test_each_format_description_of_a_relay_log_sets_the_checksums_of_what_follows() -> None:
    log = LogBuilder(checksum=NO_CHECKSUM).describe(flags=0x40).add(STOP)
    log.checksum = CRC32
    log.describe(log_pos=0, flags=0x20, server_id=9).add(XID, u8(7), log_pos=900).add(STOP, log_pos=919)
    log.checksum = NO_CHECKSUM
    log.describe(log_pos=0).add(STOP)
    found = events(log.read())
    assert [event.crc32 is not None for event in found] == [True, False, True, True, True, True, False]
    assert gaps(log.read()) == []


def test_a_relay_log_may_hold_the_events_of_a_version_3_source() -> None:
    log = LogBuilder("5.0.46-log", checksum=255)
    log.add(15, struct.pack("<H50sIB", 4, b"5.0.46-log", 0, 19) + bytes(27))
    log.raw(event_v3(4, 1, struct.pack("<H50sI", 3, b"4.1.22", 9)))
    log.raw(event_v3(79, QUERY, struct.pack("<IIBH", 7, 0, 1, 0) + b"d\0INSERT"))
    assert [event.type_code for event in events(log.read())] == [15, 1, QUERY]


def test_a_wrong_checksum_is_damage_and_the_next_event_is_read() -> None:
    log = rotated_log().log
    log[140] ^= 1
    items = read(bytes(log))
    assert [event.type_code for event in events(items)] == [15, INTVAR, QUERY, XID, ROTATE]
    (gap,) = gaps(items)
    assert (gap.start, gap.reason[:17], gap.hint) == (127, "checksum mismatch", "use --no-verify to read it anyway")


def test_unverified_checksums_are_no_damage() -> None:
    log = rotated_log().log
    log[-1] ^= 1
    assert gaps(read(bytes(log), verify=False)) == []


# positions --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("checksum", [CRC32, NO_CHECKSUM])
def test_events_of_newer_mariadb_have_no_position_within_a_transaction(checksum: int) -> None:
    log = LogBuilder("11.8.6-MariaDB-log", checksum=checksum).describe()
    log.add(GTID_MARIADB, struct.pack("<QIB", 1, 0, 12) + bytes(6)).add(QUERY, query(text=b"BEGIN"), log_pos=0)
    log.add(XID, u8(7), log_pos=0).add(STOP)
    assert [event.type_code for event in events(log.read())] == [15, GTID_MARIADB, QUERY, XID, STOP]
    assert gaps(log.read()) == []


class Endless:
    """A log of large events, made while it is read: more than 4 GiB of it stand nowhere."""

    name = "endless"
    size: int | None = None
    seekable = False
    remark = ""

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


# what is no event of this log -------------------------------------------------------------------------------------


def test_all_after_a_start_encryption_event_is_sealed() -> None:
    log = LogBuilder(MARIADB).describe().add(START_ENCRYPTION, b"\1" + bytes(16)).add(XID, u8(7))
    items = log.read()
    assert [event.type_code for event in events(items)] == [15, START_ENCRYPTION]
    (gap,) = gaps(items)
    assert (gap.reason, gap.end) == ("the log is encrypted from this position", len(log.log))
    assert "--key-file" in gap.hint


def test_what_a_server_has_decrypted_for_us_is_not_sealed() -> None:
    log = LogBuilder(MARIADB).describe().add(START_ENCRYPTION, b"\1" + bytes(16), flags=IGNORABLE).add(XID, u8(7))
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
    assert "the maximum of 4096" in gaps(items)[0].reason


def test_raw_bytes_of_an_event_are_those_of_the_log() -> None:
    log = rotated_log()
    for event in events(log.read()):
        assert event.raw == bytes(log.log[event.start : event.end])
        assert zlib.crc32(event.raw[:-4]) == event.crc32
