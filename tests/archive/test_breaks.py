"""Random breaks while rows are written: the archive is the server's logs in the end, and nothing acknowledged is lost.

BINLOGCLI_BREAKS and BINLOGCLI_BREAK_ROWS make it longer than it is by itself (50 and 1000000 take some minutes);
BINLOGCLI_BREAK_SEED repeats a run.
"""

from __future__ import annotations

import os
import random
import re
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from binlogcli.archive.directory import STATE
from binlogcli.cli.environment import compiled
from support.archives import differences
from support.live_mariadb import NetworkedMariaServer, ServerError, server_available
from support.network import url_of
from support.program import end, start, until
from support.proxy import Proxy

BREAKS = int(os.environ.get("BINLOGCLI_BREAKS", "4"))
ROWS = int(os.environ.get("BINLOGCLI_BREAK_ROWS", "4000"))
SEED = int(os.environ.get("BINLOGCLI_BREAK_SEED", "0")) or random.randrange(1 << 30)
KINDS = ("server killed", "pull killed", "connection cut", "disk full")
TABLE = "CREATE DATABASE shop; CREATE TABLE shop.t (id INT AUTO_INCREMENT PRIMARY KEY, note VARCHAR(200)) ENGINE=InnoDB"

pytestmark = [
    pytest.mark.skipif(not server_available(), reason="no MariaDB server is installed"),
    pytest.mark.skipif(not compiled(), reason="breaks are the same in both forms: the compiled one is tested"),
]


class Writer(threading.Thread):
    """Writes rows in small transactions, whatever happens to the server."""

    def __init__(self, server: NetworkedMariaServer, rows: int) -> None:
        super().__init__(daemon=True)
        self.server = server
        self.left = rows
        self.enough = threading.Event()
        self.failure = ""

    def run(self) -> None:
        while self.left > 0 or not self.enough.is_set():
            size = 500
            many = f"INSERT INTO shop.t (note) SELECT REPEAT('x', RAND() * 200) FROM seq_1_to_{size};"
            few = (
                "INSERT INTO shop.t (note) VALUES ('one'); UPDATE shop.t SET note = 'two' WHERE id = LAST_INSERT_ID();"
                * 5
            )
            try:
                self.server.sql(many + few, "shop")
            except (ServerError, OSError) as error:
                self.failure = str(error)
                time.sleep(0.1)
            else:
                self.left -= size


class Run:
    """A server, a proxy before it, and a pull that may be killed."""

    def __init__(self, archive: Path) -> None:
        self.archive = archive
        self.server = NetworkedMariaServer(
            [
                *("--max-binlog-size=4M", "--sync-binlog=1", "--innodb-flush-log-at-trx-commit=1"),
                *("--rpl-semi-sync-master-enabled=ON", "--rpl-semi-sync-master-timeout=1000"),
            ]
        )
        self.server.sql(TABLE)
        self.proxy = Proxy(self.server.port)
        self.messages: list[bytes] = []
        self.pull = self.start_pull()
        assert until(self.replica_is_there)

    def replica_is_there(self) -> bool:
        return self.server.sql("SHOW STATUS LIKE 'Rpl_semi_sync_master_clients'").split()[-1] == "1"

    def start_pull(self) -> subprocess.Popen[bytes]:
        address = url_of(self.proxy.port)
        timeout = ("--server-timeout", "5")
        return start("pull", "--follow", "--semi-sync", "--skip-ssl", *timeout, "--output-dir", self.archive, address)

    def sizes(self) -> dict[str, int]:
        return {path.name: path.stat().st_size for path in self.archive.glob("shop-bin.*")}

    def break_it(self, kind: str, noise: random.Random) -> None:
        if kind == "server killed":
            self.server.crash()
            time.sleep(noise.random() / 4)
            self.server.start_again()
        elif kind == "pull killed":
            self.check_acknowledged()
            self.pull.kill()
            self.messages.append(self.pull.communicate()[1])
            self.check_acknowledged()
            self.pull = self.start_pull()
        elif kind == "connection cut":
            self.proxy.cut_after(noise.randrange(1 << 18))
        else:
            largest = max(self.sizes().values(), default=0) + noise.randrange(1 << 14)
            resource.prlimit(self.pull.pid, resource.RLIMIT_FSIZE, (largest, resource.RLIM_INFINITY))
            time.sleep(noise.random())
            resource.prlimit(self.pull.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))

    def check_acknowledged(self) -> None:
        """All that was acknowledged so far is in the archive's files."""
        seen = dict(self.proxy.acknowledged)
        sizes = self.sizes()
        assert all(sizes.get(log, 0) >= position for log, position in seen.items()), (seen, sizes)

    def complete(self) -> bool:
        return not differences(self.server.logs()[:-1], self.archive)

    def report(self) -> str:
        """What a run that failed is to be understood by: asked before anything is ended."""
        asked = ("SHOW FULL PROCESSLIST", "SHOW STATUS LIKE 'Rpl_semi_sync_master%'", "SHOW BINARY LOGS")
        parts = [f"seed {SEED}", *(f"{question}:\n{self.server.sql(question)}" for question in asked)]
        parts.append(f"the archive: {self.sizes()}\n{(self.archive / STATE).read_text()}")
        parts.append(f"the pull: {self.pull.poll()}; the proxy: {self.proxy.connections} connections")
        parts += self.server.error_log.read_text(errors="replace").splitlines()[-40:]
        return "\n".join(parts)

    def close(self) -> None:
        if self.pull.poll() is None:
            self.pull.kill()
        self.messages.append(self.pull.communicate()[1])
        self.proxy.close()
        self.server.stop()


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    run = Run(tmp_path / "archive")
    yield run
    run.close()


def test_the_archive_is_whole_after_random_breaks(run: Run) -> None:
    noise = random.Random(SEED)
    writer = Writer(run.server, ROWS)
    writer.start()
    kinds = [KINDS[number % len(KINDS)] for number in range(BREAKS)]
    noise.shuffle(kinds)
    for kind in kinds:
        time.sleep(noise.random() * 1.5)
        run.break_it(kind, noise)
        assert run.pull.poll() is None or kind == "pull killed", run.pull.communicate()
    writer.enough.set()
    writer.join(timeout=60 + ROWS / 200)
    assert not writer.is_alive(), writer.failure
    run.server.flush_logs()
    whole = until(run.complete, 60)
    report = "" if whole else run.report()
    run.check_acknowledged()
    status, _, messages = end(run.pull, signal.SIGTERM)
    told = b"".join([*run.messages, messages]).decode()
    assert whole, f"{differences(run.server.logs()[:-1], run.archive)}\n{report}\n{told}"
    assert status in {0, 1}, told
    assert run.proxy.acknowledged
    assert "defect" not in told
    assert not re.search(r"Traceback", told)
    sys.stdout.write(f"seed {SEED}: {BREAKS} breaks, {ROWS} rows, {len(run.server.logs())} logs\n")
    sys.stdout.write(f"{run.proxy.acknowledgements} acknowledgements; the pulls said:\n{told}")
