"""How runs of each command end before their time: an interrupt, a reader that goes away, a disk that is full."""

from __future__ import annotations

import errno
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from binlogcli.cli import main
from support.golden import GOLDEN
from support.logs import small_log
from support.program import COMMAND, HOME, heed_interrupts, run, until
from support.terminal import on_a_terminal

SHOP = GOLDEN / "mariadb-10.11" / "rows" / "shop-bin.000001"
PRINTING = (
    "dump",
    "dump -vv",
    "dump --format json",
    "dump --format sql",
    "hexdump",
    "hexdump --json",
    "stats",
    "stats --format json",
    "decrypt --allow-plain -o -",
)
TELLING = ("--help", "dump --help", "--version")
WRITING = {
    "dump -r {}": "result",
    "dump --format json -r {}": "result",
    "dump --format sql -r {}": "result",
    "hexdump --export {}": "result.svg",
    "stats --html {}": "result.html",
    "decrypt --allow-plain -o {}": "result",
    "decrypt --allow-plain --output-dir .": "log",
}
LIMIT = 4096  # bytes, of the largest file that a process may write where there is no room


def start(
    command: list[str], cwd: Path, *, stdout: int = subprocess.PIPE, largest_file: int = 0
) -> subprocess.Popen[bytes]:
    def prepare() -> None:
        heed_interrupts()
        if largest_file:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))

    return subprocess.Popen(
        [*COMMAND, *command],
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.PIPE,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(HOME), "NO_COLOR": "1"},
        preexec_fn=prepare,  # noqa: PLW1509 - these tests have no threads
    )


