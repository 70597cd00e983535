"""A log that comes in pieces, as it is sent over the wire: each piece is whole events, and says where they stand."""

from __future__ import annotations

import pytest

from binlogcli.events.stream import EventStream
from binlogcli.log.gaps import Damage
from binlogcli.sources.source import LogPiece, PiecedSource
from support.logs import LogBuilder
from support.reading import Items, events, gaps

XID, STOP = 16, 3


class Pieces(PiecedSource):
    def __init__(self, pieces: list[LogPiece]) -> None:
        super().__init__("pieces")
        self.pieces = iter(pieces)

    def next_piece(self) -> LogPiece | None:
        return next(self.pieces, None)


def cut(log: LogBuilder, *starts: int) -> list[LogPiece]:
    ends = [*starts[1:], len(log.log)]
    return [LogPiece(start, bytes(log.log[start:end])) for start, end in zip(starts, ends, strict=True)]


@pytest.fixture
def log() -> LogBuilder:
    return LogBuilder().describe().add(XID, bytes(8)).add(XID, bytes(8)).add(STOP)


def test_pieces_are_read_as_the_log_is(log: LogBuilder) -> None:
    whole = events(log.read())
    places = [event.start for event in whole]
    found: Items = list(EventStream(Pieces(cut(log, *places))))
    assert [(one.type, one.start, one.end) for one in found] == [(one.type, one.start, one.end) for one in whole]


def test_what_is_lost_between_pieces_is_damage_at_its_place(log: LogBuilder) -> None:
    places = [event.start for event in events(log.read())]
    first, _, third, fourth = cut(log, *places)
    third = third._replace(lost="not captured", lost_from=first.start + len(first.data))
    found: Items = list(EventStream(Pieces([first, third, fourth])))
    assert gaps(found) == [Damage(places[1], places[2], "not captured")]
    assert [one.start for one in events(found)] == [places[0], places[2], places[3]]


@pytest.mark.parametrize("checksum", [0, 1])
def test_pieces_from_the_middle_of_a_log_tell_by_themselves_whether_there_are_checksums(checksum: int) -> None:
    log = LogBuilder(checksum=checksum).describe().add(XID, bytes(range(8))).add(STOP)
    places = [event.start for event in events(log.read())]
    found: Items = list(EventStream(Pieces(cut(log, *places)[1:])))
    assert [one.start for one in found] == places[1:]
    assert found[0].xid == int.from_bytes(range(8), "little")


def test_a_damaged_piece_costs_itself_alone(log: LogBuilder) -> None:
    places = [event.start for event in events(log.read())]
    log.log[places[1] + 20] ^= 1
    found: Items = list(EventStream(Pieces(cut(log, *places))))
    assert [(gap.start, gap.end) for gap in gaps(found)] == [(places[1], places[2])]
    assert [one.start for one in events(found)] == [places[0], places[2], places[3]]


def test_bytes_lost_at_the_end_are_damage(log: LogBuilder) -> None:
    end = len(log.log)
    pieces = [*cut(log, 4), LogPiece(end, b"", "cut off", end)]
    assert gaps(list(EventStream(Pieces(pieces)))) == [Damage(end, end, "cut off")]
