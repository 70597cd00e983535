"""`--carve`: logs found in any file are read as others are, and what has no effect on them is refused."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from support.bodies import query
from support.golden import GOLDEN
from support.logs import MARIADB, QUERY, LogBuilder, commit_log, rotated_log
from support.program import run

SHOP = GOLDEN / "mysql-5.6" / "gtid-on" / "shop-bin.000001"
ENCRYPTED = GOLDEN / "mariadb-10.11" / "enc-cbc-256-filekey" / "shop-bin.000001"


def lines(*arguments: str | Path, status: int = 0) -> tuple[list[dict[str, Any]], str]:
    done = run("dump", "--format", "json", *arguments)
    assert done.returncode == status, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr.decode()


def image(folder: Path, *parts: bytes) -> Path:
    path = folder / "disk.img"
    path.write_bytes(b"".join(parts))
    return path


def test_events_have_their_offset_in_the_file_and_their_position_in_the_log(tmp_path: Path) -> None:
    path = image(tmp_path, b"x" * 1000, SHOP.read_bytes(), b"y" * 1000)
    found, told = lines("--carve", path)
    expected, _ = lines(SHOP)
    assert told == ""
    for line in found:
        assert line["file"] == f"{path}:log-1"
        assert line.pop("offset") == 1000 + line["pos"]
        line["file"] = str(SHOP)
    assert found == expected


def test_fragments_in_any_order_are_put_together_and_a_gap_is_one_line(tmp_path: Path) -> None:
    log = LogBuilder(MARIADB).describe(timestamp=999)
    for number in range(9):
        log.add(QUERY, query(text=b"INSERT INTO t VALUES (%d)" % number), timestamp=1000 + number)
    data, starts = bytes(log.log), log.starts
    path = image(tmp_path, b"a" * 99, data[starts[6] :], b"b" * 77, data[: starts[3]])
    found, told = lines("--carve", path, status=1)
    assert [line["pos"] for line in found if "damage" not in line] == [*starts[:3], *starts[6:]]
    before, after, size = 99 + len(data) - starts[6] + 77 + starts[3], 99, starts[6] - starts[3]
    assert told.splitlines() == [
        f"binlogcli: {path}:log-1: at {starts[3]}: these positions were not found: the fragment before them ends at "
        f"offset {before} of the file, the next one begins at offset {after} ({size} bytes not read)"
    ]


def test_a_log_without_its_format_description_says_which_one_is_used(tmp_path: Path) -> None:
    data = bytes(commit_log(5, version=MARIADB).log)
    tail = data[len(commit_log(1, version=MARIADB).log) :]
    _, told = lines("--carve", image(tmp_path, b"z" * 500, tail))
    assert "log-1: its format description was not found; a log of MySQL is assumed" in told
    _, told = lines("--carve", image(tmp_path, b"z" * 500, tail, b"z" * 500, data))
    assert f"its format description was not found; that of a log of {MARIADB} is used" in told


def test_a_log_without_checksums_is_found_by_its_positions(tmp_path: Path) -> None:
    log = rotated_log(checksum=0)
    path = image(tmp_path, b"u" * 10, bytes(log.log[log.starts[1] :]), b"u" * 100)
    found, _ = lines("--carve", path)
    assert [line["pos"] for line in found] == log.starts[1:]


def test_encrypted_events_are_said_to_be_there(tmp_path: Path) -> None:
    path = image(tmp_path, b"e" * 50, ENCRYPTED.read_bytes())
    found, told = lines("--carve", path, status=1)
    assert [line.get("type") for line in found][:2] == ["FORMAT_DESCRIPTION_EVENT", "START_ENCRYPTION_EVENT"]
    assert "at 296: the events after this one are encrypted; --carve finds only what is not" in told


def test_unproven_events_are_read_on_demand(tmp_path: Path) -> None:
    data = bytearray(SHOP.read_bytes())
    data[75] ^= 1  # in the format description
    path = image(tmp_path, b"v" * 30, bytes(data[:120]), b"v" * 30)
    done = run("dump", "--carve", path)
    assert done.returncode == 2
    assert done.stderr == (
        f"binlogcli: {path}: no events were found; --unproven also reads what only looks like events\n".encode()
    )
    done = run("stats", "--carve", "--unproven", "--section", "fragments", "--format", "json", path)
    assert [row["proven_by"] for row in json.loads(done.stdout)["fragments"]] == ["nothing"]
    found, _ = lines("--carve", "--unproven", path)
    assert [(line["type"], line["offset"]) for line in found] == [("FORMAT_DESCRIPTION_EVENT", 34)]


def test_the_fragments_are_listed(tmp_path: Path) -> None:
    path = image(tmp_path, b"w" * 4096, SHOP.read_bytes(), b"w" * 4096)
    done = run("stats", "--carve", "--section", "fragments", "--format", "json", path)
    assert (done.returncode, done.stderr) == (0, b"")
    [row] = json.loads(done.stdout)["fragments"]
    assert (row["offset"], row["bytes"], row["log"]) == (4100, SHOP.stat().st_size - 4, f"{path}:log-1")
    assert (row["first_position"], row["last_position"]) == (4, SHOP.stat().st_size)
    assert (row["proven_by"], row["server_version"], row["server_ids"]) == ("checksum", "5.6.24-log", [101])
    assert row["first_time"].startswith("2026-11-21T")
    report = json.loads(run("stats", "--carve", "--format", "json", path).stdout)
    assert next(iter(report)) == "fragments"
    assert report["summary"]["events"] == row["events"]
    text = run("stats", "--carve", path).stdout.decode()
    assert text.startswith("Fragments of logs\n")


def test_the_hexdump_names_both_places(tmp_path: Path) -> None:
    path = image(tmp_path, b"w" * 100, SHOP.read_bytes())
    text = run("hexdump", "--carve", "-n", "1", path).stdout.decode()
    assert "at 4 ─ offset 104 ─ FORMAT_DESCRIPTION_EVENT (15)" in text
    [first] = run("hexdump", "--carve", "-n", "1", "--format", "json", path).stdout.splitlines()
    assert (json.loads(first)["start"], json.loads(first)["offset"]) == (4, 104)


def test_holes_of_sparse_files_cost_nothing(tmp_path: Path) -> None:
    path = tmp_path / "sparse.img"
    with path.open("wb") as file:
        file.seek(1 << 40)
        file.write(SHOP.read_bytes())
        file.truncate(3 << 40)
    done = run("stats", "--carve", "--section", "fragments", "--format", "json", path, timeout=20)
    assert [row["offset"] for row in json.loads(done.stdout)["fragments"]] == [(1 << 40) + 4]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--unproven",), "--unproven requires --carve"),
        (
            ("--carve", "--no-verify"),
            "--no-verify cannot be combined with --carve, which proves events; use --unproven",
        ),
        (("--carve", "-R"), "--carve reads files, and cannot be combined with servers or the options for them"),
        (
            ("--carve", "--key-file", "k"),
            "--carve finds events that are not encrypted, and cannot be combined with keys",
        ),
    ],
)
def test_options_without_effect_are_refused(options: tuple[str, ...], message: str) -> None:
    done = run("dump", *options, SHOP)
    assert done.returncode == 2
    assert message in done.stderr.decode()


def test_the_section_of_fragments_needs_carving() -> None:
    done = run("stats", "--section", "fragments", SHOP)
    assert done.returncode == 2
    assert b"--section fragments requires --carve" in done.stderr


def test_stdin_is_refused() -> None:
    done = run("dump", "--carve", "-", given=SHOP.read_bytes())
    assert done.returncode == 2
    what = "--carve reads at any offset, but a pipe can be read only once, from its beginning"
    assert done.stderr.decode() == f"binlogcli: stdin: {what}; save it to a file, and pass that\n"


def test_a_compressed_file_is_named_as_such(tmp_path: Path) -> None:
    path = image(tmp_path, b"\x1f\x8b\x08\0" + os.urandom(100))
    done = run("dump", "--carve", path)
    assert (
        done.stderr.decode()
        == f"binlogcli: {path}: no events were found; it is compressed: decompress it, and pass the result\n"
    )
