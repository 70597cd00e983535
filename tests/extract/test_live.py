"""Logs that were cut into transactions, on a real MariaDB: joined by its tool they give the same rows.

`BINLOGCLI_EXTRACT=corpus` replays all logs of MariaDB beside the project, too.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from binlogcli.cli.main import main
from extract.shop import Run
from support import corpus
from support.golden import GOLDEN
from support.live_mariadb import MariaServer, ServerError, find_program, quoted, server_available
from support.log_structure import form_of

GOLDEN_LOGS = (
    "mariadb-10.11/rows",
    "mariadb-10.11/mixed",
    "mariadb-10.11/stmt-raw",
    "mariadb-10.11/compress",
    "mariadb-11.8/load-data",
    "mariadb-11.8/xa",
)
# an incident makes the tool write what no client accepts; the tool cannot read these fractions of seconds
UNREPLAYABLE = {"incident", "incident-midfile", "temporal-old", "temporal-old-nometa", "crash-torn"}
SYSTEM = "'mysql','sys','information_schema','performance_schema'"
MANY = os.environ.get("BINLOGCLI_EXTRACT") == "corpus"

pytestmark = pytest.mark.skipif(
    not server_available() or find_program("mariadb-binlog") is None, reason="no MariaDB server here"
)


@pytest.fixture(scope="module")
def server() -> Iterator[MariaServer]:
    with MariaServer(["--local-infile=1", "--log-bin-trust-function-creators=1"]) as running:
        yield running


def sessions() -> list[list[Path]]:
    """The logs of each session, in their order."""
    found = [sorted((GOLDEN / name).glob("shop-bin.00000?")) for name in GOLDEN_LOGS]
    if MANY:
        folders: dict[tuple[Path, str], list[Path]] = {}
        for path in corpus.logs():
            if (
                path.parts[-3].startswith("mariadb")
                and path.parent.name not in UNREPLAYABLE
                and "enc-" not in str(path)
            ):
                folders.setdefault((path.parent, path.stem), []).append(path)
        found += folders.values()
    return found


def replayed(server: MariaServer, logs: list[Path], folder: Path) -> tuple[list[str], bytes]:
    """What a server has in its tables after it has run what its tool prints, and what the tool complains of."""
    files = folder / "load"
    files.mkdir(exist_ok=True)
    tool = subprocess.run(["mariadb-binlog", "-l", files, *logs], capture_output=True, check=False)
    client = [*server.client(), "--force", "--binary-mode", "--local-infile=1", "--max-allowed-packet=1G"]
    subprocess.run(client, input=tool.stdout, capture_output=True, check=False)
    tables = server.sql(
        f"SELECT table_schema, table_name FROM information_schema.tables WHERE table_schema NOT IN ({SYSTEM}) "
        "AND table_type <> 'VIEW' ORDER BY 1, 2"
    )
    names = [".".join(map(quoted, line.split("\t"))) for line in tables.splitlines()]
    sums = server.sql("".join(f"CHECKSUM TABLE {name} EXTENDED;" for name in names)).splitlines() if names else []
    return [*sums, server.sql("XA RECOVER")], tool.stderr


def empty(server: MariaServer) -> None:
    """Drop all databases, and roll back what is prepared."""
    for line in server.sql("XA RECOVER").splitlines():
        number, size, _, name = line.split("\t")
        with contextlib.suppress(ServerError):  # one that has changed nothing is rolled back by asking
            server.sql(f"XA ROLLBACK '{name[: int(size)]}','{name[int(size) :]}',{number}")
    schemas = server.sql(f"SELECT schema_name FROM information_schema.schemata WHERE schema_name NOT IN ({SYSTEM})")
    for name in schemas.splitlines():
        server.sql(f"SET foreign_key_checks=0; DROP DATABASE {quoted(name)}")


@pytest.mark.parametrize("logs", sessions(), ids=lambda logs: "-".join((*logs[0].parts[-3:-1], logs[0].stem)))
def test_transactions_joined_by_the_servers_tool_give_the_same_rows(
    logs: list[Path], server: MariaServer, tmp_path: Path, extract: Run
) -> None:
    expected = replayed(server, logs, tmp_path)
    assert MANY or len(expected[0]) > 1
    empty(server)
    extract("-o", "parts", "--split", "transaction", *logs, status=None)
    parts = sorted(Path("parts").iterdir()) if Path("parts").exists() else []
    for part in parts:
        form_of(part.read_bytes())
    assert replayed(server, parts, tmp_path) == expected
    empty(server)


def test_a_server_takes_extracted_logs_for_its_own(tmp_path: Path) -> None:
    with MariaServer() as server:
        server.sql("CREATE DATABASE a; CREATE TABLE a.t (i INT PRIMARY KEY); INSERT INTO a.t VALUES (1), (2)")
        server.flush_logs()
        server.sql("INSERT INTO a.t VALUES (3)")
        state = server.sql("SELECT @@gtid_binlog_state")
        server.shut_down()
        logs = sorted(path for path in server.datadir.glob("shop-bin.0*") if path.suffix != ".idx")
        for log in logs:
            made = tmp_path / log.name
            assert main(["extract", "-o", str(made), str(log)]) == 0
            shutil.copyfile(made, log)
        server.start_again()
        for log in logs:
            shown = server.sql(f"SHOW BINLOG EVENTS IN '{log.name}'").splitlines()
            assert len(shown) == len(form_of(log.read_bytes()).kinds)
        assert server.sql("SELECT @@gtid_binlog_state") == state
        assert server.sql(f"SELECT BINLOG_GTID_POS('{logs[1].name}', 4)").strip() == "0-101-3"
