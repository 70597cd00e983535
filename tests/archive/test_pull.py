"""`pull` against a live server: its files, byte for byte, whatever happens between two runs."""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from binlogcli.cli.environment import compiled
from binlogcli.cli.main import main
from support.archives import differences
from support.live_mariadb import NetworkedMariaServer, ServerError, server_available
from support.logs import raw_events
from support.network import url_of
from support.program import end, run, start, until
from support.proxy import Proxy

TABLE = "CREATE DATABASE shop; CREATE TABLE shop.t (id INT AUTO_INCREMENT PRIMARY KEY, note LONGTEXT) ENGINE=InnoDB;"
ROWS = "INSERT INTO shop.t (note) SELECT REPEAT('x', seq) FROM mysql.seq_1_to_200;"

pytestmark = [
    pytest.mark.skipif(not server_available(), reason="no MariaDB server is installed"),
    pytest.mark.skipif(not compiled(), reason="nothing here differs by form but what tests/sources has of both"),
]


@pytest.fixture(scope="module")
def one_server() -> Iterator[NetworkedMariaServer]:
    with NetworkedMariaServer() as server:
        yield server


@pytest.fixture
def server(one_server: NetworkedMariaServer) -> NetworkedMariaServer:
    """The server with nothing in its logs but the making of the table."""
    assert until(lambda: reset(one_server))
    one_server.sql(TABLE)
    return one_server


def reset(server: NetworkedMariaServer) -> bool:
    """Begin the logs anew; the server refuses while it sends one."""
    try:
        server.sql("DROP DATABASE IF EXISTS shop; DROP USER IF EXISTS r@'%'; SET GLOBAL server_id = 101; RESET MASTER")
    except ServerError:
        return False
    return len(server.logs()) == 1


def pull(url: str, archive: Path, *options: str, status: int = 0) -> tuple[str, str]:
    done = run("pull", *options, "--output-dir", archive, url)
    assert done.returncode == status, done.stderr
    return done.stdout.decode(), done.stderr.decode()


def pull_all(server: NetworkedMariaServer, archive: Path) -> bool:
    """Pull until the archive has all; a server writes some events a little later than it says."""

    def same() -> bool:
        pull(server.url, archive)
        return not differences(server.logs(), archive)

    return until(same, 10)


def purged(server: NetworkedMariaServer, newest: Path) -> bool:
    """Purge all logs before one, as soon as the server lets go of them."""

    def gone() -> bool:
        server.sql(f"PURGE BINARY LOGS TO '{newest.name}'")
        return server.logs()[0].name == newest.name

    return until(gone)


