"""Integers of which neither the log nor a schema says whether they are unsigned: no format shows one number alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.bodies import (
    DELETE_V1,
    LONG,
    LONGLONG,
    UNSIGNED,
    UPDATE_V1,
    WRITE_V1,
    lenenc_field,
    rows_event,
    table_map,
    u4,
    u8,
)
from support.logs import TimedLog
from support.program import run

NAMES = lenenc_field(4, b"\2id\5count\4size")
KEY = lenenc_field(8, b"\0")
COUNT, SIZE = 4000000000, (1 << 64) - 1
SCHEMA = "CREATE TABLE shop.t (id INT PRIMARY KEY, count INT {}, size BIGINT {});"


def row(number: int, count: int, size: int) -> bytes:
    return b"\0" + u4(number) + u4(count) + u8(size)


def log_of(path: Path, *changes: tuple[int, bytes], metadata: bytes = NAMES + KEY) -> Path:
    """A log of one transaction with these rows events on shop.t (id INT, count INT, size BIGINT)."""
    log = TimedLog()
    log.gtid(5, 1)
    for kind, rows in changes:
        log.place(19, 5, table_map([LONG, LONG, LONGLONG], optional=metadata))
        log.place(kind, 5, rows_event(3, rows, kind=kind))
    log.xid(5, 9)
    path.write_bytes(log.log)
    return path


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Two rows are written, of which one has large numbers; another one is changed to have some."""
    changed = row(3, 1, 1) + row(3, 1, SIZE)
    return log_of(tmp_path / "log", (WRITE_V1, row(1, COUNT, 1) + row(2, 5, 5)), (UPDATE_V1, changed))


