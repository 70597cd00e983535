"""The text of a server's log, given to the client of another server, makes the same rows there."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.live_mariadb import MariaServer, need_program, server_available
from support.load_logs import COMMAS, OldLog
from support.mysqlbinlog_text import text_of

pytestmark = pytest.mark.skipif(not server_available(), reason="no MariaDB server is installed")

ROWS = """
CREATE TABLE goods (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(60), price DECIMAL(9,2), made DATETIME(3),
  note TEXT, b BLOB);
INSERT INTO goods (name, price, made, note, b) VALUES
  ('lamp', 12.50, '2024-02-29 12:00:00.123', 'it''s "on" \\\\ off', 0x00FF0A),
  ('chair', NULL, NULL, 'gr\u00f6\u00dfer', ''), ('table', -1, '0000-00-00', REPEAT('x', 300), NULL);
UPDATE goods SET price = price + 1 WHERE id < 3;
DELETE FROM goods WHERE name = 'table';
INSERT INTO goods (name) SELECT CONCAT('n', seq) FROM seq_1_to_3000;
"""
SCENARIOS = {
    "row": "SET SESSION binlog_format = ROW;" + ROWS,
    "statement": "SET SESSION binlog_format = STATEMENT;"
    + ROWS
    + "SET @v = 'user ''var'; INSERT INTO goods (name, price) VALUES (@v, RAND()); SET TIMESTAMP = 1700000000.25;"
    + "INSERT INTO goods (name, made) VALUES ('now', NOW(3)); SET SESSION sql_mode = 'ANSI_QUOTES';"
    + "INSERT INTO \"goods\" (name) VALUES ('ansi');",
    "mixed": "SET SESSION binlog_format = MIXED;" + ROWS + "INSERT INTO goods (name) VALUES (UUID());",
    "compressed": "SET GLOBAL log_bin_compress = ON; SET GLOBAL log_bin_compress_min_len = 10;" + ROWS,
    "xa": """
CREATE TABLE goods (id INT PRIMARY KEY, name VARCHAR(60)) ENGINE=InnoDB;
XA START 'one'; INSERT INTO goods VALUES (1, 'prepared'); XA END 'one'; XA PREPARE 'one'; XA COMMIT 'one';
XA START 'two', 'b', 7; INSERT INTO goods VALUES (2, 'rolled back'); XA END 'two', 'b', 7; XA PREPARE 'two', 'b', 7;
XA ROLLBACK 'two', 'b', 7;
""",
    "names": """
CREATE TABLE `we``ird ta'ble` (`select` INT PRIMARY KEY, `sp ace` VARCHAR(20) CHARACTER SET latin1,
  `\u00fcber` VARCHAR(20) CHARACTER SET cp1251, g VARCHAR(20) CHARACTER SET gbk, u VARCHAR(20) CHARACTER SET ucs2);
INSERT INTO `we``ird ta'ble` VALUES (1, '\u00e9\u00e8', '\u043c\u0438\u0440', '\u4f60\u597d', '\u0416'),
  (2, NULL, '', 'a''b', '\\\\');
