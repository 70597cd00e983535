"""Damaged format descriptions: told, and the rest of the log read as if they were whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from binlogcli.events.event import Event
from binlogcli.events.stream import EventStream
from binlogcli.log.gaps import Damage
from binlogcli.sources.source import LogPiece, PiecedSource
from support.bodies import LONGLONG, WRITE_V1, mariadb_gtid, query, rows_event, table_map, u8
from support.golden import GOLDEN
from support.load_logs import OldLog
from support.logs import (
    CRC32,
    FORMAT_DESCRIPTION,
    GTID_MARIADB,
    MAGIC,
    MARIADB,
    MYSQL,
    NO_CHECKSUM,
    QUERY,
    ROTATE,
    STOP,
    TABLE_MAP,
    XID,
    LogBuilder,
    raw_events,
    rotated_log,
)
from support.reading import Items, events, gaps, read, stream_of

_IN_USE_AT = 17  # in a format description: the byte with LOG_EVENT_BINLOG_IN_USE_F
GOLDEN_LOGS = (
    "built/mariadb.000001",
    "built/mysql.000001",
    "mariadb-10.11/enc-relay/shop-relay.000001",  # START_ENCRYPTION follows
    "mariadb-11.8/relay/shop-relay.000003",  # no GTID shows the family
    "mysql-5.6/relay/shop-relay.000005",  # two format descriptions, one after the other
    "mysql-8.4/replica_relay_relay/replica_relay_relay.000005",  # two; the second has no position
    "mysql-9.7/incident-midfile/shop-bin.000002",
)


def of_mariadb_5_5() -> bytes:
    """A log whose events could be of either family, with a table between the others."""
    log = LogBuilder("5.5.68-MariaDB").describe().add(QUERY, query(text=b"BEGIN"))
    log.add(TABLE_MAP, table_map([LONGLONG])).add(WRITE_V1, rows_event(1, b"\0" + u8(7)))
    return bytes(log.add(XID, u8(7)).add(STOP).log)


LOGS = {
    **{name: (GOLDEN / name).read_bytes() for name in GOLDEN_LOGS},
    "a rotated log of MySQL": bytes(rotated_log(MYSQL).log),
    "a rotated log of MariaDB": bytes(rotated_log(MARIADB).log),
    "a log of MariaDB 5.5": of_mariadb_5_5(),
}


def told(items: Items) -> Iterator[tuple[Any, ...]]:
    """Yield each event as its place and fields."""
    for event in events(items):
        yield event.type, event.start, event.end, event.crc32, repr(event.as_dict())


@pytest.mark.parametrize("name", LOGS)
def test_each_flipped_bit_of_magic_and_format_description_is_told_and_costs_nothing_else(name: str) -> None:
    log = LOGS[name]
    sound = read(log)
    whole, other_gaps = list(told(sound)), gaps(sound)
    formats = [(event.start, event.end) for event in events(sound) if event.type_code == FORMAT_DESCRIPTION]
    for start, end in ((0, len(MAGIC)), *formats):
        for at in range(start, end):
            for bit in range(8):
                if (at - start, bit) == (_IN_USE_AT, 0) and start > 0:
                    continue  # LOG_EVENT_BINLOG_IN_USE_F: no checksum covers it, and both its values are sound
                items = read(log[:at] + bytes([log[at] ^ 1 << bit]) + log[at + 1 :])
                assert [gap for gap in gaps(items) if gap.start != start] == other_gaps, (at, bit)
                (gap,) = (gap for gap in gaps(items) if gap.start == start)
                assert gap.end == end, (at, bit)
                assert list(told(items)) == [event for event in whole if event[1] != start], (at, bit)


@pytest.mark.parametrize("version", [MYSQL, MARIADB])
def test_a_flipped_bit_of_a_format_description_is_told_without_checksums_too(version: str) -> None:
    log = bytes(rotated_log(version, checksum=NO_CHECKSUM).log)
    whole = list(told(read(log)))
    for at in range(4, whole[0][2]):
        for bit in range(8):
            if (at - 4, bit) == (_IN_USE_AT, 0):
                continue
            items = read(log[:at] + bytes([log[at] ^ 1 << bit]) + log[at + 1 :])
            (gap,) = gaps(items)
            assert (gap.start, gap.end) == whole[0][1:3], (at, bit)
            assert list(told(items)) == whole[1:], (at, bit)


def denying(version: str) -> LogBuilder:
    """A log with checksums whose format description says by several wrong bytes that there are none."""
    log = LogBuilder(version).describe()
    log.log[-5] = NO_CHECKSUM
    log.log[-4:] = bytes(4)
    return log.add(QUERY, query(text=b"BEGIN")).add(XID, u8(7)).add(STOP)


@pytest.mark.parametrize("chunk", [1, 7, 19, 100, 1 << 20])
@pytest.mark.parametrize("version", [MYSQL, MARIADB])
def test_checksums_of_events_prove_that_there_are_checksums(version: str, chunk: int) -> None:
    log = denying(version)
    items = read(bytes(log.log), chunk=chunk)
    (gap,) = gaps(items)
    assert (gap.start, gap.end, gap.reason[:17]) == (4, log.starts[1], "checksum mismatch")
    assert [event.type_code for event in events(items)] == [QUERY, XID, STOP]
    assert all(event.crc32 is not None for event in events(items))


@pytest.mark.parametrize("version", [MYSQL, MARIADB])
def test_unverified_such_a_format_description_is_no_damage_and_the_events_are_read_as_well(version: str) -> None:
    items = read(bytes(denying(version).log), verify=False)
    assert gaps(items) == []
    begin = events(items)[1]
    assert (begin.query, begin.crc32 is not None) == (b"BEGIN", True)


def test_an_event_too_large_to_be_waited_for_proves_it_when_it_comes() -> None:
    log = LogBuilder(MYSQL).describe()
    log.log[-5:] = bytes(5)
    items = read(bytes(log.add(QUERY, query(text=b"x" * (1 << 17))).add(STOP).log), chunk=1 << 16)
    (gap,) = gaps(items)
    assert (gap.start, gap.end) == (4, log.starts[1])
    assert events(items)[1].crc32 is not None


def test_a_checksum_that_a_server_left_as_it_was_is_no_damage_in_a_log_without() -> None:
    log = LogBuilder(checksum=NO_CHECKSUM).describe(created=0x65666768)
    log.log[4 + 19 + 52 : 4 + 19 + 56] = bytes(4)  # `created`, which servers clear in what they send
    items = log.add(STOP).read()
    assert gaps(items) == []
    assert [event.type_code for event in events(items)] == [FORMAT_DESCRIPTION, STOP]


def test_a_server_whose_version_is_no_number_has_checksums_where_its_own_one_is_right() -> None:
    first, begin = events(LogBuilder("built-here").describe().add(QUERY, query(text=b"BEGIN")).read())
    assert (first.checksum_alg, first.crc32 is not None) == (CRC32, True)
    assert (begin.query, begin.crc32 is not None) == (b"BEGIN", True)


@pytest.mark.parametrize("number", [7, 11, 13, 14, 31])
@pytest.mark.parametrize("checksum", [CRC32, NO_CHECKSUM])
def test_the_first_event_is_no_other_one_by_a_damaged_type(number: int, checksum: int) -> None:
    log = rotated_log(checksum=checksum)
    whole = list(told(log.read()))
    log.log[8] = number
    items = log.read()
    (gap,) = gaps(items)
    assert gap.reason == f"the format description is broken: its type is {number}"
    assert list(told(items)) == whole[1:]


def test_an_event_with_a_damaged_type_does_not_end_the_checksums() -> None:
    log = LogBuilder().describe().add(TABLE_MAP, table_map([LONGLONG], table_id=4))
    log.add(31, b"\4" + bytes(5) + b"\1\0\2\0\1\xff\xff" + b"0" * 80).add(XID, u8(7)).add(STOP)  # table 4
    log.log[log.starts[2] + 4] = FORMAT_DESCRIPTION
    items = log.read()
    (gap,) = gaps(items)
    assert (gap.start, gap.end) == (log.starts[2], log.starts[3])
    assert [event.type_code for event in events(items)] == [FORMAT_DESCRIPTION, TABLE_MAP, XID, STOP]
    assert all(event.crc32 is not None for event in events(items))


@pytest.mark.parametrize("version", [MYSQL, MARIADB])
def test_a_log_without_its_beginning_has_checksums_though_its_first_event_is_damaged(version: str) -> None:
    log = bytearray(rotated_log(version).log)
    whole = list(told(read(bytes(log))))
    first, end = whole[1][1:3]
    log[first + 25] ^= 1
    items = read(bytes(log[first:]))
    assert [event.type_code for event in events(items)] == [5, QUERY, XID, ROTATE]
    assert all(event.crc32 is not None for event in events(items))
    assert gaps(items) == [Damage(0, end - first, "the log does not start with the magic bytes fe 62 69 6e")]


class Pieces(PiecedSource):
    """A log that comes event by event."""

    def __init__(self, log: LogBuilder) -> None:
        super().__init__("pieces")
        self.left = list(raw_events(bytes(log.log)))

    def next_piece(self) -> LogPiece | None:
        return LogPiece(*self.left.pop(0)) if self.left else None


@pytest.mark.parametrize("version", [MYSQL, MARIADB])
def test_in_a_log_that_comes_in_pieces_it_is_told_when_the_next_event_comes(version: str) -> None:
    log = denying(version)
    first, gap, *others = EventStream(Pieces(log))
    assert isinstance(first, Event)
    assert first.type_code == FORMAT_DESCRIPTION
    assert gap == Damage(4, log.starts[1], "it says that events have no checksums, but those after it do")
    assert [event.type_code for event in events(others)] == [QUERY, XID, STOP]
    assert all(isinstance(item, Event) and item.crc32 is not None for item in others)


def test_the_format_of_a_log_may_be_met_far_from_its_events() -> None:
    """As a split of a log is read: its format description first, then events further on."""
    log = denying(MARIADB)
    log.add(GTID_MARIADB, mariadb_gtid(1)).add(STOP)
    data = bytes(log.log)
    for damaged in (data, data[:30] + b"?" + data[31:]):
        stream = stream_of(damaged)
        stream.resume([(4, damaged[4 : log.starts[1]])], log.starts[4])
        items = list(stream)
        assert [event.type_code for event in events(items)] == [GTID_MARIADB, STOP]
        assert all(isinstance(item, Event) and item.crc32 is not None for item in items)


@pytest.mark.parametrize("size", range(13, 26))
def test_a_format_description_of_no_size_in_a_log_of_3_23_is_damage(size: int) -> None:
    """Headers have 13 bytes there, those of format descriptions 19."""
    log = OldLog(1).add(15, bytes(size - 13))
    assert [(gap.start, gap.end) for gap in gaps(read(bytes(log.log)))] == [(73, 73 + size)]
