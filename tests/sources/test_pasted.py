"""Text with BINLOG statements, and base64 or hex of a log or an event, as a source."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path

import pytest

from binlogcli.cli.main import main
from support.golden import GOLDEN
from support.program import run

MARIADB = GOLDEN / "mariadb-10.11" / "rows" / "shop-bin.000001"
MYSQL = GOLDEN / "mysql-8.4" / "types_int_full" / "types_int_full.000001"
NO_CHECKSUMS = GOLDEN / "mysql-8.4" / "checksum_none" / "checksum_none.000002"
IN_STATEMENTS = re.compile("FORMAT_DESCRIPTION|TABLE_MAP|ROWS_EVENT")


def lines_of(path: Path | str, capfdbinary: pytest.CaptureFixture[bytes], status: int = 0) -> list[dict[str, object]]:
    """Return what the program reads from a file, without its name."""
    assert main(["dump", "--format", "json", str(path)]) == status
    lines = [json.loads(line) for line in capfdbinary.readouterr().out.splitlines()]
    return [{key: value for key, value in line.items() if key not in {"file", "transaction"}} for line in lines]


def text_of(path: Path) -> bytes:
    return run("dump", path).stdout


@pytest.mark.parametrize("path", [MARIADB, MYSQL, NO_CHECKSUMS])
def test_events_of_statements_are_read_at_the_places_they_had(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], path: Path
) -> None:
    pasted = tmp_path / "pasted"
    pasted.write_bytes(text_of(path))
    whole = [
        line
        for line in lines_of(path, capfdbinary)
        if IN_STATEMENTS.search(str(line["type"])) and "ANNOTATE" not in str(line["type"])
    ]
    found = lines_of(pasted, capfdbinary)
    assert [(line["pos"], line["type"]) for line in found] == [(line["pos"], line["type"]) for line in whole]
    if path != MARIADB:  # whose columns have their names from statements that the text has not in base64
        assert [line["body"] for line in found[1:]] == [line["body"] for line in whole[1:]]


def test_a_statement_of_one_transaction_needs_no_format_description(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    statements = re.findall(rb"(?ms)^BINLOG '\n.*?^'/\*!\*/;\n", text_of(MYSQL))
    pasted = tmp_path / "pasted"
    pasted.write_bytes(b"mysql> " + b"\n" + statements[1].replace(b"\n", b"\r\n"))
    found = lines_of(pasted, capfdbinary)
    assert [line["type"] for line in found] == ["TABLE_MAP_EVENT", "WRITE_ROWS_EVENT"]
    assert found == [line for line in lines_of(MYSQL, capfdbinary) if line["pos"] in {one["pos"] for one in found}]


def test_halves_of_a_large_event_are_put_together(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    event = MYSQL.read_bytes()[937:1133]
    halves = [base64.encodebytes(part).decode() for part in (event[:100], event[100:])]
    pasted = tmp_path / "pasted"
    pasted.write_text(
        "".join(f"SET @binlog_fragment_{at} ='\n{half}'/*!*/;\n" for at, half in enumerate(halves))
        + "BINLOG @binlog_fragment_0, @binlog_fragment_1/*!*/;\n"
    )
    assert [line["pos"] for line in lines_of(pasted, capfdbinary)] == [937, 1041]


@pytest.mark.parametrize(
    "encode",
    [
        base64.encodebytes,
        base64.b64encode,
        lambda data: b"\n  " + base64.b64encode(data).replace(b"A", b"A\r\n"),
        lambda data: data.hex().encode(),
        lambda data: b"0x" + data.hex(" ", 2).upper().encode() + b"\n",
    ],
)
def test_a_log_or_one_event_in_base64_or_hex_is_read(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], encode: object
) -> None:
    pasted = tmp_path / "pasted"
    content = MYSQL.read_bytes()
    pasted.write_bytes(encode(content))  # type: ignore[operator]
    whole = lines_of(MYSQL, capfdbinary)
    assert lines_of(pasted, capfdbinary) == whole
    pasted.write_bytes(encode(content[937:1041]))  # type: ignore[operator]
    assert [line["body"] for line in lines_of(pasted, capfdbinary)] == [
        line["body"] for line in whole if line["pos"] == 937
    ]


def test_a_line_that_is_no_base64_is_told_and_the_next_statement_is_read(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    lines = text_of(MYSQL).splitlines(keepends=True)
    first = [at for at, line in enumerate(lines) if line == b"BINLOG '\n"][1] + 1
    lines[first] = b"!" + lines[first][1:]
    pasted = tmp_path / "pasted"
    pasted.write_bytes(b"".join(lines))
    found = lines_of(pasted, capfdbinary, status=1)
    assert found[1] == {"pos": 127, "end": 1316, "damage": f"line {first + 1} is not base64"}
    assert [line["pos"] for line in found[2:4]] == [1316, 1420]
    lines = lines[: first + 1]
    lines[first] = lines[first].replace(b"!", b"A")
    pasted.write_bytes(b"".join(lines))
    assert lines_of(pasted, capfdbinary, status=1)[-1]["damage"] == "the text ends inside a BINLOG statement"


def test_a_wrong_character_of_a_log_in_hex_is_told_with_its_line(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    text = base64.encodebytes(MYSQL.read_bytes() * 20)
    pasted = tmp_path / "pasted"
    pasted.write_bytes(text[:70_000] + b"!" + text[70_001:])
    line = text[:70_000].count(b"\n") + 1
    assert f"line {line} of the base64 cannot be decoded" in json.dumps(lines_of(pasted, capfdbinary, status=1))


def test_other_text_is_named_for_what_it_is(tmp_path: Path) -> None:
    pasted = tmp_path / "pasted"
    for text in (b"hello", b"deadbeef" * 20, b"QUJD" * 50, b"BINLOG is a statement\n"):
        pasted.write_bytes(text)
        done = run("dump", pasted)
        assert (done.returncode, done.stdout) == (2, b"") or b"not a binary log" in done.stderr