def dump(*arguments: str | Path) -> tuple[str, str]:
    done = run("dump", *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode(), done.stderr.decode()


def bodies(*arguments: str | Path) -> list[dict[str, object]]:
    lines = [json.loads(line) for line in dump("--format", "json", "-E", "*ROWS*", *arguments)[0].splitlines()]
    return [line["body"] for line in lines]


def test_json_lists_the_columns_with_such_values_for_each_event(log: Path) -> None:
    first, second = bodies(log)
    assert first["rows"][0]["after"]["count"] == COUNT - (1 << 32)  # type: ignore[index]
    assert first["sign_unknown"] == ["count"]
    assert second["sign_unknown"] == ["size"]


def test_json_says_nothing_where_no_value_has_its_highest_bit_set(tmp_path: Path) -> None:
    (body,) = bodies(log_of(tmp_path / "log", (WRITE_V1, row(1, 5, 5))))
    assert "sign_unknown" not in body


@pytest.mark.parametrize(("attribute", "count"), [("UNSIGNED", COUNT), ("", COUNT - (1 << 32))])
def test_a_schema_tells_the_sign(tmp_path: Path, log: Path, attribute: str, count: int) -> None:
    schema = tmp_path / "schema.sql"
    schema.write_text(SCHEMA.format(attribute, attribute))
    first, second = bodies("--schema", schema, log)
    assert first["rows"][0]["after"]["count"] == count  # type: ignore[index]
    assert "sign_unknown" not in first | second


def test_metadata_tell_the_sign(tmp_path: Path) -> None:
    signs = lenenc_field(1, b"\x40")  # the second of the three
    (body,) = bodies(log_of(tmp_path / "log", (WRITE_V1, row(1, COUNT, SIZE)), metadata=signs + NAMES))
    assert body["rows"] == [{"after": {"id": 1, "count": COUNT, "size": -1}}]
    assert "sign_unknown" not in body


def test_the_api_tells_as_json_does(log: Path) -> None:
    import binlogcli
    from binlogcli.events.tables import Rows

    with binlogcli.open(str(log)) as opened:
        first, second = [event.as_dict() for event in opened if isinstance(event, Rows)]
    assert (first["sign_unknown"], second["sign_unknown"]) == (["count"], ["size"])


def test_sql_has_both_numbers_and_finds_rows_by_both(tmp_path: Path) -> None:
    changes = ((WRITE_V1, row(1, COUNT, SIZE)), (DELETE_V1, row(COUNT, 1, 1)))
    out, err = dump("--format", "sql", log_of(tmp_path / "log", *changes))
    assert "VALUES (1, -294967296 /* or 4000000000 */, -1 /* or 18446744073709551615 */);" in out
    assert "WHERE `id` IN (-294967296, 4000000000);" in out
    assert "shop.t.count, shop.t.size: unknown whether UNSIGNED" in err
    out, err = dump("--format", "sql", log_of(tmp_path / "log", (DELETE_V1, row(1, COUNT, 1)), metadata=NAMES))
    assert "WHERE `id` <=> 1 AND `count` IN (-294967296, 4000000000) AND `size` <=> 1 LIMIT 1;" in out
    assert not err


def test_an_undo_refuses_to_restore_such_a_value(tmp_path: Path) -> None:
    log = log_of(tmp_path / "log", (DELETE_V1, row(1, COUNT, 1)))
    done = run("dump", "--format", "sql", "--undo", log)
    assert done.returncode == 2
    assert not done.stdout
    assert (
        b"a value of shop.t.count would have to be restored, but it is unknown whether the column is UNSIGNED"
        in done.stderr
    )
    assert b"--assume-unsigned shop.t.count" in done.stderr
    out, _ = dump("--format", "sql", "--undo", "--assume-unsigned", "shop.t.count", log)
    assert "VALUES (1, 4000000000, 1);" in out


def test_an_undo_that_only_has_to_find_such_a_row_is_made(tmp_path: Path) -> None:
    changed = row(COUNT, COUNT, 1) + row(COUNT, COUNT, 2)
    out, _ = dump(
        "--format", "sql", "--undo", log_of(tmp_path / "log", (WRITE_V1, row(COUNT, 1, 1)), (UPDATE_V1, changed))
    )
    assert "SET `size`=1 WHERE `id` IN (-294967296, 4000000000);" in out
    assert "DELETE FROM `shop`.`t` WHERE `id` IN (-294967296, 4000000000);" in out


@pytest.mark.parametrize(
    "condition", ["count = 4000000000", "count = -294967296", "count > 7", "count < 0", "count != 5"]
)
def test_where_takes_rows_that_match_as_either_number(log: Path, condition: str) -> None:
    out, err = dump("--format", "json", "--where", condition, log)
    assert '"id": 1' in out
    assert ("unknown whether shop.t.count is UNSIGNED" in err) == (condition != "count != 5")


def test_where_takes_the_number_that_the_user_says_it_is(log: Path) -> None:
    said = ("--assume-unsigned", "shop.t.count")
    assert '"count": 4000000000' in dump("--format", "json", *said, "--where", "count > 5", log)[0]
    assert "no row matched" in dump("--format", "json", *said, "--where", "count < 0", log)[1]


def test_the_hexdump_has_both_numbers(log: Path) -> None:
    done = run("hexdump", "-E", "WRITE*", log)
    assert "-294967296  or 4000000000" in done.stdout.decode()
    assert '"value": -294967296, "meaning": "INT, or 4000000000"' in run("hexdump", "--json", log).stdout.decode()
    said = run("hexdump", "-E", "WRITE*", "--assume-unsigned", "shop.t.count", log)
    assert " or " not in said.stdout.decode()


def test_a_column_is_named_by_its_place_where_it_has_no_name(tmp_path: Path) -> None:
    log = log_of(tmp_path / "log", (WRITE_V1, row(1, COUNT, SIZE)), metadata=b"")
    (body,) = bodies("--assume-unsigned", "shop.t.@2", log)
    assert body["rows"] == [{"after": {"@1": 1, "@2": COUNT, "@3": -1}}]
    assert body["sign_unknown"] == ["@3"]


@pytest.mark.parametrize(
    ("name", "metadata", "reason"),
    [
        ("shop.t.nothing", NAMES, "no table in the logs has this column"),
        ("shop.other.count", NAMES, "no table in the logs has this column"),
        ("shop.t.ID", UNSIGNED + NAMES, "the column is known to be UNSIGNED"),
        ("shop.t.count", UNSIGNED + NAMES, "the column is known to be signed"),
    ],
)
def test_an_assumption_without_effect_is_reported(tmp_path: Path, name: str, metadata: bytes, reason: str) -> None:
    log = log_of(tmp_path / "log", (WRITE_V1, row(1, 1, 1)), metadata=metadata)
    _, err = dump("--format", "json", "--assume-unsigned", name, log)
    assert f"--assume-unsigned {name}: {reason}" in err


@pytest.mark.parametrize("name", ["count", "t.count", "shop.t.", "shop..count"])
def test_a_name_without_database_and_table_is_refused(log: Path, name: str) -> None:
    assert b"write DB.TABLE.COLUMN" in run("dump", "--format", "json", "--assume-unsigned", name, log).stderr


def test_the_text_of_the_servers_tools_shows_both_numbers_anyway(log: Path) -> None:
    assert "@2=-294967296 (4000000000)" in dump("-v", log)[0]
    done = run("dump", "-v", "--assume-unsigned", "shop.t.count", log)
    assert done.returncode == 2
    assert b"--assume-unsigned requires --format sql, json, csv or tsv" in done.stderr
