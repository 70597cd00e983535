"""Names, signs, labels and keys that a log's own statements tell, in the output of the commands."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any, Self

import pytest

from support.bodies import (
    LONG,
    NEWDECIMAL,
    STRING,
    UNSIGNED,
    VARCHAR,
    WRITE_V1,
    mariadb_gtid,
    query,
    rows_event,
    table_map,
    u2,
    u4,
    u8,
)
from support.logs import GTID_MARIADB, MARIADB, QUERY, TABLE_MAP, XID, LogBuilder
from support.program import run

INTEGERS = [LONG, LONG]
ROW = b"\0" + u4(5) + u4(6)


class DdlLog(LogBuilder):
    """A log of MariaDB without metadata: statements and rows in `shop`, each in a transaction of its own."""

    def __init__(self, *, first: int = 1, server_id: int = 101, started: bool = True) -> None:
        super().__init__(MARIADB)
        self.seq_no = first
        self.server_id = server_id
        self.describe(server_id=server_id, created=1 if started else 0)

    def statement(self, *texts: str, **fields: Any) -> Self:
        """Add statements."""
        for text in texts:
            self._begin(1).add(QUERY, query(text=text.encode(), **fields), server_id=self.server_id)
        return self

    def insert(
        self, types: list[int] | None = None, row: bytes = ROW, metadata: bytes = b"", *, table: bytes = b"t"
    ) -> Self:
        """Add a row of a table in `shop`."""
        types = types or INTEGERS
        self._begin(0).add(TABLE_MAP, table_map(types, metadata, table=table), server_id=self.server_id)
        self.add(WRITE_V1, rows_event(len(types), row), server_id=self.server_id)
        return self.add(XID, u8(self.seq_no), server_id=self.server_id)

    def _begin(self, flags: int) -> Self:
        self.seq_no += 1
        return self.add(GTID_MARIADB, mariadb_gtid(self.seq_no, flags), server_id=self.server_id)

    def at_path(self, path: Path) -> Path:
        """Write the log and return its path."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self.write(path)
        return path


def events(*arguments: str | Path, status: int = 0) -> tuple[list[dict[str, Any]], str]:
    """Return the events of `dump --format json`, and what it says on stderr."""
    done = run("dump", "--format", "json", *arguments)
    assert done.returncode == status, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr.decode()


def rows(*arguments: str | Path, status: int = 0) -> tuple[list[list[str]], str]:
    """Return the names of the columns of each row, and what is said on stderr."""
    found, err = events(*arguments, status=status)
    bodies = [event["body"] for event in found if "rows" in event.get("body", {})]
    return [list(row["after"]) for body in bodies for row in body["rows"]], err


def origins(*arguments: str | Path) -> list[str | None]:
    """Return where the names of each table map are from."""
    found, _ = events("-E", "TABLE_MAP*", *arguments)
    return [event["body"].get("names_from") for event in found]


@pytest.fixture
def schema(tmp_path: Path) -> Path:
    path = tmp_path / "schema.sql"
    path.write_text("CREATE DATABASE shop; USE shop; CREATE TABLE t (p INT, q INT); CREATE TABLE u (r INT, s INT);")
    return path


def test_json_says_where_the_names_of_a_table_are_from(tmp_path: Path, schema: Path) -> None:
    log = DdlLog().insert().insert(table=b"u").statement("ALTER TABLE t RENAME COLUMN p TO x").insert()
    path = log.insert(table=b"u").at_path(tmp_path / "bin.000001")
    assert origins("--schema", schema, path) == ["schema", "schema", "ddl", "schema"]
    assert origins(path) == [None] * 4
    assert rows("--schema", schema, path)[0] == [["p", "q"], ["r", "s"], ["x", "q"], ["r", "s"]]
    done = run("dump", "--format", "json", "--schema", schema, "--schema-at", "end", path)
    assert b'"names_from": "schema"' in done.stdout


# which logs are one history ---------------------------------------------------------------------------------------


def names_in(*logs: Path, **options: str) -> tuple[list[str], str]:
    """Return the columns of each row as one word, and what is said on stderr."""
    found, err = rows(*options.values(), *logs)
    return ["".join(names) for names in found], err


CREATED = "CREATE TABLE t (a INT, b INT)"