SET NAMES latin1; INSERT INTO `we``ird ta'ble` (`select`, `sp ace`) VALUES (3, 'plain');
""",
}
TABLES = (
    "SELECT CONCAT('`', REPLACE(table_name, '`', '``'), '`') FROM information_schema.tables"
    " WHERE table_schema='shop' ORDER BY 1"
)


@pytest.fixture(scope="module")
def servers() -> Iterator[tuple[MariaServer, MariaServer]]:
    with MariaServer() as source, MariaServer(["--server-id=102"]) as target:
        yield source, target


def replay(server: MariaServer, text: bytes) -> None:
    """Give the text to the server's own client, as `binlogcli dump | mariadb` does."""
    command = [need_program("mariadb"), "--no-defaults", f"--socket={server.socket}", "--user=root", "--local-infile=1"]
    done = subprocess.run(command, input=text, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def contents(server: MariaServer) -> dict[str, str]:
    """All rows of all tables, in hex where they are text."""
    found = {}
    for table in server.sql(TABLES).splitlines():
        found[table] = server.sql(f"CHECKSUM TABLE shop.{table}; SELECT * FROM shop.{table} ORDER BY 1")
    return found


def logged(server: MariaServer, sql: str) -> Path:
    """What the server logs of these statements, in a database of their own."""
    server.sql("DROP DATABASE IF EXISTS shop; SET GLOBAL log_bin_compress = OFF")
    server.flush_logs()
    server.sql("CREATE DATABASE shop CHARACTER SET utf8mb4; USE shop; SET NAMES utf8mb4;" + sql)
    return server.flush_logs()


@pytest.mark.parametrize("options", [{}, {"verbose": 2}, {"hexdump": True}], ids=["plain", "vv", "hexdump"])
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_replayed_log_gives_the_same_rows(
    servers: tuple[MariaServer, MariaServer], scenario: str, options: dict[str, Any]
) -> None:
    source, target = servers
    log = logged(source, SCENARIOS[scenario])
    target.sql("DROP DATABASE IF EXISTS shop")
    replay(target, text_of(log, **options))
    assert contents(target) == contents(source)
    assert contents(source)


def test_load_data_is_replayed_from_the_files_that_were_written_out(
    servers: tuple[MariaServer, MariaServer], tmp_path: Path
) -> None:
    source, target = servers
    table = tmp_path / "goods.csv"
    table.write_bytes(b"1,lamp\n2,'chair'\n3,\xc3\xa9\n")
    statement = f"LOAD DATA LOCAL INFILE '{table}' INTO TABLE goods FIELDS TERMINATED BY ','"
    log = logged(
        source,
        "SET SESSION binlog_format = STATEMENT; CREATE TABLE goods (id INT PRIMARY KEY, name VARCHAR(20));" + statement,
    )
    text = text_of(log, local_load=str(tmp_path))
    assert re.search(rb"LOAD DATA LOCAL INFILE '.*/SQL_LOAD_MB-\d+-0' INTO TABLE", text)
    target.sql("DROP DATABASE IF EXISTS shop")
    replay(target, text)
    assert contents(target) == contents(source)
    assert len(contents(source)["`goods`"].splitlines()) == 4


@pytest.mark.parametrize("mariadb", [False, True], ids=["mysql", "mariadb"])
def test_load_data_of_mysql_4_1_is_replayed(
    servers: tuple[MariaServer, MariaServer], tmp_path: Path, mariadb: bool
) -> None:
    _, target = servers
    rows = [b"%d\tn%d\n" % (number, number) for number in range(5000)]
    data = b"".join(rows)
    log = OldLog().query(b"CREATE DATABASE shop", b"").query(b"CREATE TABLE t (a INT, b VARCHAR(20))")
    log.create(7, b"/tmp/goods.txt", data[:20000]).append(7, data[20000:40000]).append(7, data[40000:]).execute(7)
    log.create(8, b"given up", b"1\tx\n").delete(8)
    log.create(8, b"list.csv", b"a,b\n>-1,'it'\n>-2,x\n", (b"a", b"b"), separators=COMMAS, skip=1).execute(8)
    (tmp_path / "old.001").write_bytes(log.log)
    target.sql("DROP DATABASE IF EXISTS shop")
    text = text_of(tmp_path / "old.001", local_load=str(tmp_path), mariadb=mariadb)
    replay(target, re.sub(rb"SET @@SESSION.GTID_NEXT[^\n]*", b"", text))  # MariaDB has no such variable
    assert target.sql("SELECT COUNT(*), SUM(a), MAX(b) FROM shop.t").split() == ["5002", str(5000 * 4999 // 2 - 3), "x"]
    assert target.sql("SELECT b FROM shop.t WHERE a = -1").strip() == "it"


def test_rows_can_be_replayed_into_another_database(servers: tuple[MariaServer, MariaServer]) -> None:
    source, target = servers
    log = logged(source, "SET SESSION binlog_format = ROW;" + ROWS)
    target.sql(
        "DROP DATABASE IF EXISTS shop; DROP DATABASE IF EXISTS store; CREATE DATABASE store CHARACTER SET utf8mb4"
    )
    text = text_of(log, rewrite_db={"shop": "store"})
    replay(target, re.sub(rb"CREATE DATABASE shop[^\n]*", b"SELECT 1", text))
    query = "SELECT * FROM {}.goods ORDER BY id"
    assert target.sql(query.format("store")) == source.sql(query.format("shop"))


def test_flashback_takes_the_rows_back(servers: tuple[MariaServer, MariaServer]) -> None:
    source, _ = servers
    logged(source, "SET SESSION binlog_format = ROW;" + ROWS)
    before = source.sql("SELECT * FROM shop.goods ORDER BY id")
    source.sql(
        "USE shop; SET SESSION binlog_format = ROW; UPDATE goods SET note = 'changed'; DELETE FROM goods WHERE id > 2;"
        " INSERT INTO goods (name) VALUES ('x')"
    )
    text = text_of(source.flush_logs(), flashback=True)
    assert source.sql("SELECT * FROM shop.goods ORDER BY id") != before
    replay(source, text)
    assert source.sql("SELECT * FROM shop.goods ORDER BY id") == before
