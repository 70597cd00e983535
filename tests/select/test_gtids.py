"""Sets of GTIDs: what is in them is what a plain set of numbers says."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from binlogcli.select.gtids import GtidError, merge, read_gtids

UUID = "3e11fa47-71ca-11e1-9e33-c80aa9429562"
OTHER = "00000000-0000-0000-0000-000000000001"

pieces = st.lists(st.tuples(st.integers(1, 60), st.integers(0, 9)).map(lambda pair: (pair[0], sum(pair))), min_size=1)
sources = st.tuples(st.sampled_from([UUID, OTHER]), st.sampled_from(["", "red", "blue_2"]))


@given(pieces)
def test_merged_intervals_hold_the_same_numbers_and_do_not_touch(given_pieces: list[tuple[int, int]]) -> None:
    merged = merge(given_pieces)
    numbers = {number for first, last in given_pieces for number in range(first, last + 1)}
    assert {number for first, last in merged for number in range(first, last + 1)} == numbers
    assert all(before[1] + 1 < after[0] for before, after in pairwise(merged))


@given(st.dictionaries(sources, pieces, min_size=1), st.booleans())
def test_a_mysql_set_contains_what_its_text_names(
    sets: dict[tuple[str, str], list[tuple[int, int]]], upper: bool
) -> None:
    texts = []
    for (sid, tag), intervals in sets.items():
        numbers = ":".join(f"{first}-{last}" if last > first else f"{first}" for first, last in intervals)
        texts.append(f"{sid}:{tag}:{numbers}" if tag else f"{sid}:{numbers}")
    text = ", ".join(texts)
    chosen = read_gtids(text.upper() if upper else text)
    for source in [(sid, tag) for sid in (UUID, OTHER) for tag in ("", "red", "blue_2")]:
        expected = {n for first, last in sets.get(source, []) for n in range(first, last + 1)}
        assert {number for number in range(80) if chosen.contains(source, number)} == expected


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(1, 2), st.integers(0, 40), st.integers(0, 9)), min_size=1))
def test_a_mariadb_set_contains_what_its_text_names(items: list[tuple[int, int, int, int]]) -> None:
    chosen = read_gtids(",".join(f"{d}-{s}-{n}..{n + more}" if more else f"{d}-{s}-{n}" for d, s, n, more in items))
    for domain in range(3):
        for server in (1, 2):
            expected = {
                n for d, s, first, more in items if (d, s) == (domain, server) for n in range(first, first + more + 1)
            }
            assert {number for number in range(60) if chosen.contains((domain, server), number)} == expected


def test_a_tag_holds_for_the_numbers_after_it() -> None:
    chosen = read_gtids(f"{UUID}:1-3:red:5:7-8:blue:1")
    assert [number for number in range(10) if chosen.contains((UUID, ""), number)] == [1, 2, 3]
    assert [number for number in range(10) if chosen.contains((UUID, "red"), number)] == [5, 7, 8]
    assert [number for number in range(10) if chosen.contains((UUID, "blue"), number)] == [1]


def test_numbers_may_be_as_large_as_the_servers_make_them() -> None:
    assert read_gtids("4294967295-4294967295-18446744073709551615").contains((4294967295, 4294967295), (1 << 64) - 1)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " , ",
        "1-2",
        "0-1-5..4",
        "0-1",
        "x",
        UUID,
        f"{UUID}:",
        f"{UUID}:0",
        f"{UUID}:5-3",
        f"{UUID}:red",
        f"{UUID}:1:9a",
    ],
)
def test_what_is_no_set_is_an_error_that_says_how_to_write_one(text: str) -> None:
    with pytest.raises(GtidError):
        read_gtids(text)
