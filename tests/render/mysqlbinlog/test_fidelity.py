"""The text against the servers' own tools, byte for byte: every log of the corpus that its tool read to the end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from binlogcli.crypto.key_file import read_key_file
from binlogcli.crypto.keys import Keys
from binlogcli.render.mysqlbinlog.options import DECODE_ROWS
from support.corpus import CORPUS, beside, logs, name_of
from support.mysqlbinlog_text import FragmentingPrinter, HastyPrinter, text_of

pytestmark = pytest.mark.skipif(not logs(), reason="no corpus beside the project")

KINDS: dict[str, dict[str, Any]] = {
    "vv": {"verbose": 2, "base64_output": DECODE_ROWS},
    "default": {},
    "short": {"short_form": True},
    "meta": {"verbose": 2, "base64_output": DECODE_ROWS, "print_table_metadata": True},
    "hexdump": {"verbose": 2, "hexdump": True},
}

# The tools ran one after another in one directory, and gave a LOAD DATA file the next number that was free there:
# 0 in the first run (vv), 1 in the second (default), 2 (hexdump), 3 (short). We write no file, and begin with 0.
LOAD_NUMBERS = {"default": b"-1'", "hexdump": b"-2'", "short": b"-3'"}
LOAD_DATA = {
    f"{server}/load-data/shop-bin.000001" for server in ("mariadb-10.11", "mariadb-11.8", "mysql-5.6", "mysql-9.7")
}
# mariadb-binlog ends without a word (status 1) at the first row of TIME, DATETIME or TIMESTAMP columns that have
# fractions in the old format; of its other runs the corpus holds the status, of these two it does not.
GIVES_UP = {(f"{server}/temporal-old/shop-bin.000001", "meta") for server in ("mariadb-10.11", "mariadb-11.8")}
# The text is that of the newest tool of a family: mysqlbinlog 9 words these events otherwise than 8.4 did, which made
# the texts of its own logs. Their short form lacks these words; whether such an event is there, the other forms say.
NEWER_WORDING = (b"User_var", b"#Begin_load_query")


def read_to_the_end(path: Path, kind: str, truth: bytes) -> bool:
    """Whether the tool printed the whole log, in words of today."""
    if (name_of(path), kind) in GIVES_UP:
        return False
    full = beside(path, ".vv.txt") or truth
    if "mysql-8.4" in name_of(path) and any(words in full for words in NEWER_WORDING):
        return False
    said = beside(path, f".{kind}.stderr.txt") or b"(exit status 0)"
    return b"(exit status 0)" in said and b"truncated" not in said and b"partial statement" not in said


def compared(path: Path, truth: bytes, ours: bytes) -> tuple[bytes, bytes]:
    """What of the two texts is to be the same."""
    if b"!! Don't know how to handle column" in truth:  # mysqlbinlog knows no GEOMETRY: it leaves the event's rows
        return without_given_up(truth), without_given_up(ours, truth)
    if "mariadb-10.5" in name_of(path):  # its own tool worded the other lines otherwise
        return rows_only(truth), rows_only(ours)
    return truth, ours


def rows_only(text: bytes) -> bytes:
    return b"\n".join(line for line in text.split(b"\n") if line.startswith(b"### "))


def without_given_up(text: bytes, by: bytes | None = None) -> bytes:
    """A text without the rows of tables that the tool gave up."""
    given_up, table = set(), b""
    for line in (by or text).split(b"\n"):
        table = line if line.startswith((b"### INSERT", b"### UPDATE", b"### DELETE")) else table
        if b"!! Don't know how to handle column" in line:
            given_up.add(table.split(b"`", 1)[1])
    kept, skipping = [], False
    for line in text.split(b"\n"):
        if line.startswith((b"### INSERT", b"### UPDATE", b"### DELETE")):
            skipping = line.split(b"`", 1)[1] in given_up
        elif not line.startswith(b"###"):
            skipping = False
        if not skipping:
            kept.append(line)
    return b"\n".join(kept)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "path", [pytest.param(path, id=name_of(path)) for path in logs() if CORPUS / "odd" not in path.parents]
)
def test_is_the_text_of_the_servers_own_tool(path: Path, kind: str) -> None:
    truth = beside(path, f".{kind}.txt")
    if truth is None or not read_to_the_end(path, kind, truth):
        pytest.skip("the tool printed no text of it, or not all")
    options = KINDS[kind]
    ours = text_of(path, **options)
    if name_of(path) in LOAD_DATA and kind in LOAD_NUMBERS:
        ours = with_load_number(ours, LOAD_NUMBERS[kind])
    want, have = compared(path, truth, ours)
    assert have == want


def with_load_number(text: bytes, number: bytes) -> bytes:
    lines = text.split(b"\n")
    return b"\n".join(
        line.replace(b"-0'", number, 1) if line.startswith(b"LOAD DATA LOCAL INFILE './SQL_LOAD_MB-") else line
        for line in lines
    )


@pytest.mark.parametrize("kind", ["vv", "default", "hexdump"])
@pytest.mark.parametrize(
    "name",
    [
        "mariadb-10.11/rows-split",
        "mariadb-11.8/rows",
        "mariadb-11.8/compress",
        "mysql-9.7/rows-split",
        "mysql-9.7/payload",
    ],
)
def test_a_statement_that_is_read_twice_gives_the_same_text(name: str, kind: str) -> None:
    path = CORPUS / name / "shop-bin.000001"
    options = KINDS[kind]
    assert text_of(path, printer=HastyPrinter, **options) == text_of(path, **options)


def test_a_statement_beyond_the_servers_packets_is_cut_in_two() -> None:
    path = CORPUS / "mariadb-10.11" / "rows-split" / "shop-bin.000001"
    whole, cut = text_of(path), text_of(path, printer=FragmentingPrinter)
    first, second = b"\nSET @binlog_fragment_0 ='\n", b"\n'/*!*/;\nSET @binlog_fragment_1 ='\n"
    assert (
        cut.count(first) == cut.count(second) == cut.count(b"BINLOG @binlog_fragment_0, @binlog_fragment_1/*!*/;\n") > 0
    )
    for piece in cut.split(first)[1:]:
        half, rest = piece.split(b"BINLOG @binlog")[0].split(second)
        both = half + rest.removesuffix(b"'/*!*/;\n")
        assert len(half) == len(both) // 2 + 1
        assert b"\nBINLOG '\n" + both + b"'/*!*/;\n" in whole


@pytest.mark.parametrize("name", ["mariadb-11.8/enc-ctr-256-rows", "mariadb-11.8/enc-cbc-128"])
def test_an_encrypted_log_is_read_twice_like_any_other(name: str) -> None:
    path = CORPUS / name / "shop-bin.000001"
    keys = Keys(key_file=read_key_file(str(path.parent / "keys.txt"), None))
    for options in KINDS.values():
        assert text_of(path, printer=HastyPrinter, keys=keys, **options) == text_of(path, keys=keys, **options)
