"""Damage in the middle of a log: told, the text continues, and no client that reads it runs half a statement."""

from __future__ import annotations

import re
import struct
from pathlib import Path

from support.bodies import LONG, query, rows_event, table_map
from support.logs import MARIADB, MYSQL, LogBuilder
from support.mysqlbinlog_text import HastyPrinter, text_and_damage, text_of

TABLE_MAP, WRITE_V1, WRITE_V2, XID, QUERY = 19, 23, 30, 16, 2
STMT_END = 1


def rows(*values: int, flags: int = 0, version: int = 1) -> bytes:
    """Rows of a table of one INT column."""
    images = b"".join(b"\0" + struct.pack("<i", value) for value in values)
    return rows_event(1, images, kind=WRITE_V2 if version == 2 else WRITE_V1, flags=flags)


def log_of(*events: tuple[int, bytes], version: str = MARIADB) -> tuple[LogBuilder, list[int]]:
    """A log, and where each of its events begins."""
    log = LogBuilder(version).describe(created=1)
    places = []
    for kind, body in events:
        places.append(log.at)
        log.add(kind, body)
    return log, places


def spoilt(log: LogBuilder, place: int, tmp_path: Path) -> Path:
    """The log with a byte of the event at that place changed."""
    data = bytearray(log.log)
    data[place + 25] ^= 0xFF
    path = tmp_path / "log"
    path.write_bytes(data)
    return path


STATEMENT = (
    (TABLE_MAP, table_map([LONG])),
    (WRITE_V1, rows(1, 2)),
    (WRITE_V1, rows(3)),
    (WRITE_V1, rows(4, flags=STMT_END)),
)
AFTER = ((TABLE_MAP, table_map([LONG])), (WRITE_V1, rows(5, flags=STMT_END)), (XID, struct.pack("<Q", 9)))


def test_a_statement_with_a_damaged_part_is_shown_and_not_run(tmp_path: Path) -> None:
    log, places = log_of(*STATEMENT, *AFTER)
    text, damage = text_and_damage(spoilt(log, places[2], tmp_path), verbose=1)
    assert [(gap.start, gap.end) for gap in damage] == [(places[2], places[3])]
    assert b"# Damaged from %d to %d: checksum mismatch" % (places[2], places[3]) in text
    assert re.findall(rb"@1=(\d)", text) == [b"1", b"2", b"4", b"5"]
    assert text.count(b"BINLOG '\n") == 2  # the format description's, and that of the statement after
    assert text.index(b"@1=4") < text.index(b"\nBINLOG '\n", text.index(b"Damaged")) < text.index(b"@1=5")
    assert b"COMMIT" in text


def test_a_statement_that_lost_its_table_map_is_shown_and_not_run(tmp_path: Path) -> None:
    log, places = log_of(*STATEMENT, *AFTER)
    text, _ = text_and_damage(spoilt(log, places[0], tmp_path), verbose=1)
    assert text.count(b"### Row event for unknown table #7") == 3
    assert text.count(b"BINLOG '\n") == 2
    assert re.findall(rb"@1=(\d)", text) == [b"5"]


def test_a_statement_that_lost_its_end_does_not_take_the_next_one_with_it(tmp_path: Path) -> None:
    log, places = log_of(*STATEMENT, *AFTER)
    text, _ = text_and_damage(spoilt(log, places[3], tmp_path), verbose=1)
    assert text.count(b"BINLOG '\n") == 2
    assert re.findall(rb"@1=(\d)", text) == [b"1", b"2", b"3", b"5"]


def test_the_same_holds_where_the_statement_is_too_long_to_be_kept(tmp_path: Path) -> None:
    log, places = log_of(*STATEMENT, *AFTER)
    path = spoilt(log, places[2], tmp_path)
    assert text_of(path, printer=HastyPrinter, verbose=1) == text_of(path, verbose=1)


def test_the_same_holds_for_mysql(tmp_path: Path) -> None:
    statement = [(kind if kind == TABLE_MAP else WRITE_V2, body) for kind, body in STATEMENT]
    statement[1:] = [
        (WRITE_V2, rows(1, version=2)),
        (WRITE_V2, rows(2, version=2)),
        (WRITE_V2, rows(3, flags=1, version=2)),
    ]
    log, places = log_of(*statement, (XID, struct.pack("<Q", 9)), version=MYSQL)
    text, damage = text_and_damage(spoilt(log, places[2], tmp_path), verbose=1)
    assert len(damage) == 1
    assert text.count(b"BINLOG '\n") == 1
    assert re.findall(rb"@1=(\d)", text) == [b"1", b"3"]


def test_a_log_that_ends_inside_a_statement_gives_no_half_of_it_to_be_run(tmp_path: Path) -> None:
    log, places = log_of(*STATEMENT)
    path = tmp_path / "log"
    path.write_bytes(log.log[: places[3] + 10])
    text, damage = text_and_damage(path, verbose=1)
    assert len(damage) == 1
    assert text.count(b"BINLOG '\n") == 1
    assert re.findall(rb"@1=(\d)", text) == [b"1", b"2", b"3"]
    assert text.endswith(b"PSEUDO_SLAVE_MODE=0*/;\n")


def test_a_damaged_statement_event_takes_nothing_else_with_it(tmp_path: Path) -> None:
    log, places = log_of(
        (QUERY, query(text=b"SELECT 1")), (QUERY, query(text=b"SELECT 2")), (QUERY, query(text=b"SELECT 3"))
    )
    text, damage = text_and_damage(spoilt(log, places[1], tmp_path))
    assert len(damage) == 1
    assert re.findall(rb"SELECT (\d)", text) == [b"1", b"3"]


def test_rows_that_do_not_fit_their_table_are_told_of(tmp_path: Path) -> None:
    log, _ = log_of((TABLE_MAP, table_map([LONG])), (WRITE_V1, rows(1, flags=STMT_END) + b"\0\1"), *AFTER)
    path = tmp_path / "log"
    path.write_bytes(log.log)
    text, damage = text_and_damage(path, verbose=1)
    assert len(damage) == 1
    assert b"***Corrupted replication event was detected. Not printing the value***" in text
    assert b"@1=5" in text
