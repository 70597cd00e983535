"""The text against the tool on this machine, byte for byte: logs of random sessions, in all forms, whole and in part.

BINLOGCLI_SESSIONS and BINLOGCLI_STATEMENTS make it longer; BINLOGCLI_SEED is where it begins.
"""

from __future__ import annotations

import functools
import os
import random
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from binlogcli.events.event import Event
from binlogcli.events.log import Log
from support.live_mariadb import MariaServer, need_program, server_available
from support.mariadb_sessions import DATABASES, NEWER_TYPES, TYPES, MariadbSession, run_all
from support.program import missing, run

SESSIONS = int(os.environ.get("BINLOGCLI_SESSIONS", "2"))
STATEMENTS = int(os.environ.get("BINLOGCLI_STATEMENTS", "150"))
SEED = int(os.environ.get("BINLOGCLI_SEED", "1"))
OLDEST, NEWEST = (10, 11), (11, 8)  # versions whose tools have the words of 11.8
FORMS = (
    (),
    ("-vv",),
    ("-vv", "--base64-output=decode-rows"),
    ("--base64-output=never",),
    ("--short-form",),
    ("--short-form", "-v", "--disable-log-bin"),
    ("--hexdump",),
    ("--hexdump", "-vv"),
    ("--print-table-metadata", "-vv", "--base64-output=decode-rows"),
    ("--set-charset=utf8mb4", "-v"),
)


@functools.cache
def version() -> tuple[int, int]:
    """The version of the server and its tool on this machine."""
    said = subprocess.run([need_program("mariadbd"), "--version"], capture_output=True, check=True, text=True)
    found = re.search(r"(\d+)\.(\d+)\.\d+-MariaDB", said.stdout)
    return (int(found[1]), int(found[2])) if found is not None else (0, 0)


def server_options(seed: int) -> list[str]:
    chance = random.Random(seed)
    options = [
        f"--binlog-format={chance.choice(['ROW', 'MIXED', 'STATEMENT'])}",
        f"--binlog-row-metadata={chance.choice(['FULL', 'MINIMAL', 'NO_LOG'])}",
        f"--binlog-checksum={chance.choice(['CRC32', 'CRC32', 'NONE'])}",
        "--sql-mode=",
    ]
    if chance.random() < 0.4:
        options += ["--log-bin-compress=1", "--log-bin-compress-min-len=10"]
    if chance.random() < 0.3:
        options.append("--binlog-row-event-max-size=256")
    return options


@pytest.fixture(scope="module", params=range(SEED, SEED + SESSIONS))
def log(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not server_available():
        missing("no MariaDB server is installed")
    if not OLDEST <= version() <= NEWEST:
        pytest.skip("this machine's tool words some lines otherwise")
    kept = tmp_path_factory.mktemp("logs") / f"session-{request.param}.000001"
    with MariaServer(server_options(request.param)) as server:
        session = MariadbSession(request.param, types=(*TYPES, *NEWER_TYPES) if version() >= NEWEST else TYPES)
        shutil.copy(run_all(server, session.beginning() + session.statements(STATEMENTS)), kept)
    return kept


def texts(log: Path, options: Sequence[str]) -> tuple[list[bytes], list[bytes]]:
    """The lines of the tool and ours."""
    command = [need_program("mariadb-binlog"), "--no-defaults", *options, str(log)]
    tool = subprocess.run(command, capture_output=True, env={**os.environ, "TZ": "UTC"}, check=True).stdout
    return tool.split(b"\n"), run("dump", *options, log).stdout.split(b"\n")


@pytest.mark.parametrize("options", FORMS, ids=lambda options: " ".join(options) or "default")
def test_a_whole_log(log: Path, options: tuple[str, ...]) -> None:
    theirs, ours = texts(log, options)
    assert ours == theirs


@pytest.mark.parametrize("part", range(5))
def test_a_part_by_position(log: Path, part: int) -> None:
    """Whole transactions: the tool knows no table maps that stand before, and drops a statement that ends behind."""
    with Log(str(log)) as opened:
        starts = [item.start for item in opened if isinstance(item, Event) and item.type == "GTID_EVENT"]
    low, high = sorted(random.Random(part).sample(starts, 2))
    theirs, ours = texts(log, [f"--start-position={low}", f"--stop-position={high}", "-v"])
    assert ours == theirs


@pytest.mark.parametrize("database", DATABASES)
def test_a_database(log: Path, database: str) -> None:
    """The tool tells of what it leaves out where it stood."""
    theirs, ours = texts(log, [f"--database={database}", "-v"])
    assert without_places(ours) == without_places(theirs)


def without_places(lines: list[bytes]) -> list[bytes]:
    return [line for line in lines if not line.startswith(b"# at ")]
