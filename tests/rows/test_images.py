"""Images of rows: columns that they lack, rows that are broken or cut off."""

from __future__ import annotations

import json
import zlib

import pytest

from support.bodies import (
    BLOB,
    DATETIME2,
    DELETE_V1,
    JSON,
    NEWDECIMAL,
    PARTIAL_UPDATE,
    STRING,
    TINY,
    UNSIGNED,
    UPDATE,
    UPDATE_V1,
    UTF8MB4,
    VARCHAR,
    WRITE,
    WRITE_V1,
    charset,
    lenenc_field,
    rows_event,
    table_map,
)
from support.logs import MARIADB, LogBuilder
from support.reading import events, gaps, json_lines
from support.stored_rows import json_rows


def test_columns_that_an_image_lacks_are_absent_and_null_is_null() -> None:
    log = LogBuilder().describe().add(19, table_map([TINY] * 9))
    log.add(DELETE_V1, rows_event(9, b"\xfe\1" + b"\xfc\2\0", kind=DELETE_V1, present=b"\x05\0"))
    assert json_rows(bytes(log.log)) == [{"before": {"@1": 1, "@3": None}}, {"before": {"@1": 2, "@3": 0}}]


def test_an_update_has_a_bitmap_for_each_image() -> None:
    log = LogBuilder().describe().add(19, table_map([TINY, TINY]))
    body = (7).to_bytes(6, "little") + b"\1\0" + b"\2" + b"\1" + b"\2" + b"\0\5" + b"\0\6"
    log.add(UPDATE_V1, body)
    assert json_rows(bytes(log.log)) == [{"before": {"@1": 5}, "after": {"@2": 6}}]


def test_an_update_of_the_first_version_has_one_bitmap() -> None:
    log = LogBuilder().describe().add(19, table_map([TINY]))
    log.add(21, (7).to_bytes(6, "little") + b"\1\0" + b"\1" + b"\1" + b"\0\5" + b"\0\6")
    assert json_rows(bytes(log.log)) == [{"before": {"@1": 5}, "after": {"@1": 6}}]


def test_a_row_without_columns_is_a_row() -> None:
    log = LogBuilder().describe().add(19, table_map([TINY]))
    log.add(WRITE_V1, rows_event(1, b"", present=b"\0"))
    assert json_rows(bytes(log.log)) == [{"after": {}}]


def test_the_dummy_event_that_ends_a_statement_has_no_rows_and_is_no_damage() -> None:
    for table_id in (0xFFFFFF, 0xFFFFFFFF):
        log = LogBuilder(MARIADB).describe().add(WRITE_V1, table_id.to_bytes(6, "little") + b"\1\0" + b"\0")
        _, told = json_lines(bytes(log.log))
        assert told == []
        assert json_rows(bytes(log.log)) == []


def test_rows_whose_table_map_is_missing_are_bytes_with_the_reason() -> None:
    log = LogBuilder().describe().add(WRITE_V1, rows_event(1, b"\0\5"))
    assert json_rows(bytes(log.log)) == [{"hex": "0005", "reason": "no table map with id 7 precedes these rows"}]


def test_rows_before_a_broken_one_are_kept() -> None:
    log = LogBuilder().describe().add(19, table_map([VARCHAR], b"\x0a\0"))
    log.add(WRITE_V1, rows_event(1, b"\0\1a" + b"\0\1b" + b"\0\x09c"))
    one, two, rest = json_rows(bytes(log.log))
    assert (one, two) == ({"after": {"@1": "a"}}, {"after": {"@1": "b"}})
    assert rest["hex"] == "000963"


def test_compressed_rows_are_opened() -> None:
    rows = b"\0\5" * 300
    packed = b"\x82" + len(rows).to_bytes(2, "big") + zlib.compress(rows)
    log = LogBuilder(MARIADB).describe().add(19, table_map([TINY]))
    log.add(166, rows_event(1, packed)).add(169, (7).to_bytes(6, "little") + b"\1\0" + b"\2\0" + b"\1\1" + packed)
    first, second = events(log.read())[-2:]
    assert [len(event.rows) for event in (first, second)] == [300, 300]
    assert json_rows(bytes(log.log)) == [{"after": {"@1": 5}}] * 300


def test_extra_row_info_names_the_partitions() -> None:
    log = LogBuilder().describe().add(19, table_map([TINY]))
    extra = b"\1\3\0\4\0"
    head = (7).to_bytes(6, "little") + b"\1\0" + (2 + len(extra)).to_bytes(2, "little") + extra
    log.add(UPDATE, head + b"\1\1\1" + b"\0\5" + b"\0\6")
    body = json.loads(json_lines(bytes(log.log))[0][-1])["body"]
    assert body["extra_row_info"] == {"partition_id": 3, "source_partition_id": 4}


@pytest.mark.parametrize("kind", [WRITE_V1, UPDATE_V1, DELETE_V1, WRITE, UPDATE, PARTIAL_UPDATE])
def test_rows_cut_off_anywhere_do_no_harm(kind: int) -> None:
    types = [TINY, VARCHAR, NEWDECIMAL, DATETIME2, JSON, BLOB, STRING]
    metadata = b"\x0a\0" + b"\4\2" + b"\3" + b"\4" + b"\1" + b"\xf7\1"
    row = b"\x80\5" + b"\2ab" + b"\x80\0" + bytes.fromhex("99b2bac8b81ed2")[:7] + b"\2\0\0\0\4\1" + b"\1x" + b"\1"
    image = row if kind != PARTIAL_UPDATE else row + b"\0" + row
    body = rows_event(7, image * 3, kind=kind)
    for cut in range(len(body)):
        log = LogBuilder().describe().add(19, table_map(types, metadata)).add(kind, body[:cut]).add(3)
        lines = [json.loads(line) for line in json_lines(bytes(log.log))[0]]
        assert lines[-1]["type"] == "STOP_EVENT"
        assert len(lines) == 4


def test_a_table_map_cut_off_anywhere_is_damage() -> None:
    names = (
        lenenc_field(4, b"\1a\1b") + charset(UTF8MB4) + UNSIGNED + lenenc_field(8, b"\0") + lenenc_field(200, b"new")
    )
    body = table_map([TINY, VARCHAR], b"\x0a\0", names)
    whole = LogBuilder().describe().add(19, body).read()[1]
    assert whole.as_dict()["unknown_metadata"] == {"200": b"new"}
    for cut in range(len(body)):
        item = LogBuilder().describe().add(19, body[:cut]).read()[1]
        if item in gaps([item]):
            assert item.reason.startswith("TABLE_MAP_EVENT: ")
        else:
            item.as_dict()
