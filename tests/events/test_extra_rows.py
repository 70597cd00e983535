"""The extra row info of row events: NDB's formats, which name their fields, and partitions."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from support.bodies import LONG, UPDATE, WRITE, lenenc, table_map, u2, u4, u8
from support.live_mariadb import need_program
from support.logs import LogBuilder
from support.program import run

TRANSACTION = u2(1) + u8(0x0011_2233_4455_6677)
CONFLICT = u2(3) + u8(5) + u2(2)


def part(code: int, payload: bytes) -> bytes:
    """A part with a format: type 0, length, format, payload."""
    return b"\0" + formatted(code, payload)


def formatted(code: int, payload: bytes) -> bytes:
    return bytes([len(payload) + 2, code]) + payload


def log_with(extra: bytes, folder: Path, kind: int = WRITE) -> Path:
    image = b"\xfe" + u4(5)
    twice = kind == UPDATE
    rows = u4(7) + u2(0) + u2(1) + u2(len(extra) + 2) + extra + lenenc(1) + b"\xff" * (1 + twice) + image * (1 + twice)
    LogBuilder().describe().add(19, table_map([LONG])).add(kind, rows).write(folder / "log")
    return folder / "log"


def in_json(path: Path) -> dict[str, Any]:
    done = run("dump", "--format", "json", path)
    assert (done.returncode, done.stderr) == (0, b"")
    return dict(json.loads(done.stdout.splitlines()[-1])["body"]["extra_row_info"])


def in_hexdump(path: Path) -> list[tuple[str, int, str]]:
    """The fields of the extra row info: name, size, meaning."""
    tree = json.loads(run("hexdump", "--json", path).stdout.splitlines()[-1])
    found: list[tuple[str, int, str]] = []

    def take(fields: list[dict[str, Any]]) -> None:
        for field in fields:
            if field.get("fields"):
                take(field["fields"])
            else:
                found.append((field["name"], field["end"] - field["start"], field.get("meaning") or ""))

    take([field for field in tree["fields"] if field["name"] == "extra_row_info"])
    return found


@pytest.mark.parametrize(
    ("extra", "expected"),
    [
        (part(0, b""), {"format": "ERIF_NDB"}),
        (
            part(0, TRANSACTION),
            {"format": "ERIF_NDB", "flags": ["NDB_ERIF_TRANSID"], "transaction_id": 0x0011_2233_4455_6677},
        ),
        (
            part(0, CONFLICT),
            {
                "format": "ERIF_NDB",
                "flags": ["NDB_ERIF_TRANSID", "NDB_ERIF_CFT_FLAGS"],
                "transaction_id": 5,
                "conflict_flags": ["NDB_ERIF_CFT_REFRESH_OP"],
            },
        ),
        (part(0, u2(0) + b"more"), {"format": "ERIF_NDB", "flags": [], "data": {"hex": b"more".hex()}}),
        (part(7, b"x"), {"format": "reserved 7", "data": {"hex": "78"}}),
        (part(64, b"x"), {"format": "ERIF_OPEN1", "data": {"hex": "78"}}),
        (
            part(255, formatted(0, u2(2) + u2(5)) + formatted(65, b"y")),
            {
                "format": "ERIF_MULTI",
                "payloads": [
                    {
                        "format": "ERIF_NDB",
                        "flags": ["NDB_ERIF_CFT_FLAGS"],
                        "conflict_flags": ["NDB_ERIF_CFT_REFLECT_OP", "NDB_ERIF_CFT_READ_OP"],
                    },
                    {"format": "ERIF_OPEN2", "data": {"hex": "79"}},
                ],
            },
        ),
        (b"\1" + u2(3), {"partition_id": 3}),
        (part(64, b"x") + b"\1" + u2(3), {"format": "ERIF_OPEN1", "data": {"hex": "78"}, "partition_id": 3}),
        (b"\2??", {"unknown": {"hex": b"??".hex()}}),
    ],
)
def test_the_parts_have_names(extra: bytes, expected: dict[str, Any], tmp_path: Path) -> None:
    assert in_json(log_with(extra, tmp_path)) == expected


def test_the_hexdump_names_each_byte(tmp_path: Path) -> None:
    assert in_hexdump(log_with(part(0, CONFLICT), tmp_path)) == [
        ("typecode", 1, "NDB"),
        ("length", 1, ""),
        ("format", 1, "ERIF_NDB"),
        ("ndb_flags", 2, "NDB_ERIF_TRANSID, NDB_ERIF_CFT_FLAGS"),
        ("transaction_id", 8, ""),
        ("conflict_flags", 2, "NDB_ERIF_CFT_REFRESH_OP"),
    ]
    assert in_hexdump(log_with(b"\1" + u2(3) + u2(4), tmp_path, UPDATE)) == [
        *(("typecode", 1, "PART"), ("partition_id", 2, ""), ("source_partition_id", 2, ""))
    ]


@pytest.mark.parametrize(
    "extra", [part(0, u2(1) + u4(1)), part(0, u2(2)), b"\0\1\0", b"\0\x09\0x", b"\0", part(255, b"\1\0"), b"\1\0"]
)
def test_what_does_not_fit_is_damage(extra: bytes, tmp_path: Path) -> None:
    done = run("dump", "--format", "json", log_with(extra, tmp_path))
    assert done.returncode == 1
    assert b"WRITE_ROWS_EVENT" in done.stderr


def test_the_text_is_that_of_the_tools(tmp_path: Path) -> None:
    path = log_with(part(0, TRANSACTION) + b"\1" + u2(3), tmp_path)
    options = ("-v", "--base64-output=decode-rows")
    said = [line for line in run("dump", *options, path).stdout.split(b"\n") if line.startswith(b"### Extra")]
    assert said == [
        b"### Extra row ndb info: data_format: 0, len: 10, data: 0x01007766554433221100",
        b"### Extra row info for partitioning: partition: 3",
    ]
    path = log_with(part(64, b""), tmp_path)
    assert b"### Extra row ndb info: data_format: 64, len: 0, data: 0x\n" in run("dump", *options, path).stdout


@pytest.mark.parametrize("extra", [part(0, TRANSACTION), part(64, b""), part(64, b"abc"), b"\1" + u2(3)])
def test_the_text_is_that_of_the_tool_on_this_machine(extra: bytes, tmp_path: Path) -> None:
    path = log_with(extra, tmp_path)
    options = ["-v", "--base64-output=decode-rows"]
    tool = subprocess.run(
        [need_program("mariadb-binlog"), "--no-defaults", *options, path], capture_output=True, check=True
    )
    ours = run("dump", "--dialect=mariadb", *options, path).stdout
    lines = [[line for line in text.split(b"\n") if line.startswith(b"###")] for text in (tool.stdout, ours)]
    assert lines[0] == lines[1]
