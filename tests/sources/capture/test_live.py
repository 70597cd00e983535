"""A replica and its server, two MariaDB instances with semi-synchronous replication, overheard by tcpdump.

What the capture holds is what the server's files hold: over the plain and the compressed protocol, and, where frames
are missing from the capture, all but what is reported as damage.
"""

from __future__ import annotations

import itertools
import os
import random
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from dpkt import pcap

from binlogcli.events.event import Event
from binlogcli.events.log import Log
from binlogcli.log.gaps import Damage
from support.captures import CapturedLogReading, CaptureReading, pcap_of
from support.live_mariadb import MariaServer, find_program, server_available
from support.program import run
from support.reading import events, gaps

SECONDS = 30.0
FIRST = """
CREATE DATABASE shop; USE shop;
CREATE TABLE orders (id INT AUTO_INCREMENT PRIMARY KEY, sku VARCHAR(40), note LONGTEXT, price DECIMAL(10,2));
INSERT INTO orders (sku, note) SELECT CONCAT('sku-', seq), REPEAT('x', seq % 700) FROM seq_1_to_2000;
"""
SECOND = """
UPDATE shop.orders SET price = id * 1.5 WHERE id % 7 = 0;
INSERT INTO shop.orders (sku, note) VALUES ('large', REPEAT('y', 17000000));
DELETE FROM shop.orders WHERE id % 50 = 0;
"""


class Overheard:
    """What was captured, and the files that the server wrote meanwhile."""

    def __init__(self, capture: Path, logs: dict[str, list[bytes]]) -> None:
        self.path = capture
        self.logs = logs
        self.frames = list(pcap.Reader(capture.open("rb")))


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Tcpdump:
    """tcpdump on the loopback interface for the length of a `with` block; it must be allowed to."""

    def __init__(self, port: int, path: Path) -> None:
        program = find_program("tcpdump")
        if program is None:
            pytest.skip("no tcpdump")
        as_root = ["-Z", "root"] if os.geteuid() == 0 else []  # else it gives up the right to write here
        at_once = ["-U", "--immediate-mode", "-B", "65536"]
        command = [program, "-i", "lo", "-w", str(path), "-s", "0", *at_once, *as_root, "tcp", "port", str(port)]
        self.path = path
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        assert self.process.stderr is not None
        for line in self.process.stderr:
            if b"listening on" in line:
                return
        self.process.wait()
        pytest.skip("tcpdump may not listen here")

    def stop(self) -> None:
        """End it once nothing more comes: on a busy machine it is behind what happens."""
        size, deadline = -1, time.monotonic() + SECONDS
        while size != (size := self.path.stat().st_size) and time.monotonic() < deadline:
            time.sleep(1)
        self.process.terminate()
        self.process.communicate()


def catch_up(primary: MariaServer, replica: MariaServer) -> None:
    deadline = time.monotonic() + SECONDS
    while replica.sql("SELECT @@gtid_slave_pos") != primary.sql("SELECT @@gtid_binlog_pos"):
        assert time.monotonic() < deadline, replica.sql("SHOW SLAVE STATUS")
        time.sleep(0.05)


@pytest.fixture(scope="module")
def overheard(tmp_path_factory: pytest.TempPathFactory) -> Overheard:
    if not server_available():
        pytest.skip("no MariaDB server")
    path = tmp_path_factory.mktemp("capture") / "replica.pcap"
    port = free_port()
    on_loopback = ["--skip-networking=0", "--bind-address=127.0.0.1", "--binlog-format=ROW"]
    semi_sync = ["--rpl-semi-sync-master-enabled=ON", "--rpl-semi-sync-slave-enabled=ON"]
    as_replica = ["--server-id=202", "--log-slave-updates", "--slave-max-allowed-packet=1G", "--slave-net-timeout=4"]
    tcpdump = Tcpdump(port, path)
    try:
        with (
            MariaServer([*on_loopback, *semi_sync, f"--port={port}"]) as primary,
            MariaServer([*on_loopback, *semi_sync, *as_replica, f"--port={free_port()}"]) as replica,
        ):
            primary.sql("CREATE USER repl@'127.0.0.1' IDENTIFIED BY 'not-to-be-seen'")
            primary.sql("GRANT REPLICATION SLAVE ON *.* TO repl@'127.0.0.1'")
            replica.sql(
                f"CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT={port}, MASTER_USER='repl', "
                "MASTER_PASSWORD='not-to-be-seen', MASTER_HEARTBEAT_PERIOD=0.5, MASTER_SSL=0, MASTER_USE_GTID=no; "
                "START SLAVE"
            )
            primary.sql(FIRST)
            for number in range(10):  # each of them waits for its acknowledgement
                primary.sql(f"INSERT INTO shop.orders (sku) VALUES ('one-{number}')")
            primary.sql("".join(f"INSERT INTO shop.orders (sku) VALUES ('many-{at}');" for at in range(400)))
            catch_up(primary, replica)
            time.sleep(1.2)  # heartbeats
            replica.sql("STOP SLAVE; SET GLOBAL slave_compressed_protocol = ON")
            primary.flush_logs()
            replica.sql("START SLAVE")
            primary.sql(SECOND)
            catch_up(primary, replica)
            replica.sql("STOP SLAVE")
            primary.flush_logs()
            files = sorted(primary.datadir.glob("shop-bin.00000[12]"))
            logs = {file.name: [one.raw for one in Log(str(file)) if isinstance(one, Event)] for file in files}
            tcpdump.stop()
    finally:
        tcpdump.process.kill()
    return Overheard(path, logs)


