"""Names, values and messages on a terminal: nothing of a log steers it, turns the direction of text or is invisible."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import pytest

from binlogcli.render.escape import controls
from support.bodies import LONG, VARCHAR, WRITE, charset, lenenc, lenenc_field, query, rows_event, table_map, u2, u8
from support.golden import GOLDEN
from support.logs import MYSQL, QUERY, ROTATE, TABLE_MAP, XID, LogBuilder
from support.program import run
from support.terminal import on_a_terminal

NAME = "\x1b[2J\x9b31m\u202e\u2066\u200f\u061c\u200b\ufeff\U000e0041\x07a"
STEERING = frozenset(map(chr, controls())) - {"\n"}
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
INCIDENT = 26


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A log whose names and values steer a terminal, in a file of such a name, and damaged at its end."""
    name = NAME.encode()
    optional = charset(45) + lenenc_field(4, lenenc(len(name)) + name + b"\1b")
    log = LogBuilder(MYSQL + "\x1b[2J").describe()
    log.add(QUERY, query(db=name, text=b"BEGIN /* " + name + b" */"))
    log.add(TABLE_MAP, table_map([VARCHAR, LONG], u2(400), optional, database=name, table=name))
    log.add(WRITE, rows_event(2, b"\0" + u2(len(name)) + name + b"\5\0\0\0", kind=WRITE))
    log.add(XID, u8(7)).add(QUERY, query(db=name, text=b"CREATE TABLE t COMMENT '" + name + b"'"))
    log.add(QUERY, query(db=name, text=b"CREATE TABLE `" + name + b"` (`" + name + b"` ENUM('" + name + b"'))"))
    log.add(INCIDENT, struct.pack("<HB", 1, len(name)) + name)
    log.add(TABLE_MAP, table_map([LONG], database=name, table=name)).add(WRITE, rows_event(9, b"\0", kind=WRITE))
    log.add(ROTATE, u8(4) + name)
    path = tmp_path / f"shop{NAME}-bin.000001"
    log.raw(b"damage").write(path)
    return path


def check(screen: bytes) -> None:
    found = set(COLOUR.sub("", screen.decode("utf-8"))) & STEERING
    assert not found, sorted(map(hex, map(ord, found)))


@pytest.mark.parametrize(
    "arguments",
    [
        "dump -vv",
        "dump -vv -H --print-table-metadata",
        "dump --format sql",
        "dump --format sql --undo",
        "dump --format json",
        "hexdump",
        "hexdump --json",
        "hexdump --no-fields --legend",
        "hexdump --find a",
        "stats",
        "stats --format json",
        "stats --format csv",
        "stats --format tsv",
        "stats --format markdown",
        "stats --width 60",
        "schema",
        "schema --history",
        "schema --format json",
        "schema --format json --history",
        "decrypt -o -",
        "to-parquet --dry-run -o lake",
    ],
)
def test_nothing_of_a_log_steers_a_terminal(arguments: str, hostile: Path) -> None:
    screen = on_a_terminal(*arguments.split(), str(hostile), errors=True)
    assert screen
    check(screen)


def test_messages_steer_no_terminal(hostile: Path) -> None:
    for arguments in (["dump", NAME], ["dump", "--start-position", NAME], ["dump", "--where", NAME, str(hostile)]):
        check(on_a_terminal(*arguments, errors=True))
    check(on_a_terminal("hexdump", "--export", f"{NAME}.gif", str(hostile), errors=True))
    check(on_a_terminal("dump", "--schema", NAME, str(hostile), errors=True))
    check(on_a_terminal("schema", "--at", f"{NAME}:4", str(hostile), errors=True))


def test_a_page_and_a_picture_hold_nothing_that_turns_text(hostile: Path, tmp_path: Path) -> None:
    assert run("stats", "--html", tmp_path / "page.html", hostile).returncode == 1
    run("hexdump", "--export", tmp_path / "picture.svg", hostile)
    run("hexdump", "--export", tmp_path / "picture.html", hostile)
    for name in ("page.html", "picture.svg", "picture.html"):
        check((tmp_path / name).read_bytes())


@pytest.mark.parametrize(
    "output",
    [
        ("dump", "-r", "x.txt"),
        ("hexdump", "--export", "x.svg"),
        ("hexdump", "--export", "x.html"),
        ("stats", "--html", "x"),
    ],
)
def test_what_was_decrypted_is_for_its_owner_alone(output: tuple[str, str, str], tmp_path: Path) -> None:
    command, option, name = output
    keys = tmp_path / "keys.txt"
    keys.write_bytes((GOLDEN / "mariadb-10.11" / "enc-cbc-256-filekey" / "keys.txt").read_bytes())
    keys.chmod(0o600)
    log = GOLDEN / "mariadb-10.11" / "enc-cbc-256-filekey" / "shop-bin.000001"
    secret, plain = tmp_path / f"secret-{name}", tmp_path / f"plain-{name}"
    assert run(command, option, secret, "--key-file", keys, log).returncode == 0
    assert run(command, option, plain, log.parent / "plain-shop-bin.000001").returncode == 0
    assert secret.stat().st_mode & 0o777 == 0o600
    assert plain.stat().st_mode & 0o777 == 0o644
