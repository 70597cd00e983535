"""SQL out of a log, run on a real server: the same rows again, and a day of changes taken back."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.live_mariadb import find_program, quoted
from support.program import missing

if TYPE_CHECKING:
    from support.live_mariadb import MariaServer

TABLES = """
CREATE TABLE shop.orders (
  id INT PRIMARY KEY AUTO_INCREMENT, customer VARCHAR(40) CHARACTER SET latin1, note TEXT CHARACTER SET utf8mb4,
  price DECIMAL(12,2), weight FLOAT, ratio DOUBLE, state ENUM('new','it''s','gone') NOT NULL, tags SET('a','b','c'),
  bits BIT(11), raw VARBINARY(20), pic BLOB, day DATE, clock TIME(3), made DATETIME(6) NULL,
  changed TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP, y YEAR, spot GEOMETRY, doc JSON);
CREATE TABLE shop.keyless (
  name VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci, amount FLOAT, made DATETIME,
  wide VARCHAR(10) CHARACTER SET ucs2, code BINARY(4));
CREATE TABLE shop.pairs (a INT, b VARCHAR(10), value INT, PRIMARY KEY (b, a));
CREATE TABLE shop.`odd ``name` (`the ``key` INT PRIMARY KEY, `sel--ect` TEXT);
"""
DAY = r"""
SET NAMES utf8mb4; USE shop;
SET time_zone='+05:30';
INSERT INTO orders VALUES (1,'Zoë','naïve ☃ \\ \' " \n\t\0\Z end',-12.50,0.1,1e-300,'it''s','a,c',b'10110011101',
  X'00FF27',X'DEADBEEF00','2026-02-28','-101:02:03.456','2026-01-02 03:04:05.678901',DEFAULT,1999,
  ST_GeomFromText('POINT(1 2)', 0),'{"a": 1}');
INSERT INTO orders (id,state,weight,ratio) VALUES (2,'new',16777216,-0.0),
  (3,'gone',3.4e38,1.7e308),(7,'new',1.17549e-38,5e-324);
INSERT INTO orders (id,state,note) VALUES (8,'new',CONCAT('bell',CHAR(7),'esc',CHAR(27),'[31m')),
  (9,'new','*/ -- ; # \\'), (10,'new','');
SET sql_mode='NO_AUTO_VALUE_ON_ZERO';
INSERT INTO orders (id,state,day) VALUES (0,'nonsense','0000-00-00'); SET sql_mode=DEFAULT;
INSERT INTO keyless VALUES ('a',0.1,NULL,'wide é',X'0100'),('A',0.1,NULL,'wide é',X'0100'),
  ('a',0.1,NULL,'wide é',X'0100'),
  (NULL,NULL,'2026-01-01',NULL,NULL),('ä',7.3,'2026-01-01','',X'');
