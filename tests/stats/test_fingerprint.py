"""Statements without their values."""

from __future__ import annotations

import random

import pytest

from binlogcli.stats.fingerprint import Fingerprinter
from binlogcli.stats.sections.statements import StatementTally

LONGEST = 1024 + 8
FINGERPRINTS = [
    ("INSERT INTO t (a,b) VALUES (1,'x'),(2, 'y') , (3,NULL);", "INSERT INTO t (a, b) VALUES (?, ...), ..."),
    ("insert into t values (1),(2)", "insert into t values (?), ..."),
    ("insert into t values (now(),1),(now(),2)", "insert into t values (now(), ?), ..."),
    ("select * from `a``1`.t where id in (1,2,3) and x = -5", "select * from `a``1`.t where id in (?, ...) and x = ?"),
    ("UPDATE t1 SET c = c+1, d=_utf8'a', e=x'00' WHERE t1.c > 0x1F", "UPDATE t1 SET c = c+?, d=?, e=? WHERE t1.c > ?"),
    ("/* hi */ UPDATE  t\n SET a = 'it''s \\' ok' -- it is\n WHERE b=\"x\"#end", "UPDATE t SET a = ? WHERE b=?"),
    ("SET a=NULL, b = null where c is null", "SET a=?, b = ? where c is null"),
    ("select 1.5e-3, .5, 1e10, a.b", "select ?, ..., a.b"),
    ("select 'never ends", "select ?"),
    ("select `never ends", "select `never ends"),
    ("/* never ends", ""),
    ("", ""),
    ("(((((((((((((((((((1)))", "(((((((((((((((((((?)))"),
    (")))(1),(2)", ")))(?), ..."),
]


@pytest.mark.parametrize(("text", "fingerprint"), FINGERPRINTS)
def test_a_statement_has_a_fingerprint(text: str, fingerprint: str) -> None:
    assert Fingerprinter().fingerprint(text.encode()).decode() == fingerprint


def test_a_fingerprinter_forgets_the_statement_before() -> None:
    fingerprinter = Fingerprinter()
    for text, fingerprint in FINGERPRINTS * 2:
        assert fingerprinter.fingerprint(text.encode()).decode() == fingerprint


def test_a_fold_is_short_and_its_statement_may_be_long() -> None:
    fingerprinter = Fingerprinter()
    rows = ", ".join(f"({number}, 'name {number}', NULL)" for number in range(100_000))
    assert fingerprinter.fingerprint(f"INSERT INTO t VALUES {rows}".encode()) == b"INSERT INTO t VALUES (?, ...), ..."
    assert len(fingerprinter.fingerprint(b"a " * 10_000)) <= LONGEST


def test_any_bytes_are_folded() -> None:
    fingerprinter = Fingerprinter()
    chance = random.Random(7)
    pieces = [
        b"(",
        b")",
        b"'",
        b'"',
        b"`",
        b"/*",
        b"*/",
        b"--",
        b"-- ",
        b"#",
        b"1",
        b"x'",
        b",",
        b"NULL",
        b"\\",
        b"\xff",
        b" ",
        b"...",
    ]
    for _ in range(3000):
        text = b"".join(chance.choices(pieces, k=chance.randrange(60)))
        assert len(fingerprinter.fingerprint(text)) <= LONGEST


@pytest.mark.parametrize(
    ("fingerprint", "written", "tables"),
    [
        ("INSERT INTO `a`.`b` VALUES (?)", [("a", "b")], [("a", "b")]),
        ("insert ignore into t select * from s join u", [("", "t")], [("", "t"), ("", "s"), ("", "u")]),
        ("REPLACE INTO t VALUES (?)", [("", "t")], [("", "t")]),
        ("UPDATE LOW_PRIORITY t SET a = ?", [("", "t")], [("", "t")]),
        ("DELETE FROM d . t WHERE a = ?", [("d", "t")], [("d", "t")]),
        ("TRUNCATE TABLE t", [("", "t")], [("", "t")]),
        ("CREATE TABLE IF NOT EXISTS t (a INT)", [("", "t")], [("", "t")]),
        ("DROP TABLE IF EXISTS t", [("", "t")], [("", "t")]),
        ("ALTER TABLE `x y` ADD b INT", [("", "x y")], [("", "x y")]),
        ("CALL p(?)", [], []),
        ("", [], []),
    ],
)
def test_the_tables_of_a_statement(
    fingerprint: str, written: list[tuple[str, str]], tables: list[tuple[str, str]]
) -> None:
    tally = StatementTally(fingerprint.encode())
    assert tally.written == written
    assert tally.tables == tables
