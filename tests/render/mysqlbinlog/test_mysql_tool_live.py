"""The text against MySQL's own tool, byte for byte: logs of random sessions, in all forms, whole and in part.

BINLOGCLI_MYSQL names the folder of its programs (tests/support/live_mysql.py); without it nothing is tested here.
BINLOGCLI_SESSIONS and BINLOGCLI_STATEMENTS make it longer; BINLOGCLI_SEED is where it begins.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from binlogcli.events.event import Event
from binlogcli.events.log import Log
from support.live_mysql import MysqlServer, mysql_available, tool, version
from support.mariadb_sessions import DATABASES, run_all
from support.mysql_sessions import ANOTHER_SERVER, MysqlSession
from support.program import run

SESSIONS = int(os.environ.get("BINLOGCLI_SESSIONS", "3"))
STATEMENTS = int(os.environ.get("BINLOGCLI_STATEMENTS", "200"))
SEED = int(os.environ.get("BINLOGCLI_SEED", "1"))
DECODED = ("-vv", "--base64-output=decode-rows")
FORMS = (
    (),
    ("-v",),
    ("-vv",),
    DECODED,
    ("--short-form",),
    ("--short-form", "-v", "--disable-log-bin"),
    ("--hexdump",),
    ("--hexdump", "-vv"),
    ("--print-table-metadata", *DECODED),
    ("--set-charset=utf8mb4", "-v"),
    ("--skip-gtids", "-v"),
    ("--idempotent",),
    ("--rewrite-db=shop->other", "-v"),
    ("--rewrite-db=ünï->ö", "--rewrite-db=we`ird db->`", "--hexdump"),
)
CHOICES = (
    *(("-v", f"--database={name}") for name in (*DATABASES, "nothing")),
    (f"--include-gtids={ANOTHER_SERVER}:1-1000:tag:1-1000",),
    (f"--exclude-gtids={ANOTHER_SERVER}:1-1000", "--skip-gtids"),
    ("--server-id=7", "-v"),
)
GTIDS = {"GTID_LOG_EVENT", "ANONYMOUS_GTID_LOG_EVENT", "GTID_TAGGED_LOG_EVENT"}

pytestmark = pytest.mark.skipif(
    not mysql_available() or version("mysqlbinlog") < (9, 0), reason="no tool of MySQL 9 is named"
)


def server_options(seed: int) -> list[str]:
    chance = random.Random(seed)
    options = [
        f"--binlog-format={chance.choice(['ROW', 'ROW', 'MIXED', 'STATEMENT'])}",
        f"--loose-binlog-row-metadata={chance.choice(['FULL', 'MINIMAL'])}",
        f"--binlog-checksum={chance.choice(['CRC32', 'CRC32', 'NONE'])}",
        "--sql-mode=",
    ]
    if chance.random() < 0.6:
        options += ["--gtid-mode=ON", "--enforce-gtid-consistency=ON"]
    extras = (
        (0.3, "--loose-binlog-transaction-compression=1"),
        (0.3, "--binlog-row-event-max-size=256"),
        (0.3, "--loose-binlog-row-value-options=PARTIAL_JSON"),
        (0.5, "--binlog-rows-query-log-events=1"),
    )
    return options + [option for share, option in extras if chance.random() < share]


@pytest.fixture(scope="module", params=range(SEED, SEED + SESSIONS))
def log(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    kept = tmp_path_factory.mktemp("logs") / f"session-{request.param}.000001"
    with MysqlServer(server_options(request.param)) as server:
        session = MysqlSession(request.param, version=version(), folder=str(server.directory))
        shutil.copy(run_all(server, session.beginning() + session.statements(STATEMENTS)), kept)
    return kept


def texts(
    log: Path, options: Sequence[str], folder: Path, lines_of: Callable[[bytes], list[bytes]]
) -> tuple[list[bytes], list[bytes]]:
    """The lines of the tool and ours. Where the tool crashes, as it does at an empty VECTOR, up to that line."""
    done = tool(*options, f"--local-load={folder}", log, check=False)
    ours = lines_of(run("dump", *options, log).stdout)
    theirs = lines_of(done.stdout)
    if done.returncode == -signal.SIGSEGV:
        theirs.pop()
        del ours[len(theirs) :]
    else:
        assert done.returncode == 0, done.stderr
    return theirs, ours


def lines(text: bytes) -> list[bytes]:
    """Without the names that files of LOAD DATA were given, which are others each time."""
    return re.sub(rb"LOAD DATA LOCAL INFILE '.*/SQL_LOAD_MB-[^']*'", b"LOAD DATA LOCAL INFILE ''", text).split(b"\n")


def chosen_lines(text: bytes) -> list[bytes]:
    """Without what the tool alone says of what it leaves out: where that stood, and a COMMIT behind XA PREPARE."""
    kept: list[bytes] = []
    for line in lines(text):
        if line.startswith(b"# at ") or (line.startswith(b"COMMIT /* added") and ends_xa(kept[-3:])):
            continue
        kept.append(line)
    return kept


def ends_xa(before: list[bytes]) -> bool:
    """Nothing is open any more then."""
    return any(line.startswith((b"XA PREPARE", b"XA COMMIT")) for line in before)


@pytest.mark.parametrize("options", FORMS, ids=lambda options: " ".join(options) or "default")
def test_a_whole_log(log: Path, options: tuple[str, ...], tmp_path: Path) -> None:
    theirs, ours = texts(log, options, tmp_path, lines)
    assert ours == theirs


@pytest.mark.parametrize("part", range(5))
def test_a_part_by_position(log: Path, part: int, tmp_path: Path) -> None:
    """Whole transactions: the tool knows no table maps that stand before."""
    with Log(str(log)) as opened:
        starts = [item.start for item in opened if isinstance(item, Event) and item.type in GTIDS]
    low, high = sorted(random.Random(part).sample(starts, 2))
    theirs, ours = texts(log, [f"--start-position={low}", f"--stop-position={high}", "-v"], tmp_path, lines)
    assert ours == theirs


@pytest.mark.parametrize("options", CHOICES, ids=" ".join)
def test_what_is_chosen(log: Path, options: tuple[str, ...], tmp_path: Path) -> None:
    theirs, ours = texts(log, options, tmp_path, chosen_lines)
    assert ours == theirs
