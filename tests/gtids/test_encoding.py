"""MySQL's sets as bytes are read as they were written, with tags and without."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from binlogcli.binary.cursor import Cursor
from binlogcli.gtids.encoding import encode_gtid_set, read_gtid_set
from binlogcli.gtids.intervals import Intervals

uuids = st.sampled_from(["3e11fa47-71ca-11e1-9e33-c80aa9429562", "00000000-0000-0000-0000-000000000001"])
numbers = st.lists(st.integers(1, (1 << 63) - 2), min_size=1)


@given(st.dictionaries(st.tuples(uuids, st.sampled_from(["", "red", "blue_2"])), numbers))
def test_a_set_is_read_as_it_was_written(known: dict[tuple[str, str], list[int]]) -> None:
    sets: dict[tuple[str, str], Intervals] = {}
    for source, given_numbers in known.items():
        for number in given_numbers:
            sets.setdefault(source, Intervals()).add(number)
    body = Cursor(encode_gtid_set(sets))
    assert read_gtid_set(body).entries == sorted((source, found.pairs()) for source, found in sets.items())
    assert body.left() == 0