INSERT INTO pairs VALUES (1,'x',1),(2,'x',2),(1,'y',3);
INSERT INTO `odd ``name` VALUES (1,'DELIMITER //'),(2,'`');
UPDATE orders SET note='changed', price=price*2 WHERE id IN (1,2);
UPDATE orders SET weight=weight+0.3, changed=changed WHERE id<4;
UPDATE keyless SET amount=amount*3 WHERE name='a' LIMIT 2;
UPDATE keyless SET name='B' WHERE BINARY name='A';
UPDATE pairs SET a=a+10 ORDER BY a DESC;
DELETE FROM keyless WHERE name='a' LIMIT 1;
DELETE FROM orders WHERE id=3;
BEGIN; UPDATE pairs SET value=value+1; DELETE FROM pairs WHERE b='y'; INSERT INTO pairs VALUES (5,'z',NULL); COMMIT;
UPDATE `odd ``name` SET `sel--ect`=NULL WHERE `the ``key`=2;
UPDATE orders SET id=id+100, doc='[1, "two"]', spot=NULL, tags='', bits=0 WHERE id=1;
"""


STATEMENTS_TABLE = """CREATE TABLE shop.t (
  id INT AUTO_INCREMENT PRIMARY KEY, at DATETIME(6), r DOUBLE, v VARCHAR(40), n INT)"""


@pytest.fixture
def server(maria: MariaServer) -> Iterator[MariaServer]:
    """The server with an empty database, logging rows with all metadata."""
    maria.sql("SET GLOBAL binlog_format=ROW; SET GLOBAL binlog_row_metadata=FULL; SET GLOBAL binlog_row_image=FULL")
    maria.sql("DROP DATABASE IF EXISTS shop; CREATE DATABASE shop")
    yield maria
    maria.sql("DROP DATABASE IF EXISTS shop")


def content(server: MariaServer) -> str:
    """All rows of all tables, each value as its bytes, in an order of their own."""
    schema = "FROM information_schema.columns WHERE table_schema='shop'"
    listed = server.sql(f"SELECT table_name, column_name {schema} ORDER BY 1, 2")
    found = [line.split("\t") for line in listed.splitlines()]
    texts = []
    for table in sorted({table for table, _ in found}):
        names = [quoted(name) for of, name in found if of == table]
        values = [f"IFNULL(HEX({name}), 'NULL')" for name in names]
        values += [f"{name}+0e0" for name in names if name in {"`weight`", "`ratio`", "`amount`"}]
        query = f"SET time_zone='+00:00'; SELECT {', '.join(values)} FROM shop.{quoted(table)}"
        texts += [table, *sorted(server.sql(query).splitlines())]
    return "\n".join(texts)


def dump(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-m", "binlogcli", "dump", *arguments], capture_output=True, check=False)


def sql_of(log: Path, *arguments: str) -> str:
    done = dump("--format", "sql", *arguments, str(log))
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode("utf-8", "surrogateescape")


def changes_of_a_day(server: MariaServer) -> Path:
    """Tables in one log, a day of changes in the one that is given back."""
    server.sql(TABLES)
    server.flush_logs()
    server.sql(DAY)
    return server.flush_logs()


def test_statements_made_of_rows_rebuild_the_rows(server: MariaServer) -> None:
    log = changes_of_a_day(server)
    wanted = content(server)
    server.sql("DROP DATABASE shop; CREATE DATABASE shop;" + TABLES)
    server.sql(sql_of(log))
    assert content(server) == wanted


def test_a_day_of_changes_and_its_undo_leave_the_tables_as_they_were(server: MariaServer) -> None:
    server.sql(TABLES)
    server.sql("USE shop; INSERT INTO keyless (name, amount) VALUES ('a', 0.1), ('A', 0.1), ('z', 0.7)")
    server.sql("USE shop; INSERT INTO orders (id, state, weight, changed) VALUES (50, 'new', 0.2, '2020-01-01')")
    server.sql("USE shop; INSERT INTO pairs VALUES (77, 'q', 5)")
    server.flush_logs()
    before = content(server)
    server.sql(DAY + "UPDATE orders SET weight=9.9 WHERE id=50; DELETE FROM orders WHERE id=50;")
    server.sql("USE shop; UPDATE pairs SET b='p' WHERE a>70")
    log = server.flush_logs()
    assert content(server) != before
    server.sql(sql_of(log, "--undo"))
    assert content(server) == before


def test_an_undo_of_one_table_leaves_the_others_alone(server: MariaServer) -> None:
    server.sql(TABLES)
    server.sql("USE shop; INSERT INTO pairs VALUES (1, 'x', 1), (2, 'x', 2)")
    server.flush_logs()
    server.sql("USE shop; DELETE FROM pairs WHERE a=1; UPDATE pairs SET value=7")
    server.sql("USE shop; INSERT INTO keyless (name) VALUES ('kept')")
    log = server.flush_logs()
    server.sql(sql_of(log, "--undo", "-T", "shop.pairs"))
    assert server.sql("SELECT * FROM shop.pairs ORDER BY a") == "1\tx\t1\n2\tx\t2\n"
    assert server.sql("SELECT name FROM shop.keyless") == "kept\n"


def test_statements_of_the_log_run_in_their_own_session(server: MariaServer) -> None:
    server.sql(STATEMENTS_TABLE)
    server.flush_logs()
    server.sql(r"""
        SET SESSION binlog_format=STATEMENT; SET NAMES utf8mb4; USE shop; SET time_zone='-03:00';
        SET @v='it''s é', @n=18446744073709551615;
        INSERT INTO t (at, r, v) VALUES (NOW(6), RAND(), @v);
        INSERT INTO t (v, n) VALUES ('a;b', LAST_INSERT_ID()) -- end
        ;
        SET sql_mode='ANSI_QUOTES,NO_BACKSLASH_ESCAPES'; INSERT INTO "t" (v) VALUES ('back\slash');
        SET insert_id=500; INSERT INTO t (v) VALUES ('later');
        SET sql_mode=DEFAULT;
        CREATE TABLE sums (a INT);
        DELIMITER //
        CREATE TRIGGER tr AFTER INSERT ON t FOR EACH ROW
          BEGIN INSERT INTO sums VALUES (1); INSERT INTO sums VALUES (2); END//
        DELIMITER ;
        INSERT INTO t (v) VALUES ('with trigger');
        CREATE TEMPORARY TABLE tmp AS SELECT v FROM t;
        INSERT INTO t (v) SELECT v FROM tmp WHERE v LIKE 'it%'; DROP TEMPORARY TABLE tmp;
    """)
    log = server.flush_logs()
    wanted = content(server)
    server.sql("DROP TABLE shop.sums; DROP TABLE shop.t")
    server.sql(STATEMENTS_TABLE)
    server.sql("SET SESSION binlog_format=STATEMENT;\n" + sql_of(log))
    assert content(server) == wanted


VERSIONED = """
CREATE TABLE shop.kept (id INT PRIMARY KEY AUTO_INCREMENT, v VARCHAR(40), n INT UNIQUE) WITH SYSTEM VERSIONING;
CREATE TABLE shop.keyless_kept (v VARCHAR(40), n INT);
ALTER TABLE shop.keyless_kept ADD SYSTEM VERSIONING;
"""
VERSIONS = """
USE shop;
INSERT INTO kept (v, n) VALUES ('a', 1), ('b', 2), ('c', 3);
UPDATE kept SET v = 'bb' WHERE id = 2; UPDATE kept SET v = v WHERE id = 1; DELETE FROM kept WHERE id = 3;
REPLACE INTO kept (id, v, n) VALUES (1, 'r', 2);
INSERT INTO kept (v, n) VALUES ('d', 2) ON DUPLICATE KEY UPDATE v = 'e';
BEGIN; UPDATE kept SET n = n + 10; UPDATE kept SET n = n + 10; INSERT INTO kept (v, n) VALUES ('z', 9); COMMIT;
INSERT INTO keyless_kept VALUES ('x', 1), ('y', NULL); UPDATE keyless_kept SET n = 5;
DELETE FROM keyless_kept LIMIT 1;
"""


@pytest.mark.parametrize("image", ["FULL", "MINIMAL"])
def test_tables_with_system_versioning_get_the_same_history(server: MariaServer, image: str) -> None:
    history = "; ".join(
        f"SELECT *, row_start, row_end FROM shop.{table} FOR SYSTEM_TIME ALL ORDER BY 1, 2, 3, row_start, row_end"
        for table in ("kept", "keyless_kept")
    )
    server.flush_logs()
    server.sql(VERSIONED + f"SET binlog_row_image={image};" + VERSIONS)
    log = server.flush_logs()
    wanted = server.sql(history)
    assert wanted.count("\n") > 12
    server.sql("DROP TABLE shop.kept; DROP TABLE shop.keyless_kept")
    server.sql(sql_of(log))
    assert server.sql(history) == wanted


def test_an_undo_brings_back_what_is_there_now_with_system_versioning(server: MariaServer) -> None:
    server.sql(VERSIONED + VERSIONS)
    now = "SELECT * FROM shop.kept ORDER BY id; SELECT * FROM shop.keyless_kept ORDER BY v"
    wanted = server.sql(now)
    server.flush_logs()
    server.sql(VERSIONS)
    log = server.flush_logs()
    assert server.sql(now) != wanted
    server.sql(sql_of(log, "--undo"))
    assert server.sql(now) == wanted


COMPUTED = """
CREATE TABLE shop.hashed (id INT, a TEXT, b BLOB, UNIQUE (a), UNIQUE (b));
CREATE TABLE shop.sums (
  id INT PRIMARY KEY, v INT AS (id + 1) VIRTUAL, s INT GENERATED ALWAYS AS (id + 2) STORED, KEY (v));
