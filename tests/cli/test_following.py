"""A local log that grows is followed, and so are the logs after it."""

from __future__ import annotations

import gzip
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from binlogcli.cli.main import main
from support.golden import GOLDEN
from support.logs import small_log
from support.program import end, run, start, until

ROTATION = GOLDEN / "mariadb-11.8" / "rotation"
CHAIN = GOLDEN / "mysql-8.4" / "chain"
NO_CHECKSUMS = GOLDEN / "mysql-8.4" / "checksum_none"
OF_MARIADB = GOLDEN / "mariadb-11.8" / "enc-cbc-128"
OF_MYSQL = GOLDEN / "mysql-9.7" / "enc-mysql"
LOGS: dict[str, tuple[list[Path], list[str]]] = {
    "MariaDB": (sorted(ROTATION.glob("shop-bin.00000?")), []),
    "MySQL": (sorted(CHAIN.glob("chain.00000[1-4]")), []),
    "no checksums": (sorted(NO_CHECKSUMS.glob("*.00000?")), []),
    "encrypted by MariaDB": (sorted(OF_MARIADB.glob("shop-bin.00000?")), ["--key-file", str(OF_MARIADB / "keys.txt")]),
    "encrypted by MySQL": (sorted(OF_MYSQL.glob("shop-bin.00000?")), ["--keyring", str(OF_MYSQL / "keyring_data")]),
}


class Server:
    """Writes logs piece by piece, each time that the program waits; then interrupts it."""

    def __init__(self, folder: Path, logs: list[Path], size: int = 97) -> None:
        self.folder = folder
        self.steps = self._written(logs, size)
        self.idle = 5  # times that the program waits in vain
        next(self.steps)

    def _written(self, logs: list[Path], size: int) -> Iterator[None]:
        for log in logs:
            content = log.read_bytes()
            with (self.folder / log.name).open("ab", buffering=0) as file:
                for at in range(0, len(content), size):
                    file.write(content[at : at + size])
                    yield

    def sleep(self, _seconds: float) -> None:
        if next(self.steps, self) is self:
            self.idle -= 1
        if self.idle == 0:
            raise KeyboardInterrupt


@pytest.fixture
def wait(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[float], None]], None]:
    """A function that sets what happens while the program waits."""

    def wait(sleep: Callable[[float], None]) -> None:
        monkeypatch.setattr("binlogcli.sources.following.time", SimpleNamespace(sleep=sleep))

    return wait


@pytest.mark.parametrize("command", ["dump", "dump --format json", "dump --format sql", "hexdump", "hexdump --json"])
@pytest.mark.parametrize("kind", LOGS)
def test_a_log_that_grows_is_shown_up_to_its_last_event(
    tmp_path: Path,
    wait: Callable[[Callable[[float], None]], None],
    capfdbinary: pytest.CaptureFixture[bytes],
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
    command: str,
) -> None:
    logs, options = LOGS[kind]
    monkeypatch.chdir(tmp_path)
    wait(Server(tmp_path, logs).sleep)
    assert main([*command.split(), *options, "--stop-never", logs[0].name]) == 130
    followed, told = capfdbinary.readouterr()
    assert main([*command.split(), *options, *(log.name for log in logs)]) == 0
    whole, told_of_whole = capfdbinary.readouterr()
    assert whole.startswith(followed)
    rest = whole[len(followed) :]
    assert b" at " not in rest, "an event that was written is missing"
    assert "json" not in command or not rest
    assert told == b"" or told in told_of_whole


def test_those_after_it_are_told_by_the_index_too(
    tmp_path: Path, wait: Callable[[Callable[[float], None]], None], capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    first, second = tmp_path / "old.000009", tmp_path / "new.000001"
    index = tmp_path / "logs.index"
    first.write_bytes(small_log())
    index.write_text("./old.000009\n")
    changes: list[Callable[[], object]] = [
        lambda: second.write_bytes(small_log(2)),
        lambda: index.write_text("./old.000009\n./new.000001\n"),
    ]
    steps: Iterator[Callable[[], object]] = iter([*changes, *[list] * 4])

    def sleep(_seconds: float) -> None:
        step = next(steps, None)
        if step is None:
            raise KeyboardInterrupt
        step()

    wait(sleep)
    assert main(["dump", "--format", "json", "--follow", str(index)]) == 130
    out = capfdbinary.readouterr().out
    assert (out.count(b"old.000009"), out.count(b"new.000001")) == (5, 4)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda path: path.unlink(), "was removed while it was being followed; its logs were reset or purged"),
        (
            lambda path: os.replace(path.with_name("other"), path),
            "was replaced by another file while it was being followed",
        ),
        (lambda path: os.truncate(path, 60), "was truncated to 60 bytes while it was being followed"),
    ],
)
def test_a_file_that_is_another_one_now_is_an_error(
    tmp_path: Path,
    wait: Callable[[Callable[[float], None]], None],
    capfdbinary: pytest.CaptureFixture[bytes],
    change: Callable[[Path], object],
    reason: str,
) -> None:
    path = tmp_path / "bin.000001"
    path.write_bytes(small_log(100))
    (tmp_path / "other").write_bytes(small_log(101))

    def sleep(_seconds: float) -> None:
        change(path)

    wait(sleep)
    assert main(["dump", "--format", "json", "--stop-never", str(path)]) == 1
    out, err = capfdbinary.readouterr()
    assert out.count(b'"XID_EVENT"') == 100
    assert f"{path}: at {len(small_log(100))}: {reason}" in err.decode()


