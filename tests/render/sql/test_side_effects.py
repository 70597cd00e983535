"""An undo and what a server does by itself: rows that foreign keys changed, triggers that would run again."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from support.bodies import DELETE_V1, LONG, UPDATE_V1, WRITE_V1, lenenc_field, rows_event, table_map, u4
from support.logs import TimedLog
from support.program import run

PARENT = "CREATE TABLE shop.parents (id INT PRIMARY KEY, note INT);"
CHILD = "CREATE TABLE shop.{} (id INT PRIMARY KEY, parent INT, FOREIGN KEY (parent) REFERENCES parents (id) {});"
TRIGGER = """DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`localhost`*/ /*!50003 TRIGGER `{0}_tr` {0} ON `parents` FOR EACH ROW
BEGIN SET @a='; for each row'; END */;;
DELIMITER ;
"""
CHECKED, UNCHECKED = 1, 3  # flags of rows: the statement ends; foreign keys are not checked
DELETED = (DELETE_V1, b"\0" + u4(1) + u4(7))
WRITTEN = (WRITE_V1, b"\0" + u4(1) + u4(7))
MOVED = (UPDATE_V1, b"\0" + u4(1) + u4(7) + b"\0" + u4(2) + u4(7))
NOTED = (UPDATE_V1, b"\0" + u4(1) + u4(7) + b"\0" + u4(1) + u4(8))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def undo(
    folder: Path, change: tuple[int, bytes], schema: str | None, *options: str, flags: int = CHECKED, triggers: int = 0
) -> subprocess.CompletedProcess[bytes]:
    """Undo a change of shop.parents (id, note), whose map may have the flag of triggers."""
    kind, rows = change
    names = lenenc_field(4, b"\2id\4note") + lenenc_field(1, b"\0") + lenenc_field(8, b"\0")
    described = table_map([LONG, LONG], optional=names, table=b"parents")
    described = described[:6] + (1 | triggers).to_bytes(2, "little") + described[8:]
    log = TimedLog()
    log.gtid(5, 1)
    log.place(19, 5, described)
    log.place(kind, 5, rows_event(2, rows, kind=kind, flags=flags))
    log.xid(5, 9)
    log.write(folder / "log")
    if schema is not None:
        (folder / "schema.sql").write_text(f"USE shop;\n{schema}\n")
        options = ("--schema", str(folder / "schema.sql"), *options)
    return run("dump", "--format", "sql", "--undo", *options, folder / "log")


def refused(done: subprocess.CompletedProcess[bytes], *words: str) -> bool:
    """Whether nothing was printed and the reason holds all of the words."""
    assert (done.returncode == 2) == (not done.stdout), done.stderr
    return done.returncode == 2 and all(word in done.stderr.decode() for word in words)


@pytest.mark.parametrize("action", ["CASCADE", "SET NULL", "SET DEFAULT"])
def test_a_deleted_parent_does_not_come_back_without_a_word(folder: Path, action: str) -> None:
    schema = PARENT + CHILD.format("kids", f"ON DELETE {action}") + CHILD.format("strict", "ON DELETE RESTRICT")
    assert refused(undo(folder, DELETED, schema), "along with shop.parents", f"shop.kids (ON DELETE {action})")
    accepted = undo(folder, DELETED, schema, "--parents-only")
    assert b"INSERT INTO `shop`.`parents` (`id`, `note`) VALUES (1, 7);" in accepted.stdout
    assert f"not restored: rows that foreign keys deleted or changed in shop.kids (ON DELETE {action})" in (
        accepted.stderr.decode()
    )
    assert b"strict" not in accepted.stderr


@pytest.mark.parametrize(
    "schema",
    [
        PARENT,
        PARENT + CHILD.format("kids", ""),
        PARENT + CHILD.format("kids", "ON DELETE RESTRICT ON UPDATE NO ACTION"),
        PARENT + CHILD.format("kids", "ON UPDATE CASCADE"),
        PARENT + "CREATE TABLE elsewhere.kids (p INT, FOREIGN KEY (p) REFERENCES parents (id) ON DELETE CASCADE);",
    ],
)
def test_keys_that_did_not_act_are_no_reason(folder: Path, schema: str) -> None:
    done = undo(folder, DELETED, schema)
    assert b"INSERT INTO `shop`.`parents`" in done.stdout
    assert not done.stderr


def test_without_checks_no_key_acted(folder: Path) -> None:
    done = undo(folder, DELETED, PARENT + CHILD.format("kids", "ON DELETE CASCADE"), flags=UNCHECKED)
    assert b"INSERT INTO `shop`.`parents`" in done.stdout
    assert not done.stderr


@pytest.mark.parametrize("action", ["CASCADE", "SET NULL"])
def test_a_changed_key_is_refused_and_another_column_is_not(folder: Path, action: str) -> None:
    schema = PARENT + CHILD.format("kids", f"ON UPDATE {action}")
    assert refused(undo(folder, MOVED, schema), f"shop.kids (ON UPDATE {action})", "--parents-only")
    assert b"SET `id`=1" in undo(folder, MOVED, schema, "--parents-only").stdout
    done = undo(folder, NOTED, schema)
    assert b"SET `note`=7" in done.stdout
    assert not done.stderr


def test_rows_that_an_undo_takes_along_are_reported(folder: Path) -> None:
    done = undo(folder, WRITTEN, PARENT + CHILD.format("kids", "ON DELETE CASCADE"))
    assert b"DELETE FROM `shop`.`parents`" in done.stdout
    assert b"the rows that refer to them: shop.kids (ON DELETE CASCADE)" in done.stderr


def test_keys_stand_in_columns_in_alter_table_and_in_the_table_itself(folder: Path) -> None:
    keys = {
        "column": "CREATE TABLE kids (p INT REFERENCES parents (id) ON DELETE CASCADE, q INT DEFAULT 5);",
        "added": "CREATE TABLE kids (p INT); ALTER TABLE `kids` ADD KEY (`p`), ADD CONSTRAINT `k` FOREIGN KEY (`p`) "
        "REFERENCES `parents` (`id`) ON DELETE CASCADE;",
    }
    for statement in keys.values():
        assert refused(undo(folder, DELETED, PARENT + statement), "shop.kids (ON DELETE CASCADE)")
    dropped = PARENT + keys["added"] + "ALTER TABLE kids DROP FOREIGN KEY k;"
    assert not undo(folder, DELETED, dropped).stderr
    tree = PARENT.replace(");", ", FOREIGN KEY (note) REFERENCES parents (id) ON DELETE CASCADE);")
    assert refused(undo(folder, DELETED, tree), "shop.parents (ON DELETE CASCADE)")
    like = PARENT + CHILD.format("kids", "ON DELETE CASCADE") + "CREATE TABLE kin LIKE kids;"
    assert b"kin" not in undo(folder, DELETED, like).stderr  # LIKE copies no foreign keys


@pytest.mark.parametrize(
    ("change", "event"), [(DELETED, "BEFORE INSERT"), (WRITTEN, "AFTER DELETE"), (NOTED, "BEFORE UPDATE")]
)
def test_triggers_that_the_undo_would_run_are_refused(folder: Path, change: tuple[int, bytes], event: str) -> None:
    schema = PARENT + TRIGGER.format(event)
    assert refused(undo(folder, change, schema), "has triggers", f"shop.{event}_tr ({event})", "--without-triggers")
    done = undo(folder, change, schema, "--without-triggers")
    assert done.stdout
    assert f"drop these triggers before you run the undo, and create them again after it: shop.{event}_tr" in (
        done.stderr.decode()
    )
    other = "AFTER INSERT" if change is not DELETED else "AFTER UPDATE"
    assert not undo(folder, change, PARENT + TRIGGER.format(other)).stderr


def test_a_table_map_tells_of_triggers_too(folder: Path) -> None:
    assert refused(undo(folder, DELETED, PARENT, triggers=0x4000), "shop.parents has triggers", "--without-triggers")
    done = undo(folder, DELETED, PARENT, "--without-triggers", triggers=0x4000)
    assert b"create them again after it: all of shop.parents" in done.stderr


CREATED = (
    "CREATE DEFINER=`root`@`localhost` TRIGGER tr BEFORE INSERT ON parents FOR EACH ROW SET @a = 1",
    "CREATE DEFINER = CURRENT_USER TRIGGER IF NOT EXISTS shop.tr AFTER UPDATE OR INSERT ON shop.parents FOR EACH ROW"
    " BEGIN SET @a = 'DROP TRIGGER tr'; END",
    "CREATE OR REPLACE TRIGGER tr BEFORE INSERT ON `parents` FOR EACH ROW FOLLOWS x SET @a = 1",
)


def undone(folder: Path, *items: str, options: tuple[str, ...] = ()) -> subprocess.CompletedProcess[bytes]:
    """Undo the delete from shop.parents that is written as "rows" among statements of the log, and that alone."""
    names = lenenc_field(4, b"\2id\4note") + lenenc_field(1, b"\0") + lenenc_field(8, b"\0")
    log = TimedLog()
    for number, item in enumerate(items, 1):
        log.gtid(5, number, standalone=item != "rows")
        if item != "rows":
            log.query(5, item)
            continue
        log.place(19, 5, table_map([LONG, LONG], optional=names, table=b"parents"))
        log.place(DELETE_V1, 5, rows_event(2, DELETED[1], kind=DELETE_V1, flags=CHECKED))
        log.xid(5, 9)
    log.write(folder / "log")
    rows = f"0-101-{items.index('rows') + 1}"
    return run("dump", "--format", "sql", "--undo", "--include-gtids", rows, *options, folder / "log")


@pytest.mark.parametrize("create", CREATED)
def test_triggers_that_the_log_creates_are_known(folder: Path, create: str) -> None:
    for items in ((create, "rows"), ("rows", create)):
        assert refused(undone(folder, *items), "has triggers", "shop.tr (", "INSERT)", "--without-triggers")
        done = undone(folder, *items, options=("--without-triggers",))
        assert b"drop these triggers before you run the undo, and create them again after it: shop.tr (" in done.stderr


@pytest.mark.parametrize(
    ("statements", "there"),
    [
        (["DROP TRIGGER IF EXISTS tr"], False),
        (["DROP TRIGGER shop.tr"], False),
        (["DROP TRIGGER other.tr"], True),
        (["DROP TRIGGER tr2"], True),
        (["DROP TABLE parents", PARENT.rstrip(";")], False),
        ([PARENT.rstrip(";").replace("CREATE", "CREATE OR REPLACE")], False),
        (["RENAME TABLE parents TO p"], False),
        (["RENAME TABLE parents TO p", "ALTER TABLE p RENAME TO parents"], True),
        (["DROP DATABASE shop"], False),
        (["CREATE OR REPLACE TRIGGER tr AFTER DELETE ON parents FOR EACH ROW SET @a = 1"], False),
    ],
)
def test_triggers_go_with_statements_of_the_log(folder: Path, statements: list[str], there: bool) -> None:
    done = undone(folder, CREATED[0], *statements, "rows")
    assert refused(done, "has triggers") == there, done.stderr
    assert bool(done.stdout) != there


def test_foreign_keys_that_the_log_creates_are_known(folder: Path) -> None:
    """The option that the refusal names does what it says, without a schema."""
    items = (PARENT.rstrip(";"), CHILD.format("kids", "ON DELETE CASCADE").rstrip(";"), "rows")
    assert refused(undone(folder, *items), "shop.kids (ON DELETE CASCADE)", "--parents-only")
    done = undone(folder, *items, options=("--parents-only",))
    assert done.returncode == 0
    assert b"not restored: rows that foreign keys deleted or changed in shop.kids" in done.stderr


def test_what_is_not_known_is_told_once(folder: Path) -> None:
    for schema in (None, "CREATE TABLE other (id INT);"):
        done = undo(folder, DELETED, schema)
        assert b"INSERT INTO `shop`.`parents`" in done.stdout
        assert b"shop.parents may have foreign keys and triggers that the logs do not show" in done.stderr
    assert b"that the logs do not show" in undo(folder, MOVED, None).stderr
    assert not undo(folder, NOTED, None).stderr  # no key was changed, and the log would tell of triggers


def test_a_flashback_with_a_schema_tells_what_it_does_not_bring_back(folder: Path) -> None:
    schema = PARENT + CHILD.format("kids", "ON DELETE CASCADE") + TRIGGER.format("BEFORE INSERT")
    undo(folder, DELETED, schema)  # writes the files
    done = run("dump", "--flashback", "--schema", folder / "schema.sql", folder / "log")
    assert done.returncode == 0
    assert done.stderr.decode().splitlines() == [
        "binlogcli: --flashback: not restored: rows that foreign keys deleted or changed in "
        "shop.kids (ON DELETE CASCADE)"
    ]
    assert not run("dump", "--flashback", folder / "log").stderr


def test_options_without_effect_are_reported(folder: Path) -> None:
    done = undo(folder, DELETED, PARENT, "--parents-only", "--without-triggers")
    assert b"--parents-only: no foreign key is known to have changed other rows" in done.stderr
    assert b"--without-triggers: no undone table" in done.stderr
    unknown = undo(folder, DELETED, None, "--parents-only")
    assert unknown.returncode == 0
    assert b"no foreign key is known" in unknown.stderr
    assert b"that the logs do not show: rows changed by ON DELETE" in unknown.stderr
    assert b"--parents-only requires --undo" in run("dump", "--parents-only", folder / "log").stderr
    assert b"requires --undo" in run("dump", "--without-triggers", folder / "log").stderr
