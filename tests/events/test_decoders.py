"""Each event type from its bytes: whole, cut off anywhere, and with more after it."""

from __future__ import annotations

import zlib
from typing import Any

import pytest

from binlogcli.events.registry import REGISTRY
from binlogcli.names.event_types import EVENT_TYPES
from events.cases import CASES, UUID, Case
from support.bodies import container, query, table_map, u4, u8
from support.logs import MARIADB, LogBuilder
from support.reading import gaps

TESTED_ELSEWHERE = {1, 15, 19, *range(20, 26), *range(30, 33), 39, 40, 164, *range(166, 172)}


def by_case(cases: list[Case]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", cases, ids=lambda case: case.name)


def read_event(case: Case, body: bytes, *, after: bytes = b"") -> Any:
    """The event, or the damage, that a body of the case's type is read as."""
    log = LogBuilder(case.version).describe().add(case.kind, body + after)
    (_, item) = log.read()
    return item


@by_case(CASES)
def test_an_event_has_the_fields_that_its_bytes_say(case: Case) -> None:
    event = read_event(case, case.body)
    assert event.type == EVENT_TYPES[case.kind]
    found = event.as_dict()
    assert {name: found.get(name) for name in case.fields} == case.fields


@by_case(CASES)
def test_an_event_that_is_cut_off_is_damage_or_has_less_in_it(case: Case) -> None:
    for cut in range(len(case.body)):
        item = read_event(case, case.body[:cut])
        if item in gaps([item]):
            assert item.reason.startswith(f"{EVENT_TYPES[case.kind]}: ")
        else:
            item.as_dict()


@by_case(CASES)
def test_bytes_after_an_event_do_no_harm(case: Case) -> None:
    event = read_event(case, case.body, after=b"\0\x5a")
    assert event.type == EVENT_TYPES[case.kind]
    found = event.as_dict()
    if "unknown" in found:
        assert found["unknown"].endswith(b"\x5a")


def test_every_type_that_has_a_decoder_has_a_test() -> None:
    decoded = {code for code, kind in enumerate(REGISTRY) if kind.__name__ != "Event"}
    assert decoded - TESTED_ELSEWHERE == {case.kind for case in CASES}


@pytest.mark.parametrize("count", [1, 1 << 27])
def test_a_gtid_list_that_announces_more_than_it_has_is_damage(count: int) -> None:
    item = read_event(Case("", 163, b"", {}, MARIADB), u4(count) + bytes(15))
    assert "count needs" in item.reason


def test_a_gtid_set_that_announces_more_than_it_has_is_damage() -> None:
    for body in (u8(2**40), u8(1) + UUID + u8(2**60)):
        assert gaps([read_event(Case("", 35, b"", {}), body)])


def test_a_gtid_with_a_tag_that_no_server_gives_is_damage() -> None:
    tagged = next(case for case in CASES if case.kind == 42 and case.fields.get("tag"))
    tag = str(tagged.fields["tag"]).encode()
    item = read_event(tagged, tagged.body.replace(tag, b"\xfb" + tag[1:]))
    assert item.reason.endswith("is not the tag of a GTID")


def test_a_user_variable_whose_value_does_not_fit_its_type_is_damage() -> None:
    decimal = u4(1) + b"v\0\4" + u4(63) + u4(4) + b"\4\0" + (0x8000 + 20000).to_bytes(2, "big")
    assert "a group of DECIMAL digits is" in read_event(Case("", 14, b"", {}), decimal).reason
    double = u4(1) + b"v\0\1" + u4(63) + u4(3) + bytes(3)
    assert read_event(Case("", 14, b"", {}), double).reason == "USER_VAR_EVENT: val needs 8 bytes, 3 left"


def test_extra_row_info_that_cannot_be_decoded_is_damage() -> None:
    rows = bytes(6) + b"\1\0" + b"\3\0" + b"\1" + b"\1\xff\0\1\0\0\0"
    assert read_event(Case("", 30, b"", {}), rows).reason == "WRITE_ROWS_EVENT: partition_id needs 2 bytes, 0 left"


def test_a_table_map_that_ends_after_the_types_is_damage_but_in_betas_of_5_1() -> None:
    cut = table_map([3, 3], b"")[:-2]
    assert read_event(Case("", 19, b"", {}), cut).reason == "TABLE_MAP_EVENT: it ends after the columns' types"
    (_, beta) = LogBuilder("5.1.5-alpha", checksum=0).describe().add(19, cut).read()
    assert [column.code for column in beta.definition.columns] == [3, 3]


def test_a_status_variable_that_runs_over_makes_the_event_damage() -> None:
    item = read_event(Case("", 2, b"", {}), query(b"\1\0\0"))
    assert item.reason == "QUERY_EVENT: status variables: sql_mode needs 8 bytes, 2 left"


def test_a_longer_post_header_of_the_future_is_passed_over() -> None:
    log = LogBuilder().describe()
    log.log[4 + 19 + 57 + 1] = 13 + 4  # QUERY's post-header
    log.log[-4:] = zlib.crc32(log.log[4:-4]).to_bytes(4, "little")
    head, rest = query()[:13], query()[13:]
    assert log.add(2, head + b"\1\2\3\4" + rest).read()[1].query == b"SELECT 1"


@pytest.mark.parametrize(
    "broken",
    [
        b"\x71\5" + zlib.compress(b"query"),
        b"\x95\1\5",
        b"\x85\1\5",
        b"\x81\4" + zlib.compress(b"query"),
        b"\x81\6no",
        b"",
    ],
)
def test_compressed_content_that_is_broken_is_damage(broken: bytes) -> None:
    assert gaps([read_event(Case("", 165, b"", {}, MARIADB), query(text=broken))])


def test_compressed_content_over_the_limit_is_damage() -> None:
    log = LogBuilder(MARIADB).describe().add(165, query(text=container(bytes(1 << 20))))
    (gap,) = gaps(log.read(max_event_size=1 << 16))
    assert "the maximum of 65536" in gap.reason
