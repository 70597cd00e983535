"""What the annotated hexdump says of bytes: values, meanings, names, and how their words are broken into lines."""

from __future__ import annotations

import gzip
import json
import os
from typing import Any

import pytest

from binlogcli.render.hexdump.words.values import value_text
from binlogcli.rows.notes.temporal_words import describe_parts
from support.bodies import u2, u8
from support.golden import GOLDEN
from support.logs import MYSQL, LogBuilder, TimedLog
from support.program import run
from support.rare_logs import RARE_LOGS, ROW, TABLE

BUILT = GOLDEN / "built"
TYPES = "mysql-9.7/types-full/shop-bin.000001"
UNASSIGNED = 99  # a type in the built logs that nobody has


def drawn(*arguments: str, given: bytes = b"") -> str:
    return run("hexdump", *arguments, given=given, cwd=GOLDEN).stdout.decode()


def trees(*arguments: str, given: bytes = b"") -> list[dict[str, Any]]:
    done = run("hexdump", "--json", *arguments, given=given, cwd=GOLDEN)
    return [json.loads(line) for line in done.stdout.splitlines()]


def fields(node: dict[str, Any]) -> list[dict[str, Any]]:
    return [node] + [below for field in node["fields"] for below in fields(field)]


def tiled(node: dict[str, Any]) -> bool:
    below = [field for field in node["fields"] if not field.get("derived")]
    places = [node["start"], *(field["end"] for field in below)]
    ends = [*(field["start"] for field in below), node["end"]]
    return not below or (places == ends and all(tiled(field) for field in below))


@pytest.mark.parametrize("name", sorted(RARE_LOGS))
def test_events_that_no_server_at_hand_writes_are_named_to_the_last_byte(name: str) -> None:
    """The logs in golden/built are what their builder makes; BINLOGCLI_REWRITE=1 writes them anew."""
    made = RARE_LOGS[name]()
    if os.environ.get("BINLOGCLI_REWRITE"):
        (BUILT / name).write_bytes(made)
    assert (BUILT / name).read_bytes() == made
    for event in trees(str(BUILT / name)):
        assert tiled(event), event["name"]
        names = {field["name"] for field in fields(event)}
        assert not names & {"unread"}, event["name"]
        assert ("unknown" in names) == (event["name"] == f"UNKNOWN_EVENT_{UNASSIGNED}")


def test_words_are_whole_where_a_line_holds_them() -> None:
    screen = drawn("--width", "80", "-E", "GTID_EVENT", "mariadb-11.8/xa/shop-bin.000001")
    for name in ("LOG_EVENT_SUPPRESS_USE_F", "FL_EXTRA_MULTI_ENGINE_E1,"):
        assert name in screen.split()


def test_a_length_stays_with_its_number() -> None:
    screen = drawn("--width", "80", "mariadb-10.11/rows/shop-bin.000001")
    assert not [line for line in screen.splitlines() if line.endswith("  length")]


def test_flags_are_as_wide_as_their_bytes() -> None:
    screen = drawn("--limit", "1", TYPES)
    assert "flags            0x0000" in screen


def test_a_position_is_explained_where_it_is_not_the_end_of_its_event() -> None:
    meanings = [
        field["meaning"]
        for event in trees("mariadb-11.8/relay/shop-relay.000002")
        for field in event["fields"]
        if field["name"] == "log_pos"
    ]
    assert {"", "not set", "in the log it was copied from"} == set(meanings)


def test_json_null_and_strings_of_digits_are_told_from_nothing_and_numbers() -> None:
    screen = drawn("--width", "160", "-T", "*.y_json", "--max-bytes", "0", TYPES)
    null = next(line for line in screen.splitlines() if " 00 " in line and line.endswith("$") and "null" in line)
    assert "value" in null
    assert value_text("1", 64) == "'1'"


def test_bytes_that_are_no_text_are_counted() -> None:
    assert value_text(b"\xff\xee" * 4000, 256) == "8000 bytes"
    assert value_text(b"x" * 511 + "é".encode() * 300, 256).startswith("'xxx")
    assert value_text(b"x" * 600, 256) == f"'{'x' * 256}' ... 344 more"


def test_metadata_names_the_columns_that_it_speaks_of() -> None:
    """The index of an exception counts the columns that have a character set, not all of them."""
    [event] = trees("-j", "118223", "-E", "TABLE_MAP_EVENT", "--limit", "1", TYPES)
    found = {(field["name"], field["value"]): field["meaning"] for field in fields(event)}
    assert found["column", 1] == "n06"
    assert found["@14", 13] == "n14 YEAR"
    assert found["unsigned_bits", "-----U---"] == "unsigned: n14"
    assert found["visible_bits", "1" * 18] == "all 18 visible"
    labels = [field["value"] for field in fields(event) if field["name"] == "column" and not field["meaning"]]
    assert labels == ["n11", "n10"]


