"""A server that lies: nothing of it gets out of the directory, fills the memory, or is waited for forever."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from binlogcli.archive.directory import Directory
from binlogcli.errors import ServerError
from binlogcli.sources.protocol.packets import frame
from binlogcli.sources.server.address import read_address
from binlogcli.sources.server.options import ServerOptions
from binlogcli.sources.server.source import Feed
from support.fake_mariadb import LOG, FakeMariaDB, Script, event
from support.hostile_scripts import (
    SCRIPTS,
    a_length_of_its_own,
    an_empty_packet,
    answers_that_make_no_sense,
    greet_and_break_off_in_tls,
    greet_with_broken_tls,
    greet_without_tls,
    packets_without_end,
    stall,
)
from support.logs import FORMAT_DESCRIPTION, raw_event
from support.network import HOST, url_of
from support.packets import EOF, OK
from support.program import end, start, until

MEMORY = 64 << 20


@pytest.fixture
def serve() -> Iterator[Callable[[Script], FakeMariaDB]]:
    servers = []

    def new(script: Script) -> FakeMariaDB:
        servers.append(FakeMariaDB(script))
        return servers[-1]

    yield new
    for server in servers:
        server.close()


def limited(process: subprocess.Popen[bytes]) -> tuple[int, str, int]:
    """Status, messages and peak memory of a run that must end by itself."""
    peak = 0
    deadline = time.monotonic() + 40
    while process.poll() is None and time.monotonic() < deadline:
        status = Path(f"/proc/{process.pid}/status")
        lines = status.read_text().splitlines() if status.exists() else []
        peak = max([peak, *(int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM"))])
        time.sleep(0.02)
    if process.poll() is None:
        process.kill()
        process.communicate()
        pytest.fail("it hangs")
    return process.returncode, process.communicate()[1].decode(), peak


@pytest.mark.parametrize(("script", "words"), SCRIPTS, ids=lambda value: getattr(value, "__name__", ""))
def test_a_server_that_lies(script: Script, words: str, serve: Callable[[Script], FakeMariaDB], tmp_path: Path) -> None:
    server = serve(script)
    server.nonsense = script is answers_that_make_no_sense
    archive = tmp_path / "archive"
    status, told, peak = limited(
        start("pull", "--retries", "0", "--server-timeout", "1", "--output-dir", archive, url_of(server.port, LOG))
    )
    assert status == 2
    assert words in told
    assert "defect" not in told
    assert "\x1b" not in told
    assert peak < MEMORY
    assert len(told) < 1000
    logs = {f"shop-bin.{number:06}" for number in range(1, 20)}
    assert {path.name for path in tmp_path.rglob("*")} <= logs | {
        "archive",
        ".binlogcli-pull.json",
        ".binlogcli-pull.lock",
    }


def test_an_answer_to_a_registration_in_drops(serve: Callable[[Script], FakeMariaDB], tmp_path: Path) -> None:
    def drip(server: FakeMariaDB) -> None:
        for byte in frame(OK * 500, 1):
            server.wire.sendall(bytes([byte]))
            time.sleep(0.3)

    server = serve(drip)
    process = start("pull", "--follow", "--server-timeout", "1", "--output-dir", tmp_path, url_of(server.port, LOG))
    assert process.stderr is not None
    assert b"no data for 1 s" in process.stderr.readline()
    process.kill()
    process.communicate()


def test_a_signal_is_heeded_while_more_and_more_comes(serve: Callable[[Script], FakeMariaDB], tmp_path: Path) -> None:
    def flood(server: FakeMariaDB) -> None:
        at = server.begin()
        many = 2000
        while True:
            events = [event(2, bytes(50), at + (number + 1) * 69) for number in range(many)]
            server.wire.sendall(b"".join(frame(b"\0" + one, 0) for one in events))
            at += many * 69

    server = serve(flood)
    process = start("pull", "--output-dir", tmp_path, url_of(server.port, LOG))
    assert until(lambda: (tmp_path / LOG).exists() and (tmp_path / LOG).stat().st_size > 1 << 20)
    status, _, told = end(process, seconds=5)
    assert (status, told) == (0, b"")


NAMES = [
    "../escaped.000001",
    "/tmp/escaped.000001",
    "a/b.000001",
    "..",
    ".hidden.000001",
    "-rf.1",
    "x\n.000001",
    "nul\0.1",
    "\x9b31m.000001",
    "\u202e.000001",
    "",
    "no-number",
]


@pytest.mark.parametrize("name", NAMES, ids=repr)
@pytest.mark.parametrize("place", ["list", "first", "rotate"])
def test_names_that_would_leave_the_directory(
    name: str, place: str, serve: Callable[[Script], FakeMariaDB], tmp_path: Path
) -> None:
    def script(server: FakeMariaDB) -> None:
        if place == "rotate":
            server.begin()
        server.name(name)
        server.send(b"\0" + raw_event(FORMAT_DESCRIPTION, bytes(80))[:-4])  # shorter than its length says

    server = serve(script)
    if place == "list":
        server.logs = [name]
    archive = tmp_path / "in" / "archive"
    url = url_of(server.port, LOG if place == "rotate" else "")
    status, told, _ = limited(start("pull", "--retries", "0", "--server-timeout", "1", "--output-dir", archive, url))
    assert status == 2
    assert "defect" not in told
    found = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert found <= {f"in/archive/{own}" for own in (LOG, ".binlogcli-pull.json", ".binlogcli-pull.lock")}


def test_a_dump_of_a_server_that_lies_ends_in_one_line(serve: Callable[[Script], FakeMariaDB]) -> None:
    for script in (packets_without_end, a_length_of_its_own, an_empty_packet):
        url = url_of(serve(script).port, LOG)
        status, told, peak = limited(start("dump", "--max-event-size", "4M", "--server-timeout", "1", url))
        assert status in {1, 2}, (script, status, told)
        assert len(told.splitlines()) <= 2
        assert "defect" not in told
        assert peak < MEMORY + (32 << 20)


@pytest.mark.parametrize(("code", "words"), [(0, "has no binary log; "), (1381, "does not write a binary log; ")])
def test_a_server_without_logs_says_so(
    code: int, words: str, serve: Callable[[Script], FakeMariaDB], tmp_path: Path
) -> None:
    server = serve(stall)
    server.logs, server.code = [], code
    status, told, _ = limited(start("stats", f"{url_of(server.port)}?from=first"))
    assert (status, told) == (
        2,
        f"binlogcli: {HOST}:{server.port}: {words}enable it with log_bin in the server's option file\n",
    )


def test_a_stream_that_ends_is_asked_for_again(serve: Callable[[Script], FakeMariaDB], tmp_path: Path) -> None:
    def script(server: FakeMariaDB) -> None:
        server.send(OK)  # to the registration
        server.receive()
        server.begin()
        server.send(EOF)
        time.sleep(30)

    server = serve(script)
    process = start("pull", "--follow", "--output-dir", tmp_path / "archive", url_of(server.port, LOG))
    assert process.stderr is not None
    line = process.stderr.readline().decode()
    process.terminate()
    process.communicate(timeout=30)
    place = f"{HOST}:{server.port}"
    assert line == f"binlogcli: {place}: the server ended the stream; see the server's error log; retrying\n"


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (greet_without_tls, "SSL is required but the server doesn't support it"),
        (greet_with_broken_tls, "TLS failed: wrong version number"),
    ],
)
def test_a_server_without_the_tls_that_is_wanted(
    script: Script, words: str, serve: Callable[[Script], FakeMariaDB]
) -> None:
    server = serve(script)
    status, told, _ = limited(start("stats", "--ssl", url_of(server.port, LOG)))
    assert (status, told) == (2, f"binlogcli: {HOST}:{server.port}: {words}; use --skip-ssl to connect without TLS\n")


def test_a_break_in_the_middle_of_tls_is_no_fault_of_tls(serve: Callable[[Script], FakeMariaDB]) -> None:
    server = serve(greet_and_break_off_in_tls)
    status, told, _ = limited(start("stats", "--ssl", url_of(server.port, LOG)))
    assert (status, told) == (2, f"binlogcli: {HOST}:{server.port}: the connection broke; check host and port\n")


def test_a_connection_that_was_closed_is_no_more() -> None:
    feed = Feed(read_address(url_of(1, LOG)), ServerOptions(no_defaults=True))
    feed.close()
    with pytest.raises(ServerError, match="the connection is closed"):
        feed.read()


def test_a_name_that_no_log_can_have_is_refused(tmp_path: Path) -> None:
    with Directory(str(tmp_path)) as directory, pytest.raises(ServerError, match="the server calls a log"):
        directory.check_name("../escaped.000001")