def test_following_ends_at_the_stop_time(
    tmp_path: Path, wait: Callable[[Callable[[float], None]], None], capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    logs = LOGS["MariaDB"][0]
    wait(Server(tmp_path, logs).sleep)
    arguments = ["--stop-never", "--until", "2026-11-21 00:33:42", str(tmp_path / logs[0].name)]
    assert main(["dump", "--format", "json", *arguments]) == 0
    assert b"00:33:42" not in capfdbinary.readouterr().out


def test_to_last_log_goes_on_with_the_files_there_are() -> None:
    logs = LOGS["MySQL"][0]
    several = run("dump", "--format", "json", *sorted(CHAIN.glob("chain.00000?"))[2:])
    assert run("dump", "--format", "json", "--to-last-log", logs[2]).stdout == several.stdout
    assert run("dump", "-t", given=small_log()).stderr == (
        b"binlogcli: --to-last-log continues after a log file; specify that file\n"
    )


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("stats",), "--stop-never (--follow) has no end, and cannot be combined with stats"),
        (
            ("dump", "--format", "sql", "--undo"),
            "--stop-never (--follow) has no end, and cannot be combined with --undo or --flashback",
        ),
        (
            ("dump", "--flashback"),
            "--stop-never (--follow) has no end, and cannot be combined with --undo or --flashback",
        ),
        (
            ("dump", "--stop-position", "9"),
            "--stop-never (--follow) has no end, and cannot be combined with --stop-position",
        ),
        (
            ("hexdump", "--stop-position", "9"),
            "--stop-never (--follow) has no end, and cannot be combined with --stop-position",
        ),
        (("hexdump", "--export", "x.svg"), "--stop-never (--follow) has no end, and cannot be combined with --export"),
        (
            ("dump", "--xid", "5"),
            "--stop-never (--follow) has no end, and cannot be combined with --xid, --thread-id, "
            "--min-rows, --min-size and --transaction-at",
        ),
        (("schema",), "--stop-never (--follow) requires --history --format json"),
    ],
)
def test_what_needs_the_end_of_the_logs_is_refused(arguments: tuple[str, ...], reason: str) -> None:
    done = run(*arguments, "--follow", LOGS["MariaDB"][0][0])
    assert done.returncode == 2
    assert reason in done.stderr.decode()


@pytest.mark.parametrize("command", ["stats", "extract"])
def test_a_command_that_always_refuses_to_follow_does_not_offer_it(command: str) -> None:
    assert b"--follow" in run("dump", "--help").stdout
    text = run(command, "--help").stdout
    assert b"--to-last-log" in text
    assert b"--follow" not in text


def test_what_cannot_grow_is_refused(tmp_path: Path) -> None:
    packed = tmp_path / "bin.000001.gz"
    packed.write_bytes(gzip.compress(small_log()))
    done = run("dump", "--stop-never", packed)
    assert done.returncode == 2
    assert b"is compressed, or is a capture: --stop-never cannot follow it; omit --stop-never" in done.stderr
    done = run("dump", "--stop-never", given=small_log())
    assert done.returncode == 2
    assert b"-: is not a regular file: --stop-never cannot follow it" in done.stderr


def test_an_interrupt_ends_it_quietly_with_what_was_written(tmp_path: Path) -> None:
    path, result = tmp_path / "bin.000001", tmp_path / "text"
    path.write_bytes(small_log())
    process = start("dump", "--format", "json", "--stop-never", "-r", result, path)
    assert until(lambda: result.exists() and result.read_bytes().count(b"\n") == 5)
    path.write_bytes(small_log() + b"")  # the same bytes: nothing more is there
    assert end(process, signal.SIGINT) == (130, b"", b"")
    assert result.read_bytes().count(b"\n") == 5
