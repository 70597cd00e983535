"""`--grep` chooses the statements and rows that `dump` shows with a match, and reads on where raw bytes cannot tell."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from binlogcli.cli.main import main
from binlogcli.select.values.grep import GrepError, read_patterns
from support.golden import GOLDEN

LOGS = sorted(
    path
    for family in ("mariadb-10.11", "mysql-9.7", "mysql-8.4")
    for path in (GOLDEN / family).glob("*/*.000001")
    if "enc" not in path.parts[-2]
)
WORDS = ("paid", "shop", "alice", "147", "2026-11", "e", "[0-9]{4}", "true", "NULL", "\u00e9", "x", "new|paid", "sku")


def dumped(captured: pytest.CaptureFixture[bytes], *arguments: str | Path) -> list[dict[str, Any]]:
    main(["dump", "--format", "json", *map(str, arguments)])
    return [json.loads(line) for line in captured.readouterr().out.splitlines()]


def texts_of(value: Any) -> list[str]:
    """How a value is shown, and bytes also as characters."""
    if isinstance(value, dict) and "hex" in value:
        return [value["hex"], bytes.fromhex(value["hex"]).decode("latin-1")]
    if isinstance(value, str):
        return [value]
    if isinstance(value, bool | int | float):
        return [json.dumps(value)]
    return []


def is_certain(value: Any) -> bool:
    """Whether the text that is matched is that of the JSON: documents, lists and geometries have several forms."""
    return value is None or (bool(texts_of(value)) and not re.search(r'[\x00-\x1f"\\]', str(value)))


@pytest.mark.parametrize("path", LOGS, ids=lambda path: "/".join(path.parts[-3:-1]))
def test_rows_and_statements_with_a_match_and_no_others(path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    everything = dumped(capfdbinary, path)
    for word in WORDS:
        pattern = re.compile(word)
        chosen = {
            (line["pos"], line.get("within")): line
            for line in dumped(capfdbinary, "--grep", word, path)
            if "pos" in line
        }
        for line in everything:
            if "damage" in line:
                continue
            place = (line["pos"], line.get("within"))
            if "rows" in line["body"]:
                rows = line["body"]["rows"]
                some = chosen[place]["body"]["rows"] if place in chosen else []
                for row in rows:
                    values = [value for image in row.values() if isinstance(image, dict) for value in image.values()]
                    if any(pattern.search(text) for value in values for text in texts_of(value)):
                        assert row in some, (word, row)
                    elif all(map(is_certain, values)):
                        assert row not in some, (word, row)
            elif isinstance(line["body"].get("query"), str):
                assert (place in chosen) == bool(pattern.search(line["body"]["query"])), (word, line)


def test_the_case_of_letters_and_several_patterns(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    log = GOLDEN / "mariadb-10.11" / "rows" / "shop-bin.000001"
    small = dumped(capfdbinary, "--grep", "insert", log)
    either = dumped(capfdbinary, "--grep", "insert", "--ignore-case", log)
    assert len(small) < len(either)
    assert dumped(capfdbinary, "--grep", "insert", "-i", log) == either
    both = dumped(capfdbinary, "--grep", "insert", "--grep", "INSERT", log)
    assert either == both


def test_nothing_found_is_said_and_the_status_is_that_of_grep(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    log = GOLDEN / "mariadb-10.11" / "rows" / "shop-bin.000001"
    assert main(["dump", "--format", "json", "--grep", "nowhere at all", str(log)]) == 1
    done = capfdbinary.readouterr()
    assert done.out == b""
    assert done.err == b"binlogcli: --grep: nothing matched\n"
    assert main(["dump", "--format", "json", "--grep", "INSERT", str(log)]) == 0


@pytest.mark.parametrize(
    ("text", "needles"),
    [
        ("paid", ("paid",)),
        ("shop\\.orders", ("shop.orders",)),
        ("shop.orders", ("orders",)),
        ("147", ("147",)),
        ("order [0-9]+ paid", ("order ",)),
        ("12345678 [a-f] paid", (" paid",)),
        ("pa+id", ("pa",)),
        ("pai?d", ("pa",)),
        ("pai{2}d", ("pa",)),
        ("a{,}b{c", ("b",)),
        ("a|p", ("a", "p")),
        ("a|[p]", None),
        ("(paid|new) at", (" at",)),
        ("(paid|new)", None),
        ("paid(?!x)", None),
        ("(?i)paid", None),
        ("(?x)pa id", None),
        ("((?i:x)y) paid", None),
        ("\\x41aaa", None),
        ("\\bpaid\\b", ("paid",)),
        ("[]a]paid[^]]", ("paid",)),
        ("x(a[)]b)paid", ("paid",)),
        ("\u00e9p", ("\u00e9p",)),
        ("a\nb\\\\cd", ("cd",)),
    ],
)
def test_characters_without_which_nothing_matches(text: str, needles: tuple[str, ...] | None) -> None:
    assert read_patterns((text,), ignore_case=False).needles == needles


def test_characters_where_cases_are_not_told_apart() -> None:
    assert read_patterns(("Paid \u00e9",), ignore_case=True).needles == ("paid ",)
    grep = read_patterns(("risk",), ignore_case=True)
    assert grep.matches("R\u0130\u017f\u212a")
    assert {needle.decode() for needle in grep.raw_needles()} == {"risk", "\u0130", "\u0131", "\u017f", "\u212a"}


def test_only_a_pattern_of_plain_characters_needs_not_be_tried() -> None:
    texts = ("paid", "a|b", "a.", "a\nb", "^a", "ab+")
    plain = {text: read_patterns((text,), ignore_case=False).plain for text in texts}
    assert plain == {"paid": True, "a|b": True, "a.": False, "a\nb": False, "^a": False, "ab+": False}


@pytest.mark.parametrize("log", ["mariadb-10.11/rows", "mysql-9.7/payload"])
@pytest.mark.parametrize("options", [("--grep", "paid"), ("--grep", "147"), ("--grep", "PAID", "--ignore-case")])
def test_lines_of_the_transactions_with_a_match(
    log: str, options: tuple[str, ...], capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = GOLDEN / log / "shop-bin.000001"
    chosen = dumped(capfdbinary, *options, path)
    expected = {line["transaction"]["gtid"] for line in chosen if line.get("transaction")}
    assert main(["dump", "--oneline", *options, str(path)]) == 0
    header, *lines = (line.split("\t") for line in capfdbinary.readouterr().out.decode().splitlines())
    assert {fields[header.index("gtid")] for fields in lines} == expected


@pytest.mark.parametrize("options", [("--oneline",), ("--format", "json"), ()])
def test_nothing_is_said_of_a_match_where_nothing_could_be_read(
    options: tuple[str, ...], capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert main(["dump", *options, "--grep", "paid", "no-such-log"]) == 2
    done = capfdbinary.readouterr()
    assert done.err.count(b"\n") == 1
    assert b"no-such-log" in done.err
    assert b"\t" not in done.out


@pytest.mark.parametrize("text", ["(", "", "a" * 5000, "(?P<n", "[", "(" * 3000 + ")" * 3000])
def test_patterns_that_cannot_be_used_are_refused(text: str) -> None:
    with pytest.raises(GrepError):
        read_patterns((text,), ignore_case=False)


@pytest.mark.parametrize(
    "options", [("--grep", "paid"), ("--where", "@1 = 1"), ("--op", "delete"), ("-T", "shop.*"), ("-E", "DELETE_ROWS")]
)
@pytest.mark.parametrize("log", ["mariadb-10.11/rows", "mysql-9.7/payload"])
def test_whole_transactions_of_what_is_chosen(
    log: str, options: tuple[str, ...], capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = GOLDEN / log / "shop-bin.000001"

    def gtid_of(line: dict[str, Any]) -> str | None:
        return line["transaction"]["gtid"] if line.get("transaction") else None

    chosen = {gtid_of(line) for line in dumped(capfdbinary, *options, path)} - {None}
    expected = [line for line in dumped(capfdbinary, path) if gtid_of(line) in chosen]
    assert dumped(capfdbinary, *options, "--transaction", path) == expected