"""


def test_columns_that_only_the_server_sets_are_left_out(server: MariaServer, tmp_path: Path) -> None:
    server.sql(COMPUTED)
    (tmp_path / "schema.sql").write_text(COMPUTED)
    server.flush_logs()
    server.sql("INSERT INTO shop.hashed VALUES (1, 'x', 'y'), (2, NULL, 'z'); UPDATE shop.hashed SET a = id")
    server.sql("DELETE FROM shop.hashed WHERE id = 2; INSERT INTO shop.sums (id) VALUES (5), (6)")
    server.sql("UPDATE shop.sums SET id = 7 WHERE id = 5")
    log = server.flush_logs()
    wanted = content(server)
    text = sql_of(log, "--schema", str(tmp_path / "schema.sql"))
    assert "DB_ROW_HASH" not in text
    assert "`s`" not in text
    server.sql("TRUNCATE shop.hashed; TRUNCATE shop.sums")
    server.sql(text)
    assert content(server) == wanted
    server.sql(sql_of(log, "--schema", str(tmp_path / "schema.sql"), "--undo"))
    assert server.sql("SELECT COUNT(*) FROM shop.hashed; SELECT COUNT(*) FROM shop.sums") == "0\n0\n"


def test_times_of_ones_own_are_no_system_versioning(server: MariaServer) -> None:
    times = "row_start TIMESTAMP(6) NOT NULL DEFAULT 0, row_end TIMESTAMP(6) NOT NULL DEFAULT 0"
    server.sql(f"CREATE TABLE shop.own (id INT PRIMARY KEY, {times})")
    server.flush_logs()
    server.sql("INSERT INTO shop.own VALUES (1, '2026-01-01 00:00:00', '2026-02-01 00:00:00')")
    log = server.flush_logs()
    wanted = content(server)
    server.sql("TRUNCATE shop.own")
    server.sql(sql_of(log))
    assert content(server) == wanted


SIGNS = """CREATE TABLE shop.signs (
  id BIGINT {0} PRIMARY KEY, a TINYINT {0}, b SMALLINT {0}, c MEDIUMINT {0}, d INT {0}, note TEXT)"""


@pytest.mark.parametrize("sign", ["UNSIGNED", ""])
def test_rows_with_numbers_of_unknown_sign_are_found_whatever_it_is(server: MariaServer, sign: str) -> None:
    server.sql(SIGNS.format(sign))
    large = "18446744073709551615, 255, 65535, 16777215, 4294967295" if sign else "-1, -1, -1, -1, -1"
    server.sql("SET GLOBAL binlog_row_metadata=NO_LOG")
    server.sql(f"INSERT INTO shop.signs VALUES ({large}, 'old'), (1, 1, 1, 1, 1, 'old')")
    server.flush_logs()
    server.sql("UPDATE shop.signs SET note='new'; DELETE FROM shop.signs WHERE id=1")
    changes = server.flush_logs()
    plain = sql_of(changes, "--table", "shop.signs")
    assert "`@1`" in plain  # the log has no names either
    server.sql("TRUNCATE shop.signs; INSERT INTO shop.signs VALUES " + f"({large}, 'old'), (1, 1, 1, 1, 1, 'old')")
    for number, name in enumerate(("id", "a", "b", "c", "d", "note"), 1):
        plain = plain.replace(f"`@{number}`", f"`{name}`")
    server.sql(plain)
    assert server.sql("SELECT * FROM shop.signs") == large.replace(", ", "\t") + "\tnew\n"


REFUSALS = {
    "a DDL statement: 'CREATE TABLE shop.other": "CREATE TABLE shop.other (a INT)",
    "XA transactions are not supported: \"XA END X'78'": "XA START 'x'; DELETE FROM shop.orders; "
    "XA END 'x'; XA PREPARE 'x'; XA COMMIT 'x'",
    'only the statement, not the changed rows: "UPDATE shop.keyless': "SET SESSION binlog_format=STATEMENT; "
    "UPDATE shop.keyless SET name='x'",
    "lack columns": "SET SESSION binlog_row_image=MINIMAL; DELETE FROM shop.orders",
    "before their update lack columns": "SET SESSION binlog_row_image=MINIMAL; UPDATE shop.orders SET note='x'",
    "have no names": "SET GLOBAL binlog_row_metadata=NO_LOG; UPDATE shop.orders SET note='x'",
    "has triggers": "CREATE TRIGGER shop.tr BEFORE UPDATE ON shop.orders FOR EACH ROW SET NEW.note='y';"
    "FLUSH BINARY LOGS; UPDATE shop.orders SET note='x'",
}


@pytest.mark.parametrize("reason", REFUSALS)
def test_an_undo_that_cannot_be_right_is_refused_with_its_place(server: MariaServer, reason: str) -> None:
    server.sql(TABLES)
    server.sql("USE shop; INSERT INTO orders (id, state) VALUES (1, 'new'); INSERT INTO keyless (name) VALUES ('a')")
    server.flush_logs()
    server.sql(REFUSALS[reason])
    log = server.flush_logs()
    done = dump("--format", "sql", "--undo", str(log))
    assert done.returncode == 2
    assert not done.stdout
    assert f"{log}: at " in done.stderr.decode()
    assert reason in done.stderr.decode()


FAMILY = """
CREATE TABLE shop.parents (id INT PRIMARY KEY, note TEXT);
CREATE TABLE shop.kids (id INT PRIMARY KEY, parent INT, FOREIGN KEY (parent) REFERENCES shop.parents (id)
  ON DELETE CASCADE);
