"""`TABLE.latest` where images lack columns: filled from earlier changes of the row, else told as unknown."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from binlogcli.lake.tables.sql_text import quoted
from support.bodies import DELETE_V1, LONG, UPDATE_V1, VARCHAR, WRITE_V1, query, rows_event, table_map, u2, u4
from support.lake_runs import job
from support.logs import QUERY
from support.shop_logs import ShopLog
from support.undescribed_logs import UndescribedLogs

duckdb = pytest.importorskip("duckdb")
CREATE = "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(60), b INT) CHARSET latin1"
KEYLESS = CREATE.replace(" PRIMARY KEY", "")
KINDS = [LONG, VARCHAR, LONG]
Image = tuple[int | str | None, ...]
_ = "absent"


@pytest.fixture
def connection() -> Iterator[Any]:
    with duckdb.connect() as made:
        made.execute("SET TimeZone = 'UTC'")
        yield made


def present(values: Image) -> bytes:
    return bytes([sum((value is not _) << at for at, value in enumerate(values))])


def image(values: Image) -> bytes:
    """An image of the columns that are there."""
    there = [value for value in values if value is not _]
    data = bytes([sum((value is None) << at for at, value in enumerate(there))])
    for value in there:
        if value is not None:
            data += u4(value) if isinstance(value, int) else bytes([len(value)]) + value.encode()
    return data


class PartlyLogs(UndescribedLogs):
    """Logs of `t` with images that lack columns."""

    def insert(self, *values: int | str | None) -> PartlyLogs:
        return self._add(WRITE_V1, present(values), image(values))

    def delete(self, *values: int | str | None) -> PartlyLogs:
        return self._add(DELETE_V1, present(values), image(values))

    def update(self, before: Image, after: Image) -> PartlyLogs:
        return self._add(UPDATE_V1, present(before) + present(after), image(before) + image(after))

    def _add(self, kind: int, bits: bytes, images: bytes) -> PartlyLogs:
        self.rows += 1
        self.log.gtid(5, self.rows)
        self.log.place(19, 5, table_map(KINDS, u2(60)))
        body = rows_event(len(KINDS), images, kind=WRITE_V1, present=bits)  # an update has two bitmaps
        self.log.place(kind, 5, body)
        self.log.xid(5, self.rows)
        return self


def begun(folder: Path, create: str = CREATE) -> PartlyLogs:
    logs = PartlyLogs(folder)
    logs.begin().statement(create)
    return logs


def found(connection: Any, output: Path, name: str = "t") -> list[Any]:
    connection.execute((output / "_binlog/views.sql").read_text())
    rows: list[Any] = connection.sql(f"SELECT * FROM shop.{quoted(name + '.latest')} ORDER BY ALL").fetchall()
    return rows


def latest(connection: Any, logs: PartlyLogs) -> list[Any]:
    output = logs.folder / "lake"
    job(output, logs.write(), final=True)
    return found(connection, output)


def test_what_the_last_change_lacks_is_in_earlier_ones(tmp_path: Path, connection: Any) -> None:
    logs = begun(tmp_path).insert(1, "x", 10).insert(2, "y", None).insert(3, None, 30)
    logs.update((1, _, _), (_, _, 11)).update((1, _, _), (_, "z", _)).update((2, _, _), (_, _, 21))
    logs.update((3, _, _), (_, "w", None)).update((3, _, _), (_, None, _))
    assert latest(connection, logs) == [(1, "z", 11, []), (2, "y", 21, []), (3, None, None, [])]


def test_a_column_that_no_image_has_is_unknown(tmp_path: Path, connection: Any) -> None:
    logs = begun(tmp_path).insert(1, _, _).insert(2, "y", _).update((2, _, _), (_, "z", _))
    logs.update((3, _, _), (_, _, 31))  # it was there before the log
    assert latest(connection, logs) == [(1, None, None, ["a", "b"]), (2, "z", None, ["b"]), (3, None, 31, ["a"])]


def test_a_row_keeps_its_columns_when_its_key_changes(tmp_path: Path, connection: Any) -> None:
    logs = begun(tmp_path).insert(1, "x", 10).insert(2, "y", 20)
    logs.update((1, _, _), (5, _, _)).update((2, _, _), (1, _, _))  # 1 is another row now
    logs.update((5, _, _), (6, _, 60)).update((6, _, _), (2, _, _)).update((1, _, _), (_, "v", _))
    assert latest(connection, logs) == [(1, "v", 20, []), (2, "x", 60, [])]


def test_a_new_row_has_nothing_of_one_that_is_gone(tmp_path: Path, connection: Any) -> None:
    logs = begun(tmp_path).insert(1, "x", 10).delete(1, _, _).insert(1, _, 11).insert(2, "y", 20)
    logs.update((2, _, _), (3, _, _)).delete(3, _, _).update((3, _, _), (_, _, 31))  # its insert is not in the log
    logs.update((2, _, _), (_, "z", _)).insert(4, "v", 40).insert(4, _, 41)
    assert latest(connection, logs) == [
        (1, None, 11, ["a"]),
        (2, "z", None, ["b"]),
        (3, None, 31, ["a"]),
        (4, None, 41, ["a"]),
    ]


def test_the_image_before_an_update_tells_what_it_left_as_it_is(tmp_path: Path, connection: Any) -> None:
    for create in (CREATE, KEYLESS):
        folder = tmp_path / str(len(create))
        folder.mkdir()
        logs = begun(folder, create).update((1, "x", 10), (_, _, 11)).insert(2, "y", 20).insert(3, "z", 30)
        logs.delete(2, "y", 20).update((3, "z", 30), (_, "v", _))
        assert latest(connection, logs) == [(1, "x", 11, []), (3, "v", 30, [])]


def test_a_column_that_was_added_later_is_unknown_in_rows_from_before(tmp_path: Path, connection: Any) -> None:
    logs = UndescribedLogs(tmp_path).begin().statement("CREATE TABLE t (id INT PRIMARY KEY, x INT)")
    logs.put(1, 10).put(2, 20).statement("ALTER TABLE t ADD c INT DEFAULT 5, DROP x").put(3, 30).turn((2, 5), (2, 6))
    job(tmp_path / "lake", logs.write(), final=True)
    assert found(connection, tmp_path / "lake") == [(1, None, ["c"]), (2, 6, []), (3, 30, [])]


def test_without_a_key_rows_of_some_columns_are_an_error_once_rows_go(tmp_path: Path, connection: Any) -> None:
    logs = begun(tmp_path, KEYLESS).insert(1, _, 10).insert(2, "y", 20)
    assert latest(connection, logs) == [(1, None, 10, ["a"]), (2, "y", 20, [])]
    logs.delete(1, "x", 10)
    with pytest.raises(
        duckdb.InvalidInputException, match=r"shop\.t has no primary key, and changes that lack columns"
    ):
        latest(connection, logs)
    with pytest.raises(duckdb.InvalidInputException, match="the remaining rows are unknown"):
        connection.sql('SELECT count(*) FROM shop."t.latest"').fetchall()
    logs.statement("TRUNCATE t")
    logs.insert(4, "z", 40)
    assert latest(connection, logs) == [(4, "z", 40, [])]


def test_a_change_of_a_row_of_unknown_key_is_an_error(tmp_path: Path, connection: Any) -> None:
    logs = begun(tmp_path).insert(1, "x", 10).update((_, "x", _), (_, _, 11))
    with pytest.raises(
        duckdb.InvalidInputException, match=r"shop\.t has changes of rows whose primary key is not in the log"
    ):
        latest(connection, logs)
    logs.statement("TRUNCATE t")
    logs.insert(4, "z", 40)
    assert latest(connection, logs) == [(4, "z", 40, [])]


def test_a_table_may_have_a_column_of_that_name(tmp_path: Path, connection: Any) -> None:
    logs = begun(tmp_path, CREATE.replace("b INT", "_unknown INT")).insert(1, "x", 10)
    assert latest(connection, logs) == [(1, "x", 10, [])]
    assert connection.sql('SELECT * FROM shop."t.latest"').columns == ["id", "a", "_unknown", "_unknown_2"]


def test_a_change_that_may_have_been_rolled_back_is_an_error(tmp_path: Path, connection: Any) -> None:
    log = ShopLog(version="5.2.14-MariaDB").trade(1).begin().add(QUERY, query(text=b"SAVEPOINT a")).insert(1)
    log.add(QUERY, query(text=b"ROLLBACK TO a")).commit().write(tmp_path / "bin.000001")
    job(tmp_path / "lake", tmp_path / "bin.000001", final=True)
    with pytest.raises(duckdb.InvalidInputException, match="has changes that may have been rolled back or not"):
        found(connection, tmp_path / "lake", "orders")
    log.begin().add(QUERY, query(text=b"TRUNCATE orders")).trade(1).write(tmp_path / "bin.000001")
    job(tmp_path / "lake", tmp_path / "bin.000001", final=True)
    assert [row[0] for row in found(connection, tmp_path / "lake", "orders")] == [4, 5]
