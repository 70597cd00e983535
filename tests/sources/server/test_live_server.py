"""A live server as a source: what it sends is what its files hold, to the byte and to the event.

BINLOGCLI_STREAM_EVENTS=100000 reads a longer stream than it is by itself.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from binlogcli.cli.environment import compiled
from support.live_mariadb import NetworkedMariaServer, find_program, server_available
from support.network import HOST, url_of
from support.program import end, run, start, until
from support.proxy import Proxy

EVENTS = int(os.environ.get("BINLOGCLI_STREAM_EVENTS", "20000" if compiled() else "2000"))
LARGE = 40 if compiled() else 17  # MB: of more than one packet
TABLE = """
CREATE DATABASE shop; USE shop;
CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, sku VARCHAR(40), note LONGTEXT, price DECIMAL(9,2)) ENGINE=InnoDB;
"""

pytestmark = pytest.mark.skipif(not server_available(), reason="no MariaDB server is installed")


@pytest.fixture(scope="module")
def server() -> Iterator[NetworkedMariaServer]:
    with NetworkedMariaServer(["--binlog-annotate-row-events=ON", "--log-bin-compress=ON"]) as server:
        server.sql(TABLE)
        yield server


def dumped(*arguments: str | Path) -> list[dict[str, Any]]:
    done = run("dump", "--format", "json", *arguments)
    assert (done.returncode, done.stderr) == (0, b"")
    return [json.loads(line) for line in done.stdout.splitlines()]


def without_file(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in line.items() if name != "file"} for line in lines]


def without_in_use(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The sender clears this flag, in the log that is being written, too."""
    lines[0]["flags"] = [flag for flag in lines[0]["flags"] if flag != "LOG_EVENT_BINLOG_IN_USE_F"]
    return without_file(lines)


def test_annotated_and_compressed_events_are_those_of_the_file(server: NetworkedMariaServer) -> None:
    server.sql("INSERT INTO t (sku, note) SELECT seq, REPEAT('a', seq) FROM seq_1_to_500", "shop")
    server.sql("SET GLOBAL log_bin_compress = OFF")
    server.sql("INSERT INTO t (note) VALUES ('small'); SET GLOBAL log_bin_compress = ON", "shop")
    log = server.flush_logs()
    for options in (["--format", "json"], ["-vv"], ["--format", "sql"]):
        from_server = run("dump", *options, f"{server.url}{log.name}")
        from_file = run("dump", *options, log)
        assert (from_server.returncode, from_server.stderr) == (0, from_file.stderr)
        name = f"{server.url}{log.name}".encode()
        assert from_server.stdout.replace(name, b"LOG") == from_file.stdout.replace(bytes(log), b"LOG")
    assert {"ANNOTATE_ROWS_EVENT", "WRITE_ROWS_COMPRESSED_EVENT_V1", "WRITE_ROWS_EVENT_V1"} <= {
        line["type"] for line in dumped(log)
    }


def test_an_event_of_several_packets(server: NetworkedMariaServer) -> None:
    server.sql("SET GLOBAL log_bin_compress = OFF")
    server.sql(
        f"INSERT INTO t (note) VALUES (REPEAT('0123456789', {LARGE}00000)); SET GLOBAL log_bin_compress = ON", "shop"
    )
    log = server.flush_logs()
    assert log.stat().st_size > LARGE * 1_000_000
    assert without_file(dumped(f"{server.url}{log.name}")) == without_file(dumped(log))


def test_mysqlbinlogs_own_spelling(server: NetworkedMariaServer) -> None:
    log = server.flush_logs()
    expected = dumped(log)
    spelled = ["-R", "--host", HOST, "--port", str(server.port), "--user", "root", "--skip-ssl", log.name]
    lines = dumped(*spelled)
    assert {line["file"] for line in lines} == {log.name}
    assert without_file(lines) == without_file(expected)
    assert without_file(dumped("-R", "-S", server.socket, "-u", "root", log.name)) == without_file(expected)
    assert without_file(dumped(f"mysql://root@/{log.name}?socket={server.socket}")) == without_file(expected)


def test_the_newest_log_all_of_them_and_those_from_one_on(server: NetworkedMariaServer) -> None:
    first = server.flush_logs()
    server.sql("INSERT INTO t (sku) VALUES ('new')", "shop")
    newest = server.current_log()
    # the server writes a checkpoint a little later than it says
    assert until(lambda: without_in_use(dumped(server.url)) == without_in_use(dumped(newest)))
    every = [path.name for path in server.logs()]
    found = list(dict.fromkeys(line["file"].rpartition("/")[2] for line in dumped(f"{server.url}?from=first")))
    assert found == every
    later = dumped("--to-last-log", f"{server.url}{first.name}")
    assert list(dict.fromkeys(line["file"].rpartition("/")[2] for line in later)) == every[every.index(first.name) :]