def state(archive: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((archive / ".binlogcli-pull.json").read_text())
    return found


def test_closed_and_open_logs_are_those_of_the_server(server: NetworkedMariaServer, tmp_path: Path) -> None:
    server.sql(ROWS)
    server.flush_logs()
    server.sql(ROWS)
    printed, told = pull(server.url, tmp_path)
    assert told == ""
    assert printed.splitlines()[0] == f"shop-bin.000001\t{server.logs()[0].stat().st_size}"
    assert pull_all(server, tmp_path)
    assert until(lambda: pull(server.url, tmp_path) == ("", ""))
    server.flush_logs()
    server.sql(ROWS)
    pull(server.url, tmp_path)
    assert pull_all(server, tmp_path)
    newest = server.logs()[-1]
    assert (state(tmp_path)["log"], state(tmp_path)["position"]) == (newest.name, newest.stat().st_size)


def test_annotated_compressed_and_unchecked_events_and_one_of_40_mb(tmp_path: Path) -> None:
    options = ["--log-bin-compress=ON", "--binlog-annotate-row-events=ON", "--binlog-checksum=NONE"]
    with NetworkedMariaServer(options) as server:
        server.sql(TABLE + ROWS + "SET GLOBAL log_bin_compress = OFF;")
        server.sql("INSERT INTO shop.t (note) VALUES (REPEAT('large', 8000000))")
        server.sql("SET GLOBAL binlog_checksum = CRC32")
        server.sql(ROWS)
        server.flush_logs()
        assert pull_all(server, tmp_path)
        assert max(log.stat().st_size for log in server.logs()) > 40_000_000


def test_a_server_that_encrypts_its_logs_sends_them_plain(tmp_path: Path) -> None:
    keys = tmp_path / "keys.txt"
    keys.write_text(f"1;{os.urandom(32).hex()}\n")
    keys.chmod(0o600)
    plugin = ["--plugin-load-add=file_key_management", f"--file-key-management-filename={keys}", "--encrypt-binlog=ON"]
    with NetworkedMariaServer(plugin) as server:
        server.sql(TABLE + ROWS)
        log = server.flush_logs()
        pull(server.url, tmp_path / "archive")
        plain = tmp_path / "plain"
        run("decrypt", "--key-file", keys, "--output", plain, log)
        assert (tmp_path / "archive" / log.name).read_bytes() == plain.read_bytes() != log.read_bytes()
        assert len(list(raw_events(plain.read_bytes()))) > 5


@pytest.mark.parametrize("encrypted", [False, True])
def test_what_is_changed_on_the_way_from_a_server_is_fetched_again(tmp_path: Path, *, encrypted: bool) -> None:
    keys = tmp_path / "keys.txt"
    keys.write_text(f"1;{os.urandom(32).hex()}\n")
    keys.chmod(0o600)
    plugin = ["--plugin-load-add=file_key_management", f"--file-key-management-filename={keys}", "--encrypt-binlog=ON"]
    with NetworkedMariaServer(plugin if encrypted else []) as server, Proxy(server.port) as proxy:
        server.sql(TABLE + ROWS * 20)
        log = server.flush_logs()
        assert log.stat().st_size > 100_000
        proxy.flip_every(20_011)
        _, told = pull(url_of(proxy.port), tmp_path / "archive", "--skip-ssl", "--retries", "30")
        assert "an event does not match its checksum" in told
        assert proxy.connections > 3
        expected = log
        if encrypted:
            expected = tmp_path / "plain"
            run("decrypt", "--key-file", keys, "--output", expected, log)
        assert (tmp_path / "archive" / log.name).read_bytes() == expected.read_bytes()


def test_following_a_server_through_restarts_and_a_crash(server: NetworkedMariaServer, tmp_path: Path) -> None:
    puller = start("pull", "--follow", "--server-timeout", "5", "--output-dir", tmp_path, server.url)
    server.sql(ROWS)
    server.shut_down()
    server.start_again()
    server.sql(ROWS)
    server.crash()
    server.start_again()
    server.sql(ROWS)
    server.flush_logs()
    assert until(lambda: not differences(server.logs()[:-1], tmp_path), 40)
    status, _, told = end(puller)
    assert status == 0, told
    assert b"retrying" in told
    assert b"connected again, continuing" in told


def test_a_signal_ends_it_between_two_events(server: NetworkedMariaServer, tmp_path: Path) -> None:
    server.sql("INSERT INTO shop.t (note) SELECT REPEAT('z', 100000) FROM mysql.seq_1_to_600")
    puller = start("pull", "--follow", "--output-dir", tmp_path, server.url)
    log = tmp_path / server.current_log().name
    assert until(lambda: log.exists() and log.stat().st_size > 1 << 20)
    status, _, told = end(puller, signal.SIGTERM)
    assert (status, told) == (0, b"")
    assert state(tmp_path)["position"] == log.stat().st_size
    done = run("dump", "--format", "json", log)
    assert (done.returncode, done.stderr) == (0, b"")
    pull(server.url, tmp_path)
    assert differences(server.logs(), tmp_path) == []


def test_purged_logs_are_named(server: NetworkedMariaServer, tmp_path: Path) -> None:
    server.sql(ROWS)
    pull(server.url, tmp_path)
    for _ in range(3):
        server.flush_logs()
        server.sql(ROWS)
    first, *_, newest = server.logs()
    assert purged(server, newest)
    _, told = pull(server.url, tmp_path, status=1)
    position = (tmp_path / first.name).stat().st_size
    missing = f"the server has purged the end of {first.name} and 2 logs before {newest.name}"
    assert told.startswith(f"binlogcli: {tmp_path / first.name}: at {position}: {missing}")
    assert differences([newest], tmp_path) == []
    [gap] = state(tmp_path)["gaps"]
    assert (gap["log"], gap["position"], gap["next_log"]) == (first.name, position, newest.name)
    assert pull(server.url, tmp_path) == ("", "")


def test_purged_logs_that_are_in_the_archive_are_no_loss(server: NetworkedMariaServer, tmp_path: Path) -> None:
    server.sql(ROWS)
    server.flush_logs()
    pull(server.url, tmp_path)
    old = server.logs()[0].read_bytes()
    server.flush_logs()
    newest = server.flush_logs().with_name(server.current_log().name)
    before = server.logs()[-2]
    pull(server.url, tmp_path)
    assert purged(server, newest)
    assert pull(server.url, tmp_path)[1] == ""
    assert (tmp_path / "shop-bin.000001").read_bytes() == old
    assert (tmp_path / before.name).exists()


def test_what_a_server_lost_in_a_crash_is_taken_back_and_kept_aside(
    server: NetworkedMariaServer, tmp_path: Path
) -> None:
    server.sql(ROWS)
    end_of_rows = server.current_log().stat().st_size
    server.sql("INSERT INTO shop.t (note) VALUES ('lost')")
    log = server.current_log()
    pull(server.url, tmp_path)
    copied = (tmp_path / log.name).read_bytes()
    earlier = tmp_path / f"{log.name}.lost-{end_of_rows}"
    earlier.write_bytes(b"of an earlier crash")
    server.crash()
    with log.open("r+b") as file:
        file.truncate(end_of_rows)
    server.start_again()
    server.sql(ROWS)
    server.flush_logs()
    _, told = pull(server.url, tmp_path)
    assert (
        f"at {end_of_rows}: the server lost the last {len(copied) - end_of_rows} bytes of this log in a crash" in told
    )
    assert (tmp_path / f"{log.name}.lost-{end_of_rows}-2").read_bytes() == copied[end_of_rows:]
    assert earlier.read_bytes() == b"of an earlier crash"
    assert differences(server.logs()[:-1], tmp_path) == []


def test_logs_begun_anew_and_other_servers_are_refused(server: NetworkedMariaServer, tmp_path: Path) -> None:
    server.sql(ROWS)
    server.flush_logs()
    pull(server.url, tmp_path)
    server.sql("RESET MASTER")
    assert "has reset its logs" in pull(server.url, tmp_path, status=2)[1]
    server.sql(ROWS)
    time.sleep(1.1)  # logs of one name are told apart by the second in which they were begun
    server.flush_logs()
    server.sql(ROWS)
    server.sql("SET GLOBAL server_id = 7")
    assert "is not the server of this archive: server id 7, not 101" in pull(server.url, tmp_path, status=2)[1]
    server.sql("SET GLOBAL server_id = 101")
    assert "now has a different log named shop-bin.000002" in pull(server.url, tmp_path, status=2)[1]


def test_a_damaged_tail_of_the_copy_is_fetched_again(server: NetworkedMariaServer, tmp_path: Path) -> None:
    server.sql(ROWS)
    pull(server.url, tmp_path)
    copy = tmp_path / server.current_log().name
    data = bytearray(copy.read_bytes())
    with copy.open("ab") as file:
        file.write(bytes(500) + os.urandom(100))  # as a crash of the machine may leave a file
    pull(server.url, tmp_path)
    assert copy.read_bytes() == data
    values = state(tmp_path)
    values["position"], values["last_event"] = 4, 0
    (tmp_path / ".binlogcli-pull.json").write_text(json.dumps(values))
    data[-30] ^= 1
    copy.write_bytes(data)
    pull(server.url, tmp_path)
    assert differences(server.logs(), tmp_path) == []
    copy.write_bytes(data[: len(data) // 2])
    assert "is shorter than recorded in the state file" in pull(server.url, tmp_path)[1]
    assert differences(server.logs(), tmp_path) == []


def test_one_writer_and_no_links(server: NetworkedMariaServer, tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    puller = start("pull", "--follow", "--output-dir", archive, server.url)
    assert until((archive / "shop-bin.000001").exists)
    assert "another pull is writing to this directory" in pull(server.url, archive, status=2)[1]
    end(puller)
    other, outside = tmp_path / "other", tmp_path / "outside"
    other.mkdir()
    (other / "shop-bin.000001").symlink_to(outside)
    pull(server.url, other, status=2)
    assert not outside.exists()


def test_what_is_in_the_directory_already_is_not_written_over(server: NetworkedMariaServer, tmp_path: Path) -> None:
    (tmp_path / "shop-bin.000001").write_bytes(b"something else")
    assert "already exists, and pull did not write it" in pull(server.url, tmp_path, status=2)[1]
    assert (tmp_path / "shop-bin.000001").read_bytes() == b"something else"


def test_semi_sync_acknowledges_each_commit(tmp_path: Path) -> None:
    with NetworkedMariaServer(["--rpl-semi-sync-master-enabled=ON", "--rpl-semi-sync-master-timeout=20000"]) as server:
        puller = start("pull", "--follow", "--semi-sync", "--output-dir", tmp_path, server.url)
        assert until(lambda: counter(server, "clients") == 1)
        server.sql(TABLE)
        server.sql("INSERT INTO shop.t (note) VALUES ('one');" * 50)
        assert (counter(server, "yes_tx"), counter(server, "no_tx")) == (52, 0)
        status, _, told = end(puller)
        assert (status, told) == (0, b"")
        assert differences(server.logs(), tmp_path) == []


def test_a_full_disk_leaves_no_connection_behind(tmp_path: Path) -> None:
    with NetworkedMariaServer(["--rpl-semi-sync-master-enabled=ON", "--rpl-semi-sync-master-timeout=500"]) as server:
        server.sql(TABLE + ROWS)
        with Proxy(server.port) as proxy:
            puller = start("pull", "--follow", "--semi-sync", "--output-dir", tmp_path, url_of(proxy.port))
            assert until(lambda: counter(server, "clients") == 1)
            size = server.current_log().stat().st_size
            resource.prlimit(puller.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
            server.sql(ROWS)
            assert until(lambda: proxy.connections >= 3)  # a server that an old connection blocks has no new ones
            assert proxy.open <= 1
            resource.prlimit(puller.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            server.sql(ROWS)
            server.flush_logs()
            assert until(lambda: not differences(server.logs()[:-1], tmp_path))
            assert proxy.open == 1
            status, _, told = end(puller)
        assert status == 0
        assert b"cannot be written: file too large" in told


def counter(server: NetworkedMariaServer, name: str) -> int:
    return int(server.sql(f"SHOW STATUS LIKE 'Rpl_semi_sync_master_{name}'").split()[1])


def test_semi_sync_that_is_off_at_the_server_is_reported(server: NetworkedMariaServer, tmp_path: Path) -> None:
    puller = start("pull", "--follow", "--semi-sync", "--output-dir", tmp_path, server.url)
    assert until(lambda: not differences(server.logs()[:1], tmp_path))
    _, _, told = end(puller)
    assert b"semi-sync is disabled on the server: nothing is acknowledged" in told


def test_an_account_that_may_only_replicate_is_enough(server: NetworkedMariaServer, tmp_path: Path) -> None:
    server.sql("CREATE USER r@'%' IDENTIFIED BY 'x'; GRANT REPLICATION SLAVE ON *.* TO r@'%';" + ROWS)
    url = server.url.replace("root@", "r@")
    for _ in range(2):
        done = run("pull", "--output-dir", tmp_path, url, environment={"MYSQL_PWD": "x"})
        assert (done.returncode, done.stderr) == (0, b"")
        assert differences(server.logs()[:-1], tmp_path) == []
        server.flush_logs()


def test_a_connection_cut_in_the_middle_of_a_packet(server: NetworkedMariaServer, tmp_path: Path) -> None:
    server.sql("INSERT INTO shop.t (note) SELECT REPEAT('y', 9000) FROM mysql.seq_1_to_1000")
    with Proxy(server.port) as proxy:
        proxy.cut_after(1 << 20)
        _, told = pull(url_of(proxy.port), tmp_path)
        assert re.search("the connection broke: .*; retrying", told)
        assert proxy.connections == 2
    assert differences(server.logs(), tmp_path) == []


def test_usage(tmp_path: Path) -> None:
    for arguments, words in (
        (["--semi-sync", "mysql://h/"], b"requires --follow"),
        (["log.000001"], b"write mysql://"),
        (["mysql://h/?gtid=0-1-1"], b"?gtid= is not allowed"),
        (["mysql://u:secret@h/"], b"a password in an address"),
    ):
        done = run("pull", "--output-dir", tmp_path, *arguments)
        assert done.returncode == 2
        assert words in done.stderr
        assert b"secret" not in done.stderr


def test_a_terminal_is_shown_how_far_it_is(
    server: NetworkedMariaServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = []

    @contextmanager
    def bar(total: Callable[[], int | None], done: Callable[[], int]) -> Iterator[None]:
        yield
        shown.append((done(), total()))

    monkeypatch.setattr("binlogcli.cli.commands.pull.shows", lambda: True)
    monkeypatch.setattr("binlogcli.cli.commands.pull.bar", bar)
    server.sql(ROWS)
    server.flush_logs()
    for _ in range(2):
        assert main(["pull", "--no-defaults", "--output-dir", str(tmp_path), server.url]) == 0
    size = sum(log.stat().st_size for log in server.logs())
    checkpoint = 19 + 4 + len("shop-bin.000001") + 4  # the server adds it at some time after a log was begun
    magics = 4 * len(server.logs())
    assert shown[0][0] == pytest.approx(size, abs=magics + checkpoint)
    assert shown[0][0] == pytest.approx(shown[0][1], abs=magics + checkpoint)
    assert shown[1] in ((0, 0), (checkpoint, checkpoint))
