"""Sets of GTIDs as text: what is in them is what a plain set of numbers says, and they are read as they are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from binlogcli.gtids.parsing import GtidError, read_gtids
from binlogcli.gtids.text import GtidSet, Source, set_text

UUID = "3e11fa47-71ca-11e1-9e33-c80aa9429562"
OTHER = "00000000-0000-0000-0000-000000000001"

pieces = st.lists(st.tuples(st.integers(1, 60), st.integers(0, 9)).map(lambda pair: (pair[0], sum(pair))), min_size=1)
sources = st.tuples(st.sampled_from([UUID, OTHER]), st.sampled_from(["", "red", "blue_2"]))


def holds(sets: GtidSet, source: Source, number: int) -> bool:
    return source in sets and sets[source].contains(number)


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
        assert {number for number in range(80) if holds(chosen, source, number)} == expected


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(1, 2), st.integers(0, 40), st.integers(0, 9)), min_size=1))
def test_a_mariadb_set_contains_what_its_text_names(items: list[tuple[int, int, int, int]]) -> None:
    chosen = read_gtids(",".join(f"{d}-{s}-{n}..{n + more}" if more else f"{d}-{s}-{n}" for d, s, n, more in items))
    for domain in range(3):
        for server in (1, 2):
            expected = {
                n for d, s, first, more in items if (d, s) == (domain, server) for n in range(first, first + more + 1)
            }
            assert {number for number in range(60) if holds(chosen, (domain, server), number)} == expected


def test_a_tag_holds_for_the_numbers_after_it() -> None:
    chosen = read_gtids(f"{UUID}:1-3:red:5:7-8:blue:1")
    assert [number for number in range(10) if holds(chosen, (UUID, ""), number)] == [1, 2, 3]
    assert [number for number in range(10) if holds(chosen, (UUID, "red"), number)] == [5, 7, 8]
    assert [number for number in range(10) if holds(chosen, (UUID, "blue"), number)] == [1]


def test_numbers_may_be_as_large_as_the_servers_make_them() -> None:
    chosen = read_gtids("4294967295-4294967295-18446744073709551615")
    assert holds(chosen, (4294967295, 4294967295), (1 << 64) - 1)


@pytest.mark.parametrize("text", [f"{OTHER}:4,{UUID}:1-3:7:blue:1:red:5:7-8", f"{OTHER}:red:4-5", ""])
def test_mysql_sets_are_written_as_they_are_read(text: str) -> None:
    sets = read_gtids(text) if text else {}
    assert set_text({source: numbers.pairs() for source, numbers in sets.items()}) == text


def test_a_set_of_both_families_is_written_with_mariadbs_part_first() -> None:
    sets = read_gtids(f"{OTHER}:4,0-1-5..7")
    assert set_text({source: numbers.pairs() for source, numbers in sets.items()}) == f"0-1-5..7,{OTHER}:4"


def test_mariadb_sets_are_written_as_they_are_read() -> None:
    text = "0-1-5..7,0-1-9,0-2-8,10-1-1"
    sets = read_gtids(text)
    assert set_text({source: numbers.pairs() for source, numbers in sets.items()}) == text


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
        "0-1-" + "9" * 5000,
        "9" * 5000 + "-1-1",
        "0-1-1.." + "9" * 5000,
        f"{UUID}:" + "9" * 5000,
        f"{UUID}:1-" + "9" * 5000,
        "0-1-99999999999999999999",
    ],
)
def test_what_is_no_set_is_an_error_that_says_how_to_write_one(text: str) -> None:
    with pytest.raises(GtidError) as caught:
        read_gtids(text)
    assert len(caught.value.line()) < 500