def test_transactions_after_a_gtid(server: NetworkedMariaServer) -> None:
    server.flush_logs()
    server.sql("INSERT INTO t (sku) VALUES ('before')", "shop")
    before = server.sql("SELECT @@gtid_binlog_pos").strip()
    server.sql("INSERT INTO t (sku) VALUES ('after')", "shop")
    server.flush_logs()
    after = server.sql("SELECT @@gtid_binlog_pos").strip()
    found = [
        line["transaction"]["gtid"] for line in dumped(f"{server.url}?gtid={before}") if line["type"] == "GTID_EVENT"
    ]
    assert found == [after]


def test_a_stream_while_rows_are_written_is_the_file(server: NetworkedMariaServer) -> None:
    log = server.flush_logs().with_name(server.current_log().name)
    rows = EVENTS // 5  # an event for the GTID, the statement, the table, the rows and the commit

    def write() -> None:
        for _ in range(4):
            server.sql("INSERT INTO t (sku, price) VALUES ('x', 1.5);" * (rows // 4), "shop")
        server.flush_logs()

    writer = threading.Thread(target=write)
    reader = start("dump", "--format", "json", "--stop-never", f"{server.url}{log.name}")
    writer.start()
    lines = []
    assert reader.stdout is not None
    for line in reader.stdout:
        lines.append(json.loads(line))
        if lines[-1]["type"] == "ROTATE_EVENT":
            break
    writer.join()
    reader.kill()
    reader.communicate()
    assert len(lines) >= EVENTS
    assert without_file(lines) == without_file(dumped(log))


def test_a_stream_shows_at_once_what_there_is(server: NetworkedMariaServer) -> None:
    reader = start("dump", "--format", "json", "--stop-never", server.url)
    assert reader.stdout is not None
    server.sql("INSERT INTO t (sku) VALUES ('now')", "shop")
    for line in reader.stdout:
        if b'"sku": "now"' in line or b'"now"' in line:
            break
    reader.kill()
    reader.communicate()


def test_another_implementation_gets_the_same_bytes(server: NetworkedMariaServer, tmp_path: Path) -> None:
    log = server.flush_logs()
    program = find_program("mariadb-binlog")
    assert program is not None
    raw = [program, "--no-defaults", "-R", "--raw", f"--host={HOST}", f"--port={server.port}", "--user=root"]
    subprocess.run([*raw, f"--result-file={tmp_path}/", log.name], check=True)
    done = run("pull", f"{server.url}{log.name}", "--output-dir", tmp_path / "archive")
    assert done.returncode == 0
    theirs = (tmp_path / log.name).read_bytes()
    assert (tmp_path / "archive" / log.name).read_bytes() == theirs == log.read_bytes()


def test_another_implementation_sees_the_same_rows(server: NetworkedMariaServer) -> None:
    from pymysqlreplication import BinLogStreamReader
    from pymysqlreplication.row_event import DeleteRowsEvent, UpdateRowsEvent, WriteRowsEvent

    server.flush_logs()
    before = server.sql("SELECT @@gtid_binlog_pos").strip()  # of MariaDB it reads from a GTID on, else all there is
    server.sql(
        "SET GLOBAL log_bin_compress = OFF; SET GLOBAL binlog_row_metadata = FULL;"
        "CREATE TABLE u (id INT PRIMARY KEY, sku VARCHAR(20), price DECIMAL(9,2));"
        "INSERT INTO u VALUES (1, 'one', 1.50), (2, 'zwölf', NULL); UPDATE u SET price = 3 WHERE id = 2; DELETE FROM u",
        "shop",
    )
    log = server.flush_logs()
    ours = []
    for line in dumped(f"{server.url}{log.name}"):
        for row in line["body"].get("rows", []) if "ROWS_EVENT" in line["type"] else []:
            ours += [[list(row[side].values()) for side in ("before", "after") if side in row]]
    stream = BinLogStreamReader(
        connection_settings={"host": HOST, "port": server.port, "user": "root", "password": ""},
        server_id=4242,
        auto_position=before,
        is_mariadb=True,
        only_events=[WriteRowsEvent, UpdateRowsEvent, DeleteRowsEvent],
    )
    theirs = []
    for event in stream:
        for row in event.rows if event.table == "u" else []:
            images = [row["values"]] if "values" in row else [row["before_values"], row["after_values"]]
            theirs.append([[plain(value) for value in image.values()] for image in images])
    stream.close()
    assert ours == theirs
    assert len(ours) == 5


def plain(value: Any) -> Any:
    return value if isinstance(value, (int, str, type(None))) else str(value)


def test_a_connection_that_breaks_is_followed_by_another(server: NetworkedMariaServer) -> None:
    server.sql("SET GLOBAL log_bin_compress = OFF")
    server.flush_logs()
    server.sql("INSERT INTO t (note) SELECT REPEAT('b', 3000) FROM seq_1_to_2000", "shop")
    log = server.flush_logs()
    with Proxy(server.port) as proxy:
        proxy.cut_after(1 << 18)
        assert without_file(dumped(url_of(proxy.port, log.name))) == without_file(dumped(log))
        assert proxy.connections == 2


def test_logs_without_checksums() -> None:
    with NetworkedMariaServer(["--binlog-checksum=NONE"]) as server:
        server.sql(TABLE + "INSERT INTO t (sku) VALUES ('a'), ('b')")
        log = server.flush_logs()
        lines = dumped(f"{server.url}{log.name}")
        assert without_file(lines) == without_file(dumped(log))
        assert lines[-1]["crc32"] is None


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An authority and a certificate of 127.0.0.1."""
    directory = tmp_path_factory.mktemp("tls")
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("no openssl")
    (directory / "ext").write_text(f"subjectAltName=IP:{HOST}")
    for command in (
        "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=authority -keyout ca.key -out ca.pem",
        "req -newkey rsa:2048 -nodes -subj /CN=server -keyout server.key -out server.csr",
        "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile ext -out server.pem",
        "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=other -keyout other.key -out other.pem",
    ):
        subprocess.run([openssl, *command.split()], cwd=directory, check=True, capture_output=True)
    return directory


def test_tls_is_verified_when_it_is_asked_for(certificates: Path) -> None:
    options = [f"--ssl-ca={certificates}/ca.pem", f"--ssl-cert={certificates}/server.pem"]
    with NetworkedMariaServer([*options, f"--ssl-key={certificates}/server.key"]) as server:
        server.sql(
            TABLE
            + "CREATE USER safe@'%' IDENTIFIED BY 'se''cret#1' REQUIRE SSL; GRANT REPLICATION SLAVE ON *.* TO safe@'%'"
        )
        log = server.flush_logs()
        secret = certificates / "password"
        secret.write_text("se'cret#1\n")
        secret.chmod(0o600)
        address = f"mysql://safe@{HOST}:{server.port}/{log.name}"
        login = ("--password-file", secret, address)
        expected = without_file(dumped(log))
        assert without_file(dumped("--ssl-ca", certificates / "ca.pem", *login)) == expected
        assert without_file(dumped("--ssl", "--skip-ssl-verify-server-cert", *login)) == expected
        for wrong in (["--ssl"], ["--ssl-ca", certificates / "other.pem"], ["--ssl-mode", "VERIFY_CA"]):
            done = run("dump", *wrong, *login)
            assert (done.returncode, done.stdout) == (2, b"")
            assert b"its certificate cannot be trusted" in done.stderr
        refused = run("dump", "--skip-ssl", *login)
        assert (refused.returncode, refused.stdout) == (2, b"")
        assert b"secret" not in refused.stderr
        server.sql("INSERT INTO t (note) SELECT REPEAT('b', 3000) FROM seq_1_to_200", "shop")
        log = server.flush_logs()
        with Proxy(server.port) as proxy:
            proxy.cut_after(200_000, 600, 300_000)  # the second one while the server shows its certificate
            address = f"mysql://safe@{HOST}:{proxy.port}/{log.name}"
            lines = dumped("--ssl-ca", certificates / "ca.pem", "--password-file", secret, address)
            assert without_file(lines) == without_file(dumped(log))
            assert proxy.connections == 4


def test_a_dump_that_waits_is_ended_by_a_signal(server: NetworkedMariaServer) -> None:
    reader = start("dump", "--stop-never", server.url)
    assert reader.stdout is not None
    while b"Start: binlog" not in reader.stdout.readline():
        assert reader.poll() is None
    status, _, err = end(reader, 2)
    assert (status, err) == (130, b"")
