"""Digits are found in rows where the text of a value has them, with all kinds of columns, NULLs and damaged bytes."""

from __future__ import annotations

import random

import pytest

from binlogcli.errors import DecodeError
from binlogcli.events.log import Log
from binlogcli.events.tables import Rows
from binlogcli.names.column_types import INTEGER_WIDTHS
from binlogcli.rows.column import Sink
from binlogcli.rows.digit_search import MOST_DIGITS, DigitSearch
from binlogcli.rows.images import RowImages
from binlogcli.rows.plan import make_plan
from binlogcli.rows.table.column_info import ColumnInfo
from binlogcli.rows.table.definition import TableDefinition
from binlogcli.rows.walk import RowWalker
from binlogcli.select.values.conditions import RowFilter
from binlogcli.select.values.grep import read_patterns
from support.golden import GOLDEN

LOGS = [
    "mariadb-10.11/rows/shop-bin.000001",
    "mariadb-11.8/types-full/shop-bin.000001",
    "mysql-5.6/types-full/shop-bin.000001",
    "mysql-9.7/types-full/shop-bin.000001",
    "mysql-9.7/partial-json-minimal/shop-bin.000001",
    "mysql-9.7/image-noblob/shop-bin.000001",
    "mysql-5.6/names-wide/shop-bin.000001",
]
NEEDLES = ("0", "7", "00", "12", "08", "32", "147", "255", "2026", "65535", "99999", "18446744", "9" * MOST_DIGITS)


def row_events(name: str) -> list[Rows]:
    with Log(str(GOLDEN / name)) as log:
        return [event for event in log if isinstance(event, Rows)]


@pytest.mark.parametrize("name", LOGS)
def test_rows_with_digits_are_those_that_have_them_when_each_value_is_tested(name: str) -> None:
    events = row_events(name)
    for needle in NEEDLES:
        grep = read_patterns((needle,), ignore_case=False)
        search, each = RowFilter(None, grep).search, RowFilter(None, grep)
        each.search = None
        assert search is not None
        for event in events:
            event.ranges = None
            found = search.find(event)
            each.choose(event)
            assert found == event.ranges, needle
            assert found is not None  # it is not left to the slow way


@pytest.mark.parametrize("name", LOGS)
@pytest.mark.parametrize("wanted", [0, 1])
def test_changed_rows_end_in_an_error_if_they_do_when_every_value_is_read(name: str, wanted: int) -> None:
    chance = random.Random(name)
    search = DigitSearch(["9" * MOST_DIGITS])
    for event in row_events(name)[:20]:
        for _ in range(0 if event.partial else 20):
            data = bytearray(event.row_data)
            data[chance.randrange(event.rows_start, max(event.rows_end, event.rows_start + 1))] = chance.randrange(256)
            images = event.images(event.resolve())
            images.data = bytes(data)
            assert ending(search, images, bytes([wanted]) * event.width) == ending(None, images, b"")


def ending(search: DigitSearch | None, images: RowImages, wanted: bytes) -> str:
    """Return the error that a search of rows ends in, or a walk over them, or nothing."""
    try:
        if search is None:
            RowWalker().walk(images, Sink())
        else:
            search.found(images, wanted, Sink())
    except DecodeError:
        return "error"
    return ""


def integers(code: int, unsigned: bool | None, value: int) -> RowImages:
    """Return the images of an inserted row with an integer, after a NULL."""
    columns = [ColumnInfo(at, code, b"") for at in range(2)]
    for column in columns:
        column.unsigned = unsigned
    definition = TableDefinition("shop", "numbers", bytes([code]) * 2, mariadb=True)
    definition.columns = columns
    images = RowImages(make_plan(definition))
    width = INTEGER_WIDTHS[code]
    images.data = b"\1" + (value % (1 << 8 * width)).to_bytes(width, "little")
    images.end = len(images.data)
    images.before = images.after = b"\3"
    return images


@pytest.mark.parametrize("code", sorted(INTEGER_WIDTHS))
@pytest.mark.parametrize("unsigned", [True, False, None])
def test_the_digits_of_an_integer_are_those_of_its_text(code: int, unsigned: bool | None) -> None:
    chance = random.Random(code)
    bits = 8 * INTEGER_WIDTHS[code]
    for _ in range(300):
        value = chance.getrandbits(chance.randint(1, bits))
        value = chance.choice([value, 0, 1, 10, 100, (1 << bits) - 1, 1 << bits - 1, (1 << bits - 1) - 1])
        signed = value - (1 << bits) if value >> bits - 1 else value
        texts = {True: [str(value)], False: [str(signed)], None: [str(value), str(signed)]}[unsigned]
        source = chance.choice([*texts, str(chance.getrandbits(20))]).lstrip("-")
        at = chance.randrange(len(source))
        needle = source[at : at + chance.randint(1, MOST_DIGITS)]
        other = str(chance.getrandbits(60))[:MOST_DIGITS]
        found = DigitSearch([other, needle]).found(integers(code, unsigned, value), b"\2\2", Sink())
        assert found == any(part in text for text in texts for part in (needle, other)), (value, needle)
