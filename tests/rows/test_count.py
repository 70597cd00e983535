"""Rows are counted by widths as they are when every value is read: cut off, changed, with every kind of column."""

from __future__ import annotations

import random

import pytest

from binlogcli.errors import DecodeError
from binlogcli.events.log import Log
from binlogcli.events.tables import Rows
from binlogcli.rows.column import Sink
from binlogcli.rows.count import RowSkipper
from binlogcli.rows.images import RowImages
from binlogcli.rows.walk import RowWalker
from support.golden import GOLDEN

LOGS = [
    "mariadb-11.8/types-full/shop-bin.000001",
    "mysql-5.6/types-full/shop-bin.000001",
    "mysql-9.7/types-full/shop-bin.000001",
    "mysql-9.7/partial-json-minimal/shop-bin.000001",
    "mysql-9.7/image-noblob/shop-bin.000001",
    "mysql-5.6/names-wide/shop-bin.000001",
]


def row_events(name: str) -> list[Rows]:
    with Log(str(GOLDEN / name)) as log:
        return [event for event in log if isinstance(event, Rows)]


def images_of(event: Rows, data: bytes, end: int) -> RowImages:
    images = event.images(event.resolve())
    images.data = data
    images.end = end
    return images


def counted(event: Rows, data: bytes, end: int, skipper: RowSkipper) -> int | str:
    try:
        return skipper.count(images_of(event, data, end))
    except DecodeError as error:
        return str(error)


def walked(event: Rows, data: bytes, end: int) -> int | str:
    try:
        return RowWalker().walk(images_of(event, data, end), Sink())
    except DecodeError as error:
        return str(error)


@pytest.mark.parametrize("name", LOGS)
def test_as_many_rows_as_are_read(name: str) -> None:
    skipper = RowSkipper()
    for event in row_events(name):
        assert counted(event, event.row_data, event.rows_end, skipper) == event.walk(RowWalker(), Sink())


@pytest.mark.parametrize("name", LOGS)
def test_rows_that_are_cut_off_anywhere_are_no_rows(name: str) -> None:
    skipper = RowSkipper()
    for event in row_events(name)[:8]:
        for end in range(event.rows_start, min(event.rows_end, event.rows_start + 300)):
            found = counted(event, event.row_data, end, skipper)
            read = walked(event, event.row_data, end)
            assert isinstance(found, str) == isinstance(read, str) or isinstance(read, str)
            assert found == read or isinstance(read, str)


@pytest.mark.parametrize("name", LOGS)
def test_changed_rows_end_in_an_error_or_a_number(name: str) -> None:
    chance = random.Random(name)
    skipper = RowSkipper()
    for event in row_events(name)[:20]:
        for _ in range(20):
            data = bytearray(event.row_data)
            data[chance.randrange(event.rows_start, max(event.rows_end, event.rows_start + 1))] = chance.randrange(256)
            found = counted(event, bytes(data), event.rows_end, skipper)
            read = walked(event, bytes(data), event.rows_end)
            if isinstance(read, int):
                assert found == read
