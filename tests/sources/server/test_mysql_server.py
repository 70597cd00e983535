"""MySQL's side of the wire, 5.6 to 9.x: logins, what is asked and in which words, logs by position and by GTIDs."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from binlogcli.archive.walk import IN_USE
from binlogcli.cli.environment import compiled
from binlogcli.sources.protocol.requests import Acknowledgement
from support.fake_mysql import FakeMySQL
from support.golden import GOLDEN
from support.json_lines import without_names
from support.logs import raw_events
from support.network import HOST, url_of
from support.program import end, run, start, until
from support.proxy import Proxy

pytestmark = pytest.mark.skipif(not compiled(), reason="what differs by form has tests of both in test_incoming")
SECRET = "se'cret ü"
SETS = {
    "mysql-5.6/gtid-on": "e6184902-e542-11f1-a47e-02fc00000001:1-4",
    "mysql-8.4/gtid_tags": "993f1e26-e549-11f1-be96-02fc00000001:1-2:4:tag_a:1, 11111111-2222-3333-4444-555555555555:7",
    "mysql-9.7/gtid-tagged": "bde1b880-e542-11f1-a061-02fc00000001:1-5:returns:1",
    "mysql-9.7/payload": "",
}
LOGS = [*SETS, "mysql-8.4/chain", "mysql-8.4/checksum_none", "mysql-5.6/checksum-change", "mysql-9.7/group-commit"]
Serve = Callable[..., FakeMySQL]


def logs_of(name: str) -> list[Path]:
    return sorted(path for path in (GOLDEN / name).iterdir() if path.suffix[1:].isdigit())


@pytest.fixture
def serve() -> Iterator[Serve]:
    servers = []

    def new(name: str, **options: Any) -> FakeMySQL:
        servers.append(FakeMySQL(logs_of(name), **options))
        return servers[-1]

    yield new
    for server in servers:
        server.close()


def dumped(*arguments: str | Path, password: str = "") -> list[dict[str, Any]]:
    done = run("dump", "--format", "json", *arguments, environment={"MYSQL_PWD": password})
    assert done.stderr == b""
    assert done.returncode == 0
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    lines[0]["flags"] = [flag for flag in lines[0]["flags"] if flag != "LOG_EVENT_BINLOG_IN_USE_F"]
    return [{name: value for name, value in line.items() if name != "file"} for line in lines]


@pytest.mark.parametrize("name", LOGS)
def test_each_log_is_what_its_file_holds(name: str, serve: Serve) -> None:
    server = serve(name)
    for log in server.logs[:3]:
        assert dumped(url_of(server.port, log.name)) == dumped(log)


def test_an_archive_is_of_one_server_whatever_its_id(serve: Serve, tmp_path: Path) -> None:
    server = serve("mysql-9.7/payload")
    for number in (84, 7):  # SET GLOBAL server_id = 7
        server.server_id = number
        done = run("pull", "--output-dir", tmp_path, url_of(server.port))
        assert (done.returncode, done.stderr) == (0, b"")
    server.uuid = server.uuid.replace("9", "8")
    done = run("pull", "--output-dir", tmp_path, url_of(server.port))
    assert done.returncode == 2
    assert f"is not the server of this archive: server UUID {server.uuid}, not 993f1e26".encode() in done.stderr


@pytest.mark.parametrize("name", LOGS)
def test_an_archive_has_the_same_bytes(name: str, serve: Serve, tmp_path: Path) -> None:
    server = serve(name)
    for _ in range(2):
        done = run("pull", "--output-dir", tmp_path, url_of(server.port))
        assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == b""  # nothing was new
    for log in server.logs:
        copy = bytearray((tmp_path / log.name).read_bytes())
        if log is server.logs[-1]:  # the server may still write to it
            assert copy[21] & IN_USE
        copy[21] = copy[21] & ~IN_USE | log.read_bytes()[21] & IN_USE
        assert copy == log.read_bytes()
    assert server.queries[1:4] == [  # after PyMySQL's SET NAMES
        "SELECT @@server_id, @@server_uuid",
        "SHOW BINARY LOGS",
        "SET @master_binlog_checksum='NONE', @source_binlog_checksum='NONE'",
    ]
    assert server.commands[0] == b"\x12\4\0\0\0\1\0\0\0\0\0" + server.logs[0].name.encode()


def test_an_encrypted_log_is_512_bytes_longer_than_what_is_sent(serve: Serve, tmp_path: Path) -> None:
    server = serve("mysql-8.4/chain", encrypted=True)
    for _ in range(2):
        done = run("pull", "--output-dir", tmp_path, url_of(server.port))
        assert (done.returncode, done.stderr) == (0, b"")
    assert (tmp_path / server.logs[0].name).stat().st_size == server.logs[0].stat().st_size


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("cuts", [0, 8])
def test_what_is_not_in_a_set_of_gtids(name: str, cuts: int, serve: Serve) -> None:
    server = serve(name)
    chance = random.Random(name)
    with Proxy(server.port) as proxy:
        if cuts:
            proxy.cut_after(*(chance.randrange(900, 3000) for _ in range(cuts)))
        found = dumped(f"{url_of(proxy.port)}?gtid={SETS[name].replace(' ', '')}")
        assert (proxy.connections > 1) == bool(cuts)
    known = set(expand(SETS[name]))
    expected = [line for log in server.logs for line in dumped(log) if gtid_in(line) and gtid_in(line) not in known]
    assert without_places(line for line in found if gtid_in(line)) == without_places(expected)


def gtid_in(line: dict[str, Any]) -> str:
    return str((line["transaction"] or {}).get("gtid", ""))


def without_places(lines: Any) -> list[dict[str, Any]]:
    return [
        {name: value for name, value in without_names(line).items() if name not in {"pos", "end"}} for line in lines
    ]


def expand(text: str) -> Iterator[str]:
    for item in filter(None, text.split(",")):
        sid, *parts = item.strip().split(":")
        tag = ""
        for part in parts:
            if not part[0].isdigit():
                tag = f"{part}:"
                continue
            first, _, last = part.partition("-")
            yield from (f"{sid}:{tag}{number}" for number in range(int(first), int(last or first) + 1))


def test_a_set_goes_to_the_server_as_its_own_documents_have_it(serve: Serve) -> None:
    server = serve("mysql-8.4/gtid_tags")
    dumped(f"{url_of(server.port)}?gtid=993f1e26-e549-11f1-be96-02fc00000001:1-2:blue:7")
    sid = bytes.fromhex("993f1e26e54911f1be9602fc00000001")
    one_to_two, seven = (1).to_bytes(8, "little") + (3).to_bytes(8, "little"), bytes([7, *bytes(7), 8, *bytes(7)])
    data = b"\1\2\0\0\0\0\0\1" + sid + b"\0" + (1).to_bytes(8, "little") + one_to_two
    data += sid + b"\x08blue" + (1).to_bytes(8, "little") + seven
    head = b"\x1e\1\0" + bytes(4) + bytes(4) + (4).to_bytes(8, "little")
    assert server.commands == [head + len(data).to_bytes(4, "little") + data]


def test_semi_sync(serve: Serve, tmp_path: Path) -> None:
    server = serve("mysql-9.7/rows", semi_sync=True)
    puller = start("pull", "--follow", "--semi-sync", "--output-dir", tmp_path, url_of(server.port))
    last = [at + len(event) for at, event in raw_events(server.logs[-1].read_bytes()) if event[4] == 16][-1]
    wanted = Acknowledgement(last, server.logs[-1].name)
    assert until(lambda: wanted.pack() in server.acknowledgements)
    assert (tmp_path / wanted.log_file_name).stat().st_size >= last
    status, _, told = end(puller)
    assert (status, told) == (0, b"")
    assert "@rpl_semi_sync_slave=1, @rpl_semi_sync_replica=1" in server.queries[-1]
    assert server.commands[0][0] == 0x15
    assert server.commands[0][5:16] == b"\x09binlogcli\0"


# logins ---------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("tls")
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("no openssl")
    subject = f"-subj /CN=server -addext subjectAltName=IP:{HOST}"
    made = f"req -x509 -newkey rsa:2048 -nodes -days 2 {subject} -keyout server.key -out server.pem"
    subprocess.run([openssl, *made.split()], cwd=directory, check=True, capture_output=True)
    return directory


def login(server: FakeMySQL, *options: str | Path, password: str = SECRET) -> tuple[int, str]:
    address = f"mysql://r@{HOST}:{server.port}/{server.logs[0].name}"
    done = run("dump", *options, address, environment={"MYSQL_PWD": password})
    assert password.encode() not in done.stderr
    return done.returncode, done.stderr.decode()


@pytest.mark.parametrize("plugin", ["mysql_native_password", "caching_sha2_password"])
def test_a_scrambled_password(plugin: str, serve: Serve) -> None:
    server = serve("mysql-9.7/rows", plugin=plugin, password=SECRET, cached=True)
    assert login(server) == (0, "")
    status, told = login(server, password="another")
    assert status == 2
    assert "Access denied for user 'r'@'localhost' (using password: YES); check user and password" in told


def test_caching_sha2_in_full_over_tls(certificates: Path, serve: Serve) -> None:
    server = serve("mysql-9.7/rows", password=SECRET, certificate=certificates)
    assert login(server, "--ssl-ca", certificates / "server.pem") == (0, "")
    status, told = login(server, "--ssl")
    assert status == 2
    assert "its certificate cannot be trusted" in told
    assert server.logins == ["TLS"]


def test_caching_sha2_in_full_without_tls_needs_leave(serve: Serve) -> None:
    server = serve("mysql-9.7/rows", password=SECRET)
    status, told = login(server)
    assert status == 2
    assert "the server requires the password to be encrypted with its own key; use TLS (--ssl)" in told
    assert login(server, "--get-server-public-key") == (0, "")
    assert server.logins == ["RSA"]
