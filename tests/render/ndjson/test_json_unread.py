"""What JSON makes of events that can be read only in part: valid JSON, with nothing lost of what was read."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import binlogcli
from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.events.mysql import TransactionPayload
from binlogcli.events.tables import Rows
from binlogcli.log.gaps import Damage
from binlogcli.render.ndjson.events import JsonLines
from support.bodies import BLOB, TINY, UPDATE_V1, WRITE_V1, rows_event, table_map, u4
from support.golden import GOLDEN
from support.logs import MARIADB, TABLE_MAP, LogBuilder


def json_of(path: Path) -> tuple[list[dict[str, Any]], list[Damage]]:
    written = io.BytesIO()
    damages: list[Damage] = []
    with binlogcli.open(str(path), verify=False) as log:
        JsonLines(TextBuffer()).run(log, written.write, damages.append)
    return [json.loads(line) for line in written.getvalue().splitlines()], damages


def test_bytes_after_a_row_of_no_columns_follow_that_row(tmp_path: Path) -> None:
    original = GOLDEN / "mysql-5.6" / "gtid-on" / "shop-bin.000001"
    data = bytearray(original.read_bytes())
    with binlogcli.open(str(original)) as log:
        event = next(event for event in log if isinstance(event, Rows))
    present = event.start + event.rows_start - event.at - len(event.present)
    data[present : present + len(event.present)] = bytes(len(event.present))
    (tmp_path / "a.log").write_bytes(data)
    lines, damages = json_of(tmp_path / "a.log")
    (line,) = (line for line in lines if line["pos"] == event.start)
    row, rest = line["body"]["rows"]
    assert row == {"after": {}}
    assert rest["reason"] == damages[0].reason.removeprefix("WRITE_ROWS_EVENT: ")
    assert bytes.fromhex(rest["hex"]) == event.row_data[event.rows_start : event.rows_end]


def test_a_gtid_whose_tag_is_no_tag_is_damage_and_the_rest_is_json(tmp_path: Path) -> None:
    data = (GOLDEN / "mysql-8.4" / "gtid_tags" / "gtid_tags.000001").read_bytes()
    (tmp_path / "a.log").write_bytes(data.replace(b"mytag", b'a"ag\xe7'))
    lines, damages = json_of(tmp_path / "a.log")
    assert damages
    assert all(damage.reason.endswith("is not the tag of a GTID") for damage in damages)
    assert {line["pos"] for line in lines if "damage" in line} == {damage.start for damage in damages}


def test_a_payload_of_unknown_compression_is_an_event_and_its_content_is_damage(tmp_path: Path) -> None:
    original = GOLDEN / "mysql-8.4" / "compress_small" / "compress_small.000001"
    with binlogcli.open(str(original)) as log:
        event = next(event for event in log if isinstance(event, TransactionPayload))
    unknown = event.raw.replace(b"\x02\x01\x00", b"\x02\x01\x07", 1)  # field 2, of one byte: the compression's type
    (tmp_path / "a.log").write_bytes(original.read_bytes().replace(event.raw, unknown))
    with binlogcli.open(str(tmp_path / "a.log"), verify=False) as log:
        items = list(log)
    at = next(index for index, item in enumerate(items) if item.start == event.start)
    assert isinstance(items[at], TransactionPayload)
    content = items[at + 1]
    assert isinstance(content, Damage)
    assert content.within == event.start
    assert "unknown compression 7" in content.reason


def test_a_row_that_is_unreadable_behind_a_long_value_is_bytes(tmp_path: Path) -> None:
    long = u4(300_000) + b"\1" * 300_000
    sound, cut = b"\0" + long + b"\5", b"\0" + long
    log = LogBuilder(MARIADB).describe().add(TABLE_MAP, table_map([BLOB, TINY], b"\4"))
    log.add(WRITE_V1, rows_event(2, sound + cut)).write(tmp_path / "a.log")
    lines, damages = json_of(tmp_path / "a.log")
    row, rest = lines[-1]["body"]["rows"]
    assert row == {"after": {"@1": "\1" * 300_000, "@2": 5}}
    assert bytes.fromhex(rest["hex"]) == cut
    assert damages[0].reason == "WRITE_ROWS_EVENT_V1: " + rest["reason"]


def test_both_images_of_a_row_have_their_long_values(tmp_path: Path) -> None:
    old, new = b"\0" + u4(100_000) + b"\1" * 100_000, b"\0" + u4(90_000) + b"\2" * 90_000
    log = LogBuilder(MARIADB).describe().add(TABLE_MAP, table_map([BLOB], b"\4"))
    log.add(UPDATE_V1, rows_event(1, old + new, kind=UPDATE_V1)).write(tmp_path / "a.log")
    lines, damages = json_of(tmp_path / "a.log")
    assert not damages
    assert lines[-1]["body"]["rows"] == [{"before": {"@1": "\1" * 100_000}, "after": {"@1": "\2" * 90_000}}]