@pytest.mark.parametrize(
    ("first", "second", "server_id", "names", "remark"),
    [
        ("bin.000001", "bin.000002", 101, "ab", False),
        ("bin.000001", "bin.000003", 101, "ab", True),
        ("bin.000001", "bin.000003", 102, "@1@2", False),
        ("bin.000002", "bin.000001", 101, "@1@2", False),
        ("x/bin.000001", "y/bin.000001", 101, "@1@2", False),
        ("x/bin.000001", "y/bin.000002", 102, "@1@2", False),
        ("x/bin.000001", "y/other.000002", 101, "@1@2", False),
    ],
)
def test_definitions_hold_in_later_logs_of_the_same_server(
    tmp_path: Path, first: str, second: str, server_id: int, names: str, *, remark: bool
) -> None:
    one = DdlLog().statement(CREATED).insert().at_path(tmp_path / first)
    other = DdlLog(first=9, server_id=server_id, started=False).insert().insert().at_path(tmp_path / second)
    found, err = names_in(one, other)
    assert found == ["ab", names, names]
    expected = f"{other} does not follow {one}: column names from before are used where their types match"
    assert (err.count(expected) == 1) == remark
    assert bool(err) == remark


def test_what_a_log_behind_a_gap_defines_itself_needs_no_remark(tmp_path: Path) -> None:
    one = DdlLog().statement(CREATED).at_path(tmp_path / "bin.000001")
    other = DdlLog(first=9, started=False).statement("DROP TABLE t", "CREATE TABLE t (x INT, y INT)").insert()
    found, err = names_in(one, other.at_path(tmp_path / "bin.000005"))
    assert (found, err) == (["xy"], "")


def test_an_index_and_packed_logs_are_one_history(tmp_path: Path) -> None:
    DdlLog().statement(CREATED).at_path(tmp_path / "bin.000001")
    second = DdlLog(first=9, started=False).insert()
    (tmp_path / "bin.000002.gz").write_bytes(gzip.compress(bytes(second.log)))
    (tmp_path / "bin.index").write_text("./bin.000001\n./bin.000002.gz\n")
    assert names_in(tmp_path / "bin.index") == (["ab"], "")
    assert names_in(tmp_path / "bin.000001", tmp_path / "bin.000002.gz") == (["ab"], "")