@pytest.mark.parametrize("command", [*PRINTING, *WRITING])
def test_an_interrupt_is_status_130_and_leaves_nothing(command: str, tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    fifo = folder / "log"
    os.mkfifo(fifo)
    (tmp_path / "out").mkdir()
    words = command.format(WRITING.get(command, "")).split()
    with start([*words, str(fifo)], tmp_path / "out") as program, fifo.open("wb") as pipe:  # opens when both are there
        pipe.write(small_log(300)[:6000])
        pipe.flush()
        time.sleep(0.5)
        program.send_signal(signal.SIGINT)
        _, said = program.communicate(timeout=60)
    assert (program.returncode, said) == (130, b"")
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.parametrize("command", ["dump -r result", "stats --html result", "hexdump --export result.svg"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_that_ends_the_program_leaves_no_half_file(command: str, number: int, tmp_path: Path) -> None:
    fifo = tmp_path / "log"
    os.mkfifo(fifo)
    (tmp_path / "out").mkdir()
    with start([*command.split(), str(fifo)], tmp_path / "out") as program, fifo.open("wb") as pipe:
        pipe.write(small_log(3000)[:80000])
        pipe.flush()
        assert until(lambda: list((tmp_path / "out").iterdir()) != [])
        program.send_signal(number)
        _, said = program.communicate(timeout=60)
    assert (program.returncode, said) == (-number, b"")
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.parametrize("command", PRINTING)
def test_a_reader_that_has_seen_enough_ends_the_program_quietly(command: str, tmp_path: Path) -> None:
    reader, writer = os.pipe()
    with start([*command.split(), str(SHOP)], tmp_path, stdout=writer) as program:
        os.close(writer)
        assert os.read(reader, 10)
        os.close(reader)
        _, said = program.communicate(timeout=60)
    assert (program.returncode, said) == (0, b"")


def test_a_reader_of_a_named_pipe_that_has_seen_enough_ends_the_program_quietly(tmp_path: Path) -> None:
    fifo = tmp_path / "out"
    os.mkfifo(fifo)
    (tmp_path / "log").write_bytes(small_log(3000))
    with start(["dump", "-r", str(fifo), "log"], tmp_path) as program:
        reader = os.open(fifo, os.O_RDONLY)
        assert os.read(reader, 10)
        os.close(reader)
        _, said = program.communicate(timeout=60)
    assert (program.returncode, said) == (0, b"")


def test_a_broken_pipe_that_is_not_the_output_is_an_error(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")

    monkeypatch.setattr(main.cli, "invoke", fail)
    monkeypatch.setattr(main, "close_output", lambda: None)
    assert main.main(["stats", str(SHOP)]) == 2
    assert "broken pipe" in capfd.readouterr().err


@pytest.mark.parametrize("command", [*PRINTING, *TELLING])
def test_a_full_disk_behind_stdout_is_one_line(command: str, tmp_path: Path) -> None:
    words = command.split() if command in TELLING else [*command.split(), str(SHOP)]
    full = os.open("/dev/full", os.O_WRONLY)
    try:
        with start(words, tmp_path, stdout=full) as program:
            said = program.communicate(timeout=60)[1].decode()
    finally:
        os.close(full)
    assert program.returncode == 2
    (line,) = said.splitlines()
    assert line.startswith("binlogcli: ")
    assert line.endswith("no space left on device; free some space, or write to another place")


@pytest.mark.parametrize("command", WRITING)
def test_a_full_disk_is_one_line_and_leaves_nothing_behind(command: str, tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    (folder / "log").write_bytes(small_log(20) if "--export" in command else SHOP.read_bytes())  # pictures take long
    (tmp_path / "out").mkdir()
    name = WRITING[command]
    words = command.format(name).split()
    with start([*words, str(folder / "log")], tmp_path / "out", largest_file=LIMIT) as program:
        said = program.communicate(timeout=60)[1].decode()
    shown = f"./{name}" if "--output-dir" in command else name
    assert (program.returncode, said) == (
        2,
        f"binlogcli: {shown}: cannot be written: file too large; free some space, or write to another place\n",
    )
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.parametrize("command", WRITING)
def test_a_directory_that_is_none_is_one_line(command: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no directory")
    name = WRITING[command]
    words = command.replace("dir .", "dir file").format(f"file/{name}").split()
    path = tmp_path / "log"
    path.write_bytes(small_log())
    with start([*words, str(path)], tmp_path) as program:
        said = program.communicate(timeout=60)[1].decode()
    assert (program.returncode, said) == (
        2,
        f"binlogcli: file/{name}: cannot be written: not a directory; check the directory and its permissions\n",
    )


def closed(streams: str, *command: str) -> tuple[int, bytes]:
    """The status of a run without some of its streams, and what it says."""
    shell = ["sh", "-c", f'exec "$@" {streams}', "sh", *COMMAND, *command]
    variables = {**os.environ, "PYTHONPATH": str(HOME), "NO_COLOR": "1"}
    done = subprocess.run(shell, capture_output=True, check=False, env=variables, timeout=60)
    return done.returncode, done.stderr


@pytest.mark.parametrize("command", PRINTING)
def test_a_stdout_that_is_closed_is_one_line(command: str) -> None:
    status, said = closed(">&-", *command.split(), str(SHOP))
    assert status == 2
    assert said.startswith(b"binlogcli: stdout is closed; ")
    assert said.count(b"\n") == 1


@pytest.mark.parametrize("streams", ["2>&-", ">&- 2>&-", "2>/dev/full"])
def test_where_nothing_can_be_said_the_status_tells(streams: str, tmp_path: Path) -> None:
    assert closed(streams, "dump", str(tmp_path / "missing")) == (2, b"")


def test_a_stdin_that_is_closed_is_no_source() -> None:
    asked = b"binlogcli: no SOURCE specified; pass a log file, an index file, or - for stdin\n"
    assert closed("<&-", "dump") == (2, asked)
    assert closed("<&-", "dump", str(SHOP)) == (0, b"")


@pytest.mark.parametrize(
    "hook", ["", "sys.setprofile(lambda *event: None)", "threading.Timer(0.5, print, ('late',)).start()"]
)
def test_what_is_registered_for_the_end_runs_and_all_output_is_written(hook: str) -> None:
    imports = "import atexit, sys, threading; from binlogcli.__main__ import leave"
    code = f"{imports}; {hook or 'pass'}; atexit.register(print, 'end')"
    done = subprocess.run(
        [sys.executable, "-P", "-c", f"{code}; print('out'); print('error', end='', file=sys.stderr); leave(3)"],
        env={**os.environ, "PYTHONPATH": str(HOME)},
        capture_output=True,
        text=True,
        check=False,
    )
    late = ["late"] if "Timer" in hook else []
    assert (done.returncode, done.stdout.split(), done.stderr) == (3, ["out", *late, "end"], "error")


def test_a_log_is_no_text_for_a_terminal(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(small_log())
    shown = on_a_terminal("decrypt", "--allow-plain", "-o", "-", str(log), errors=True).replace(b"\n", b" ")
    assert b"stdout is a terminal, and a log is binary data; redirect it to a file or a pipe" in shown
    assert b"\xfebin" not in shown


@pytest.mark.parametrize("command", ["dump", "stats", "schema", "hexdump"])
def test_json_is_asked_for_in_one_way_everywhere(command: str) -> None:
    log = GOLDEN / "mariadb-10.11" / "rows" / "shop-bin.000001"
    short, long = run(command, "--json", log), run(command, "--format", "json", log)
    assert short.stdout == long.stdout
    assert short.stdout.startswith(b"{")
    assert run(command, "--format", "json", "--json", log).stdout == long.stdout