CREATE TABLE shop.guests (id INT PRIMARY KEY, parent INT, FOREIGN KEY (parent) REFERENCES shop.parents (id)
  ON DELETE SET NULL ON UPDATE CASCADE);
INSERT INTO shop.parents VALUES (1, 'one'), (2, 'two');
INSERT INTO shop.kids VALUES (11, 1), (12, 2);
INSERT INTO shop.guests VALUES (21, 1), (22, 2)"""


def dumped(server: MariaServer, folder: Path) -> str:
    """The server's own dump of the tables and triggers of shop, without rows."""
    program = find_program("mariadb-dump") or find_program("mysqldump")
    if program is None:
        missing("no mariadb-dump is installed")
    options = ["--no-defaults", f"--socket={server.socket}", "--user=root", "--no-data", "shop"]
    done = subprocess.run([str(program), *options], capture_output=True, check=True)
    path = folder / "dump.sql"
    path.write_bytes(done.stdout)
    return str(path)


@pytest.mark.parametrize(
    ("change", "children"),
    [
        ("DELETE FROM shop.parents WHERE id=1", ("shop.kids (ON DELETE CASCADE)", "shop.guests (ON DELETE SET NULL)")),
        ("UPDATE shop.parents SET id=3, note='x' WHERE id=2", ("shop.guests (ON UPDATE CASCADE)",)),
    ],
)
def test_an_undo_names_the_children_that_a_foreign_key_changed(
    server: MariaServer, tmp_path: Path, change: str, children: tuple[str, ...]
) -> None:
    server.sql(FAMILY)
    if change.startswith("UPDATE"):
        server.sql("DELETE FROM shop.kids")  # their key restricts updates
    server.flush_logs()
    parents = server.sql("SELECT * FROM shop.parents ORDER BY id")
    server.sql(change)
    log = server.flush_logs()
    schema = dumped(server, tmp_path)
    done = dump("--format", "sql", "--undo", "--schema", schema, str(log))
    assert done.returncode == 2
    assert not done.stdout
    assert all(child in done.stderr.decode() for child in children)
    server.sql(sql_of(log, "--undo", "--schema", schema, "--parents-only"))
    assert server.sql("SELECT * FROM shop.parents ORDER BY id") == parents
    if change.startswith("DELETE"):
        assert server.sql("SELECT id FROM shop.kids") == "12\n"
    else:
        assert server.sql("SELECT * FROM shop.guests") == "21\t1\n22\t2\n"  # the update back cascades, too


def test_an_undo_of_a_table_with_triggers_is_made_to_be_run_without_them(server: MariaServer, tmp_path: Path) -> None:
    server.sql("CREATE TABLE shop.watched (id INT PRIMARY KEY, n INT); CREATE TABLE shop.audit (what TEXT)")
    trigger = "CREATE TRIGGER shop.tell AFTER {} ON shop.watched FOR EACH ROW INSERT INTO shop.audit VALUES ('seen')"
    server.sql(trigger.format("DELETE") + ";" + trigger.replace("tell", "greet").format("INSERT"))
    server.sql("INSERT INTO shop.watched VALUES (1, 1), (2, 2)")
    server.flush_logs()
    before = content(server)
    server.sql("DELETE FROM shop.watched WHERE id=1")
    log = server.flush_logs()
    schema = dumped(server, tmp_path)
    done = dump("--format", "sql", "--undo", "--schema", schema, str(log))
    assert done.returncode == 2
    assert b"shop.greet (AFTER INSERT)" in done.stderr
    assert b"shop.tell" not in done.stderr
    server.sql("DROP TRIGGER shop.greet")
    server.sql(sql_of(log, "--undo", "--schema", schema, "--without-triggers"))
    assert content(server) == before