@pytest.fixture(scope="module")
def long_log(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """A log so large that a start position is sought; and a position behind all of its statements."""
    log = DdlLog().statement(CREATED, "CREATE TABLE u (c INT, d INT)")
    for _ in range(3000):
        log.insert()
    log.statement("ALTER TABLE t RENAME COLUMN b TO changed")
    for _ in range(10):
        log.insert()
    path = log.at_path(tmp_path_factory.mktemp("logs") / "bin.000001")
    assert path.stat().st_size > 1 << 18
    return path, log.starts[-4]


@pytest.mark.parametrize(
    "choice",
    [
        ("--start-position",),
        ("--start-datetime", "2023-11-21"),
        ("--include-gtids", "0-101-3010"),
        ("--table", "shop.t"),
        ("--where", "changed = 6"),
        ("--server-id", "101"),
    ],
    ids=" ".join,
)
def test_the_names_are_known_in_the_middle_of_a_log(long_log: tuple[Path, int], choice: tuple[str, ...]) -> None:
    path, position = long_log
    given = choice if len(choice) > 1 else (*choice, str(position))
    found, err = rows(*given, path)
    assert found[-1] == ["a", "changed"]
    left_out = "binlogcli: --where: rows of shop.t do not match: the table lacks that column\n"
    assert err == (left_out if "--where" in choice else "")


@pytest.mark.parametrize("start", [(), ("--start-position",)], ids=["all", "middle"])
def test_a_damaged_statement_leaves_its_table_unknown(
    tmp_path: Path, long_log: tuple[Path, int], start: tuple[str, ...]
) -> None:
    path, position = long_log
    data = bytearray(path.read_bytes())
    data[data.index(b"TO changed") + 4] ^= 1
    torn = tmp_path / "bin.000001"
    torn.write_bytes(data)
    found, err = rows(*start, *([str(position)] if start else []), torn, status=0 if start else 1)
    assert found[-1] == ["@1", "@2"]
    assert found[0] == (["@1", "@2"] if start else ["a", "b"])
    assert err.count("the columns of shop.t are unknown: ") == 1
    assert "is damaged at" in err
    assert "the statement there cannot be read" in err


def test_names_from_before_damage_are_used_where_they_fit(tmp_path: Path) -> None:
    log = DdlLog().statement(CREATED, "CREATE TABLE u (c INT, d INT)").insert()
    start = log.at
    log.statement("ALTER TABLE t RENAME COLUMN b TO c").insert().insert(table=b"u")
    log.log[start : start + 120] = bytes(120)  # several events
    path = log.at_path(tmp_path / "bin.000001")
    found, err = rows(path, status=1)
    assert found[0] == ["a", "b"]
    assert found[-1] == ["c", "d"]
    assert err.count("is damaged at") == 1
    assert "column names from before are used where their types match" in err


def test_a_damaged_row_says_nothing_of_definitions(tmp_path: Path) -> None:
    log = DdlLog().statement(CREATED).insert().insert()
    log.log[log.starts[-6] + 30] ^= 1
    found, err = rows(log.at_path(tmp_path / "bin.000001"), status=1)
    assert found == [["a", "b"]]
    assert "names of columns" not in err


def test_what_is_before_a_damaged_statement_is_not_known_from_what_is_behind_it(tmp_path: Path, schema: Path) -> None:
    log = DdlLog().insert().statement("ALTER TABLE t RENAME COLUMN a TO q, RENAME COLUMN b TO p").insert(table=b"u")
    log.log[log.log.index(b"a TO q")] ^= 1
    found, _ = rows("--schema", schema, "--schema-at", "end", log.at_path(tmp_path / "bin.000001"), status=1)
    assert found == [["@1", "@2"], ["r", "s"]]


# what does not fit --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("column", "types", "metadata", "reason"),
    [
        ("INT, c INT", [LONG, LONG], b"", "3 instead of 2 columns"),
        ("BIGINT", [LONG, LONG], b"", "column 2, b: bigint instead of LONG"),
        (
            "VARCHAR(20) CHARACTER SET latin1",
            [LONG, VARCHAR],
            u2(30),
            "column 2, b: varchar of 20 bytes instead of varchar of 30 bytes",
        ),
        ("DECIMAL(10,2)", [LONG, NEWDECIMAL], b"\x0a\x03", "column 2, b: decimal(10,2) instead of decimal(10,3)"),
        ("ENUM('x')", [LONG, STRING], b"\xf7\x02", "column 2, b: enum of 1 byte instead of enum of 2 bytes"),
    ],
    ids=["number", "type", "length", "digits", "labels"],
)
def test_a_definition_that_does_not_fit_is_not_used_until_one_does(
    tmp_path: Path, column: str, types: list[int], metadata: bytes, reason: str
) -> None:
    log = DdlLog().statement(f"CREATE TABLE t (a INT, b {column})").insert(types, b"\xfe" + u4(5), metadata)
    position = log.starts[-3]
    log.insert(types, b"\xfe" + u4(5), metadata).statement("DROP TABLE t", CREATED).insert()
    path = log.at_path(tmp_path / "bin.000001")
    found, err = rows(path)
    assert [names[0] for names in found] == ["@1", "@1", "a"]
    assert err == (
        f"binlogcli: {path}: at {position}: the known definition of table shop.t does not match it and is not used "
        f"({reason})\n"
    )


def test_a_sign_that_the_map_tells_goes_before_the_definition(tmp_path: Path) -> None:
    log = DdlLog().statement("CREATE TABLE t (a INT, b INT UNSIGNED)")
    log.add(TABLE_MAP, table_map(INTEGERS, b"", UNSIGNED)).add(WRITE_V1, rows_event(2, ROW))
    found, err = rows(log.at_path(tmp_path / "bin.000001"))
    assert found == [["@1", "@2"]]
    assert "(column 1, a: its sign differs)" in err


# of when a schema file is -------------------------------------------------------------------------------------------


@pytest.fixture
def changed(tmp_path: Path) -> tuple[Path, LogBuilder]:
    """A log whose statements lead to the schema file's table `t (p, q)`, with a row before and behind each."""
    log = DdlLog().insert().statement("ALTER TABLE t RENAME COLUMN a TO p").insert()
    log.statement("ALTER TABLE t RENAME COLUMN b TO q").insert()
    return log.at_path(tmp_path / "bin.000001"), log