def of_log(heard: CapturedLogReading) -> list[bytes]:
    return [event.raw for event in events(heard.items)]


def test_the_capture_decodes_to_the_events_of_the_files(overheard: Overheard) -> None:
    reading = CaptureReading(overheard.path.read_bytes())
    assert (reading.problems, gaps(reading.items)) == ([], [])
    first, second = overheard.logs["shop-bin.000001"], overheard.logs["shop-bin.000002"]
    # the rotation was written while nobody was connected; the second connection begins with the log's head again
    assert reading.logs[0].name == "shop-bin.000001"
    assert of_log(reading.logs[0]) == first[:-1]
    for again in reading.logs[1:-1]:
        assert set(of_log(again)[1:]) <= set(first)
    last = of_log(reading.logs[-1])
    assert reading.logs[-1].name == "shop-bin.000002"
    assert last in (second, second[:-1])
    assert max(map(len, second)) > 1 << 24


def test_what_was_said_is_shown_without_secrets(overheard: Overheard) -> None:
    reading = CaptureReading(overheard.path.read_bytes())
    said = [message.name for message in reading.messages]
    for name in ("greeting", "handshake response", "COM_REGISTER_SLAVE", "COM_BINLOG_DUMP", "semi-sync ACK"):
        assert said.count(name) >= 2
    assert "HEARTBEAT_LOG_EVENT" in said
    assert "not-to-be-seen" not in repr(reading.messages)
    figures = reading.figures
    assert figures.acknowledgements > 400
    assert figures.heartbeats > 0
    assert figures.reconnects == 1
    assert 0 < figures.ack_delay_max < SECONDS


def thinned(overheard: Overheard, seed: int) -> tuple[bytes, int]:
    """The capture without one frame in a hundred, and without one at least that brings events."""
    chance = random.Random(seed)
    laden = chance.choice([frame for frame in overheard.frames[100:] if len(frame[1]) > 300])
    kept = [frame for frame in overheard.frames if chance.random() > 0.01 and frame is not laden]
    return pcap_of(kept), len(overheard.frames) - len(kept)


@pytest.mark.parametrize("seed", range(int(os.environ.get("BINLOGCLI_THINNED_CAPTURES", "3"))))
def test_a_capture_without_one_frame_in_a_hundred(overheard: Overheard, seed: int) -> None:
    data, dropped = thinned(overheard, seed)
    assert dropped > 0
    reading = CaptureReading(data)
    truth = {raw for log in overheard.logs.values() for raw in log}
    found: list[Any] = events(reading.items)
    # who continues in the middle of a log is sent its format description without its time and position
    assert {event.raw for event in found if event.type != "FORMAT_DESCRIPTION_EVENT"} <= truth
    assert gaps(reading.items)
    assert len(found) > len(truth) * 0.8
    for heard in reading.logs:
        nothing_is_passed_over(heard.items)


def nothing_is_passed_over(items: list[Any]) -> None:
    """What is missing in a log is damage.

    Events of newer servers have no position within a transaction: after a loss, places are those since it began.
    """
    unsure = False
    for before, after in itertools.pairwise(items):
        unsure = unsure or isinstance(before, Damage)
        known = before.end == after.start or before.type == "FORMAT_DESCRIPTION_EVENT"
        assert known or (unsure and after.log_pos), (before, after)
        unsure = unsure and not getattr(after, "log_pos", 0)


def test_the_command_reports_the_loss_and_decodes_the_rest(overheard: Overheard, tmp_path: Path) -> None:
    path = tmp_path / "thin.pcap"
    path.write_bytes(thinned(overheard, 1)[0])
    done = run("dump", "--format", "json", str(path))
    assert done.returncode == 1
    assert b"were not captured before frame" in done.stderr
    assert done.stdout.count(b'"type": "XID_EVENT"') > 300
    assert done.stdout.count(b'"damage": ') >= 1
    whole = run("dump", "--format", "json", str(overheard.path))
    assert (whole.returncode, whole.stderr) == (0, b"")
