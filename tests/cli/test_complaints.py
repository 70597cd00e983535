"""Every complaint is provoked, and is in its words."""

from __future__ import annotations

import errno
import os
import shlex
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import BinaryIO

import pytest

from binlogcli.cli.main import main
from cli.complaints import COMPLAINTS, FILES, SECRETS
from support.captures import Capture, pcap_of
from support.golden import GOLDEN
from support.program import COMMAND, HOME


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, which has the logs of golden/ in it; nothing of the user's own is read."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    for name in ("MYSQL_PWD", "MYSQL_TEST_LOGIN_FILE", "BINLOGCLI_KEY_FILE_PASSWORD"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "golden").symlink_to(GOLDEN)
    return tmp_path


def provide(folder: Path, command: str) -> None:
    """The files that a command names."""
    for name, content in FILES.items():
        if name in command.split() or name.startswith(".") or name.partition("/")[0] in command.split():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content())
            path.chmod(0o600 if name in SECRETS or name.startswith(".") else 0o644)


@pytest.mark.parametrize("command", COMPLAINTS)
def test_a_complaint_says_what_and_where_and_what_now(
    command: str, folder: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    provide(folder, command)
    status = main(shlex.split(command))
    said = capfdbinary.readouterr().err.decode()
    assert (status, said) == (2, f"binlogcli: {COMPLAINTS[command]}\n".replace("{folder}", str(folder)))


def said(arguments: list[str], captured: pytest.CaptureFixture[bytes]) -> str:
    """The lines of a run that can do nothing."""
    assert main(arguments) == 2
    return captured.readouterr().err.decode()


def test_login_paths_that_are_not_there(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setenv("MYSQL_TEST_LOGIN_FILE", "nowhere")
    assert said(["dump", "-R", "--host", "h", "--no-defaults", "--login-path", "x", "y.1"], capfdbinary) == (
        "binlogcli: nowhere: cannot read the login paths: no such file or directory; "
        "check the name and its permissions\n"
    )


def test_more_replicas_at_once_than_are_followed(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setattr("binlogcli.sources.capture.connections.OVERLAPPING", 1)
    replicas = [Capture((f"10.0.0.{number}", 40000)).log_in().request() for number in (2, 3, 4)]
    (folder / "pcap").write_bytes(pcap_of(sorted(frame for one in replicas for frame in one.frames())))
    main(["dump", "pcap"])
    assert (
        "binlogcli: pcap: more than 1 replication connections at the same time: that of 10.0.0.1:3306 and "
        "10.0.0.4:40000 is left out; split the capture: tcpdump -r FILE -w PART host ADDRESS\n"
    ) in capfdbinary.readouterr().err.decode()


def test_a_defect_of_the_program_is_one_line_too(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    def fails(*_: object) -> None:
        raise RuntimeError("never\x1b[2J")

    monkeypatch.setattr("binlogcli.cli.inputs.open_source", fails)
    assert said(["dump", "log"], capfdbinary) == (
        "binlogcli: internal error: RuntimeError: never\\x1b[2J; please report it, with the output of --debug\n"
    )


def test_without_a_source_or_a_pipe_one_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(isatty=lambda: True))
    assert said(["dump"], capfdbinary) == (
        "binlogcli: no SOURCE specified; pass a log file, an index file, or - for stdin\n"
    )


def test_a_process_that_was_ended_names_its_log(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    provide(folder, "log other")
    monkeypatch.setattr("binlogcli.cli.side_by_side.scan_one", lambda *_: os._exit(9))
    assert said(["stats", "--jobs", "2", "log", "other/log"], capfdbinary) == (
        "binlogcli: log: the process that read it was killed; use --jobs 1 to read in a single process\n"
    )


def test_files_of_load_data_that_have_no_name_left(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setattr("binlogcli.render.mysqlbinlog.shared.load_files.TRIES", 0)
    assert said(["dump", "-l", ".", "golden/mariadb-11.8/load-data/shop-bin.000001"], capfdbinary) == (
        "binlogcli: ./: no unused name left for a LOAD DATA file; specify another directory with --local-load\n"
    )


def test_an_undo_without_room_for_its_statements(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    def no_file() -> BinaryIO:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("binlogcli.render.reversed_text.BLOCK", 1)
    monkeypatch.setattr("tempfile.TemporaryFile", no_file)
    choice = ["--include-gtids", "0-101-11", "golden/mariadb-10.11/rows/shop-bin.000001"]
    assert said(["dump", "--format", "sql", "--undo", "--schema", "golden/shop.sql", *choice], capfdbinary) == (
        "binlogcli: no temporary file can be written: no space left on device; set TMPDIR to a larger disk\n"
    )


def test_a_password_is_asked_for_only_where_it_can_be_typed_unseen() -> None:
    command = [*COMMAND, "dump", "-p", "mysql://root@127.0.0.1:1/"]
    run = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(HOME)},
        start_new_session=True,  # without a terminal
        check=False,
    )
    line = "-p asks on a terminal, but there is none; use --password-file FILE or MYSQL_PWD"
    assert (run.returncode, run.stdout) == (2, b"")
    assert run.stderr.decode().startswith(f"binlogcli: {line}")