def test_a_schema_file_of_the_end_is_walked_back(changed: tuple[Path, LogBuilder], schema: Path) -> None:
    path, log = changed
    expected = [["a", "b"], ["p", "b"], ["p", "q"]]
    for place in ("end", "0-101-6", f"bin.000001:{log.at}", f"{path}:{log.starts[-4]}"):
        assert rows("--schema", schema, "--schema-at", place, path) == (expected, "")


def test_a_schema_file_of_the_middle_is_walked_back_and_on(changed: tuple[Path, LogBuilder], tmp_path: Path) -> None:
    path, log = changed
    schema = tmp_path / "middle.sql"
    schema.write_text("USE shop; CREATE TABLE t (p INT, b INT)")
    for place in ("0-101-3", f"bin.000001:{log.starts[7]}"):
        assert rows("--schema", schema, "--schema-at", place, path) == ([["a", "b"], ["p", "b"], ["p", "q"]], "")


def test_a_schema_file_that_is_newer_than_the_log_is_told_of(changed: tuple[Path, LogBuilder], schema: Path) -> None:
    path, _ = changed
    found, err = rows("--schema", schema, path)
    assert found[1:] == [["@1", "@2"]] * 2
    assert "the columns of shop.t are unknown: the statement at " in err
    assert "if the --schema files are newer than the logs, pass --schema-at end" in err


@pytest.mark.parametrize(
    ("place", "reason"),
    [
        ("0-101-77", "no transaction has this GTID"),
        ("bin.000009:4", "none of the logs has this name"),
        ("bin.000001:5", "no event starts there"),
        ("2099-01-01", "the logs end earlier"),
        ("noon", "is not a time, FILE:POSITION or GTID"),
    ],
)
def test_a_place_of_a_schema_file_must_be_in_the_logs(
    changed: tuple[Path, LogBuilder], schema: Path, place: str, reason: str
) -> None:
    done = run("dump", "--schema", schema, "--schema-at", place, "--format", "json", changed[0])
    assert (done.returncode, done.stdout) == (2, b"")
    assert reason in done.stderr.decode()


def test_what_a_walk_back_needs(changed: tuple[Path, LogBuilder], schema: Path) -> None:
    path, _ = changed
    done = run("dump", "--schema-at", "end", path)
    assert (done.returncode, b"--schema-at requires --schema" in done.stderr) == (2, True)
    for source in ("-", "mysql://u@127.0.0.1:1/"):
        done = run(
            "dump", "--format", "json", "--schema", schema, "--schema-at", "end", source, given=path.read_bytes()
        )
        assert (done.returncode, done.stdout) == (2, b"")
        assert b"--schema-at reads the logs twice: pass log files" in done.stderr


# names in upper and lower case, and hostile ones ----------------------------------------------------------------------


def test_statements_in_other_letters_are_of_the_table_that_the_log_writes_in_lower_case(tmp_path: Path) -> None:
    log = DdlLog().statement("CREATE TABLE Foo (A INT, b INT)", "ALTER TABLE FOO RENAME COLUMN b TO c")
    found, err = rows(log.insert(table=b"foo").at_path(tmp_path / "bin.000001"))
    assert (found, err) == ([["A", "c"]], "")


def test_tables_whose_names_differ_in_case_alone_are_told_apart(tmp_path: Path) -> None:
    log = DdlLog().statement("CREATE TABLE T (a INT, b INT)", "CREATE TABLE t (c INT, d INT)")
    log.insert(table=b"T").insert(table=b"t").statement("ALTER TABLE T RENAME COLUMN a TO x").insert(table=b"t")
    found, err = rows(log.insert(table=b"T").at_path(tmp_path / "bin.000001"))
    assert (found, err) == ([["a", "b"], ["c", "d"], ["c", "d"], ["x", "b"]], "")


def test_names_that_steer_a_terminal_are_escaped_in_warnings(tmp_path: Path) -> None:
    hostile = "a\n\x1b[31mb\u202e"
    log = DdlLog().statement(f"CREATE TABLE `{hostile}` (`{hostile}` BIGINT, b INT)").insert(table=hostile.encode())
    log.statement(f"ALTER TABLE `{hostile}` FROBNICATE").insert(table=hostile.encode(), types=[LONG] * 2)
    _, err = rows(log.at_path(tmp_path / "bin.000001"))
    lines = err.splitlines()
    assert len(lines) == 2
    assert all(line.startswith("binlogcli: ") and line.isprintable() for line in lines)
