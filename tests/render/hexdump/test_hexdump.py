"""What the annotated hexdump shows and what it never sends: fields, finds, limits, damage, hostile names."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from binlogcli.events.again.noted import EventNoter
from binlogcli.events.event import Event
from binlogcli.events.log import Log
from support.bodies import lenenc_field, table_map
from support.golden import GOLDEN, golden_logs, golden_name
from support.logs import LogBuilder, TimedLog
from support.program import run

GTID = GOLDEN / "mariadb-11.8" / "gtid" / "shop-bin.000001"
PAYLOAD = GOLDEN / "mysql-9.7" / "payload" / "shop-bin.000001"
TYPES = GOLDEN / "mariadb-11.8" / "types-full" / "shop-bin.000001"
COMPRESSED = GOLDEN / "mariadb-11.8" / "compress" / "shop-bin.000001"
MAGICS = (b"\xfebin", b"\xfdbin")
ESCAPE = "\x1b[31mred\x07\x9b2J\u202eevil"

Tree = dict[str, Any]


def drawn(*arguments: str | Path) -> str:
    done = run("hexdump", *arguments)
    return done.stdout.decode()


def trees(*arguments: str | Path) -> list[Tree]:
    return [json.loads(line) for line in run("hexdump", "--json", *arguments).stdout.splitlines()]


def leaves(node: Tree) -> list[Tree]:
    below = [field for field in node["fields"] if not field.get("derived")]
    return [leaf for field in below for leaf in leaves(field)] if below else [node]


def contents(node: Tree) -> list[Tree]:
    found = [field for field in node["fields"] if field.get("derived")]
    return found + [content for field in node["fields"] for content in contents(field)]


def assert_tiled(node: Tree) -> None:
    pos = node["start"]
    for leaf in leaves(node):
        assert leaf["start"] == pos, (node["name"], leaf)
        pos = leaf["end"]
    assert pos == node["end"], node["name"]


def plain_logs() -> list[Path]:
    return [path for path in golden_logs() if path.read_bytes()[:4] == MAGICS[0]]


@pytest.mark.parametrize("server", sorted({path.parents[1].name for path in plain_logs()}))
def test_json_tiles_every_event_of_every_log(server: str) -> None:
    """In the file, and in everything that is decompressed."""
    for log in [path for path in plain_logs() if path.parents[1].name == server]:
        end = 4
        for event in trees(log):
            assert event["start"] == end, golden_name(log)
            end = event["end"]
            assert_tiled(event)
            for content in contents(event):
                assert_tiled(content)
        assert end == log.stat().st_size


def test_a_payload_holds_its_events() -> None:
    [event] = [tree for tree in trees(PAYLOAD) if tree["name"] == "TRANSACTION_PAYLOAD_EVENT"][:1]
    payload = next(field for field in event["fields"] if field["name"] == "payload")
    [content] = payload["fields"]
    assert content["derived"] is True
    assert content["start"] == 0
    assert [inner["name"] for inner in content["fields"]][-1] == "XID_EVENT"
    size = next(field["value"] for field in event["fields"] if field["name"] == "uncompressed_size")
    assert content["end"] == size


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_columns_hold(width: int) -> None:
    lines = drawn("--width", str(width), COMPRESSED).splitlines()
    assert max(map(len, lines)) <= width


def test_bytes_stand_in_the_file_where_the_screen_says() -> None:
    raw = GTID.read_bytes()
    shown = bytearray()
    for line in drawn("--width", "120", "--max-bytes", "0", GTID).splitlines():
        found = re.match(r"([0-9a-f]{8})  ((?:[0-9a-f]{2} {1,2}){1,16})", line)
        if found:
            assert int(found[1], 16) == len(shown)
            shown += bytes.fromhex(found[2])
    assert bytes(shown) == raw


def test_no_fields_is_plain_hex() -> None:
    screen = drawn("--no-fields", "--limit", "1", GTID)
    assert "server_version" not in screen
    assert "00000014" in screen


def test_limit_counts_events() -> None:
    assert len(trees("--limit", "3", GTID)) == 3


def test_long_values_are_squeezed_and_counted() -> None:
    short = drawn("--max-bytes", "16", "-E", "QUERY_EVENT", "--limit", "1", GTID)
    assert re.search(r"\.\.\. \d+ more bytes", short)
    assert " more bytes" not in drawn("--max-bytes", "0", "-E", "QUERY_EVENT", "--limit", "1", GTID)


@pytest.mark.parametrize(("sought", "mark"), [("shop", "[73 68 6f 70]"), ("0x73686f70", "[73 68 6f 70]")])
def test_find_shows_and_marks(sought: str, mark: str) -> None:
    screen = drawn("--find", sought, "--limit", "2", GTID)
    assert mark in screen
    found = trees("--find", sought, GTID)
    raw = GTID.read_bytes()
    wanted = {at for at in range(len(raw)) if raw.startswith(b"shop", at)}
    assert all(any(tree["start"] <= at < tree["end"] for at in wanted) for tree in found)
    assert len(found) < len(trees(GTID))


def test_find_looks_into_compressed_content() -> None:
    assert any(tree["name"] == "QUERY_COMPRESSED_EVENT" for tree in trees("--find", "CREATE TABLE", COMPRESSED))
    assert any("within" in tree for tree in trees("--find", "INSERT", PAYLOAD))


def test_find_says_that_nothing_was_found_with_the_status_of_grep() -> None:
    for options in ((), ("--format", "json")):
        done = run("hexdump", "--find", "nowhere at all", *options, str(GTID))
        assert (done.returncode, done.stderr) == (1, b"binlogcli: --find: nothing matched\n")
        assert run("hexdump", "--find", "shop", *options, str(GTID)).returncode == 0
    done = run("hexdump", "--find", "shop", "no-such-log")
    assert done.returncode == 2
    assert b"nothing matched" not in done.stderr


@pytest.mark.parametrize("path", [GTID, PAYLOAD, COMPRESSED, TYPES], ids=lambda path: "/".join(path.parts[-3:-1]))
@pytest.mark.parametrize("sought", ["shop", "INSERT", "0x0000", "0x610000", "12345", "zzz"])
def test_find_shows_the_events_that_have_it_in_a_field(path: Path, sought: str) -> None:
    wanted = bytes.fromhex(sought[2:]) if sought.startswith("0x") else sought.encode()
    whole = {}
    with Log(str(path)) as log:
        noter = EventNoter()
        for event in log.stream:
            if isinstance(event, Event):
                noter.note(event, log.stream.context)
                values = [value for value in noter.notes.values if isinstance(value, bytes)]
                whole[event.start, event.within] = any(wanted in text for text in (event.raw, *values))
    found = {(tree["start"], tree.get("within")) for tree in trees("--find", sought, path)}
    assert found == {place for place, has in whole.items() if has}


def test_damage_is_shown_with_its_bytes_and_the_place_where_reading_went_on(tmp_path: Path) -> None:
    raw = bytearray(GTID.read_bytes())
    start, end = trees(GTID)[5]["start"], trees(GTID)[5]["end"]
    raw[start + 30] ^= 0xFF
    broken = tmp_path / "broken.000001"
    broken.write_bytes(raw)
    done = run("hexdump", "--width", "120", broken)
    screen = done.stdout.decode()
    assert done.returncode == 1
    assert f"at {start} ─ DAMAGE" in screen
    assert "checksum mismatch" in screen
    assert f"at {end} ─ RESYNCHRONISED" in screen
    [damage] = [tree for tree in trees(broken) if "damage" in tree]
    assert (damage["start"], damage["end"]) == (start, end)
    assert_tiled(damage)
    assert "WRONG, computed 0x" in drawn("--no-verify", "--width", "160", broken)


def test_an_event_that_cannot_be_decoded_shows_what_could() -> None:
    """Its fields up to the failure, the rest of it unread, with the reason."""
    maker = TimedLog()
    start = maker.place(2, 1000, bytes(4) + bytes(4) + b"\xff" + bytes(4) + b"db")
    done = run("hexdump", "--json", "-", given=bytes(maker.log))
    [damage] = [tree for line in done.stdout.splitlines() if "damage" in (tree := json.loads(line))]
    assert damage["start"] == start
    assert_tiled(damage)
    assert [field["name"] for field in damage["fields"]][-2:] == ["unread", "checksum"]
    assert "db_len" in [field["name"] for field in damage["fields"]]
    assert done.returncode == 1


@pytest.mark.parametrize("options", [(), ("--json",), ("--no-fields",), ("--color", "always"), ("--find", "red")])
def test_nothing_in_a_log_steers_the_terminal(options: tuple[str, ...]) -> None:
    maker = TimedLog()
    maker.query(1000, f"SELECT '{ESCAPE}'", database="a\x1b]0;b\x07")
    maker.place(4, 1000, bytes(8) + ESCAPE.encode())
    name = ESCAPE.encode()
    names = b"\4" + bytes([len(name) + 1, len(name)]) + name
    label = b"\6" + bytes([len(name) + 2, 1, len(name)]) + name
    maker.place(19, 1000, bytes(6) + b"\1\0\1a\0\1t\0\1\xfe\2\xf7\1\1" + names + label)
    maker.place(23, 1000, bytes(6) + b"\1\0\1\xff" + b"\xfe\1" + b"\xff")
    screen = run("hexdump", *options, "-", given=bytes(maker.log)).stdout.decode()
    for sequence in re.findall(r"\x1b\[[0-9;]*m", screen) if "--color" in options else []:
        screen = screen.replace(sequence, "")
    unsafe = [char for char in screen if not char.isprintable() and char != "\n"]
    assert set(unsafe) <= ({"\x9b", "\u202e"} if options == ("--json",) else set())  # JSON escapes ASCII's own alone


def test_colours_only_where_asked() -> None:
    assert "\x1b[" not in drawn("--limit", "1", GTID)
    assert "\x1b[" in drawn("--color", "always", "--limit", "1", GTID)
    assert "\x1b[" not in drawn("--color", "never", "--limit", "1", GTID)


def test_legend_explains_every_colour() -> None:
    legend = drawn("--legend", "--limit", "1", GTID).partition("\n\n")[0]
    for word in ("length", "time", "checksum", "unknown", "+0000012", "--find"):
        assert word in legend


@pytest.mark.parametrize("ending", ["svg", "html"])
def test_export_writes_a_report_that_needs_nothing_else(tmp_path: Path, ending: str) -> None:
    report = tmp_path / f"report.{ending}"
    done = run("hexdump", "--limit", "2", "--export", report, GTID)
    text = report.read_text()
    assert done.stdout == b""
    assert "server_version" in text
    assert "url(http" not in text
    assert "@import" not in text


def test_wrong_usage_says_so() -> None:
    assert run("hexdump", "--export", "report.pdf", GTID).returncode == 2
    assert run("hexdump", "--find", "", GTID).returncode == 2
    assert run("hexdump", "--width", "3", GTID).returncode == 2


@pytest.mark.parametrize("width", range(60, 130, 5))
def test_a_meaning_without_a_value_stands_on_one_line(tmp_path: Path, width: int) -> None:
    path = tmp_path / "log.000001"
    LogBuilder().describe().add(19, table_map([3], optional=lenenc_field(1, b"\0"))).write(path)
    done = run("hexdump", "--width", str(width), path)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"  all signed\n" in done.stdout