def test_the_first_checksum_of_an_incident_is_known() -> None:
    [event] = trees("-E", "INCIDENT_EVENT", "mysql-9.7/incident/shop-bin.000001")
    assert [field["name"] for field in event["fields"]][-2:] == ["first_checksum", "checksum"]
    dumped = run("dump", "--format", "json", "-E", "INCIDENT_EVENT", "mysql-9.7/incident/shop-bin.000001", cwd=GOLDEN)
    body = json.loads(dumped.stdout)["body"]
    assert body["first_checksum"] == "0xed3d1eee"
    assert "unknown" not in body


@pytest.mark.parametrize("log", ["mariadb-10.11/incident/shop-bin.000001", "mysql-5.6/incident/shop-bin.000001"])
def test_an_incident_without_a_first_checksum_tells_of_none(log: str) -> None:
    dumped = run("dump", "--format", "json", "-E", "INCIDENT_EVENT", log, cwd=GOLDEN)
    assert "first_checksum" not in json.loads(dumped.stdout)["body"]


def test_partitions_are_named() -> None:
    [event] = trees("-j", "40389", "--limit", "1", "mysql-8.4/cols_minimal/cols_minimal.000001")
    extra = next(field for field in event["fields"] if field["name"] == "extra_row_info")
    assert extra["fields"][0]["meaning"] == "PART"
    assert [field["name"] for field in extra["fields"]] == ["typecode", "partition_id", "source_partition_id"]


@pytest.mark.parametrize("extra", [b"\1\7", b"\0\x09\1", b"\5abc"])
def test_extra_row_info_that_is_cut_off_or_unknown_spoils_no_rows(extra: bytes) -> None:
    log = LogBuilder(MYSQL).describe().add(19, u8(7)[:6] + u2(1) + TABLE)
    log.add(30, u8(7)[:6] + u2(1) + u2(2 + len(extra)) + extra + b"\2\xff" + ROW)
    *_, event = trees("-", given=bytes(log.log))
    assert tiled(event)
    assert "row" in [field["name"] for field in event["fields"]]


def test_damage_says_what_it_began_as() -> None:
    maker = TimedLog()
    start = maker.query(1000, "SELECT 1")
    maker.query(1000, "SELECT 2")
    maker.log[start + 30] ^= 1
    screen = drawn("-", given=bytes(maker.log))
    assert "it started as a QUERY_EVENT (2)" in screen
    maker = TimedLog()
    maker.place(2, 1000, bytes(8) + b"\xff" + bytes(4) + b"db")
    assert "─ DAMAGE ─ QUERY_EVENT (2)" in drawn("-", given=bytes(maker.log))


def test_events_without_a_time_are_given_none() -> None:
    maker = TimedLog()
    maker.place(4, 0, bytes(8) + b"bin.000002")
    assert "ROTATE_EVENT (4) ─ no time ─" in drawn("-", given=bytes(maker.log))


@pytest.mark.parametrize(
    ("keys", "log", "remark"),
    [
        (
            "--keyring mysql-8.4/encrypted/keyring_data",
            "mysql-8.4/encrypted/encrypted.000002",
            "512 more bytes precede",
        ),
        (
            "--key-file mariadb-11.8/enc-cbc-128/keys.txt",
            "mariadb-11.8/enc-cbc-128/shop-bin.000001",
            "encrypted bytes at these positions",
        ),
    ],
)
def test_a_decrypted_log_says_that_its_bytes_are_not_the_files(keys: str, log: str, remark: str) -> None:
    heading, *_ = drawn("--width", "200", "--limit", "1", *keys.split(), log).splitlines()
    assert "decrypted" in heading
    assert remark in heading
    assert "decrypted" not in drawn("--limit", "1", TYPES)


def test_a_decompressed_log_says_so() -> None:
    packed = gzip.compress((GOLDEN / TYPES).read_bytes())
    assert "─ decompressed ─ bytes and offsets" in drawn("--limit", "1", "-", given=packed).splitlines()[0]


def test_packets_say_what_their_bits_mean() -> None:
    screen = drawn("--width", "200", "--limit", "1", "captures/compressed.pcapng")
    for words in ("SERVER_STATUS_AUTOCOMMIT", "COM_QUERY", "latin1_swedish_ci", "CLIENT_PLUGIN_AUTH"):
        assert words in screen
    assert " unread " not in screen


@pytest.mark.parametrize(
    ("kind", "raw", "width", "micros", "packed", "fraction"),
    [
        ("DATETIME", "99b24a000404", 1, 10000, "2024*13 + 1 months, day 5, 00:00:04", "4/100 s"),
        ("TIME", "80c8b81ed2", 2, 100, "12:34:56 above 0x800000", "7890/10000 s"),
        ("TIME", "7f3747ba", 1, 10000, "12:34:57 below 0x800000", "70/100 s, as 256 - 70"),
        ("TIMESTAMP", "65e079f001e240", 3, 1, "seconds since 1970", "123456/1000000 s"),
    ],
)
def test_packed_times_are_taken_apart(kind: str, raw: str, width: int, micros: int, packed: str, fraction: str) -> None:
    first, second = describe_parts(kind, bytes.fromhex(raw), width, micros)
    assert (first.meaning, second.meaning) == (packed, fraction)
