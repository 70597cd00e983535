"""Completion in real shells: each is given a terminal, and a tab is typed."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import select
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from binlogcli.cli.completion.shells import candidates
from binlogcli.cli.main import COMMANDS, cli
from support.bodies import LONGLONG, mariadb_gtid, query, table_map, u8
from support.golden import ROOT
from support.logs import GTID_MARIADB, MARIADB, QUERY, TABLE_MAP, XID, LogBuilder
from support.program import HOME, install, missing

FILES = ROOT / "binlogcli" / "cli" / "completion"
README = (ROOT / "README.md").read_text()
START = {"bash": "bash --norc --noprofile -i", "zsh": "zsh -f -i", "fish": "fish --no-config -i"}
BEFORE = {
    "bash": "",
    "zsh": "autoload -U compinit; compinit -u -D; ",
    "fish": "",
}  # what a user's start file has already
WAIT = 20.0
LOG = "shop.000001"
HOSTILE = (
    b"$(touch x)",
    b"`touch x`",
    b"two words",
    b"ta\tb",
    b"li\nne",
    b"\x1b[31mred",
    b"a;b",
    b"'",
    b'"',
    b"-v",
    b"*",
)
# The program notes the words that it is called with; only for completion is it called itself.
RECORDER = """#!/bin/sh
test -n "$_BINLOGCLI_COMPLETE" && exec ./program "$@"
printf '%s\\n' "$@" > ran.new
mv ran.new ran
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A directory with the program, and with a log that has hostile names, too."""
    install(tmp_path).rename(tmp_path / "program")
    (tmp_path / "binlogcli").write_text(RECORDER)
    (tmp_path / "binlogcli").chmod(0o755)
    log = LogBuilder(MARIADB).describe()
    names = [(b"shop", b"orders"), (b"shop", b"order_lines"), (b"stock", b"parts")]
    names += [(name, b"t") for name in HOSTILE] + [(b"zoo", name) for name in HOSTILE]
    for number, (database, table) in enumerate(names, 1):
        log.add(GTID_MARIADB, mariadb_gtid(number)).add(QUERY, query(db=database, text=b"BEGIN"))
        log.add(TABLE_MAP, table_map([LONGLONG], database=database, table=table)).add(XID, u8(number))
    log.write(tmp_path / LOG)
    return tmp_path


def readme_line(shell: str) -> str:
    """The line that README says to put into a shell's start file."""
    found = re.search(rf"`([^`]*_BINLOGCLI_COMPLETE={shell}_source[^`]*)`", README)
    assert found is not None
    return found.group(1).replace("\\|", "|")  # in a table


@contextlib.contextmanager
def shell_in(folder: Path, name: str, setup: str) -> Iterator[int]:
    """Give the terminal of a shell that reads commands."""
    if shutil.which(name) is None:
        missing(f"{name} is not installed")
    process, terminal = pty.fork()
    if process == 0:
        home = {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder), "XDG_DATA_HOME": str(folder)}
        path = f"{folder}{os.pathsep}{os.environ['PATH']}"
        os.chdir(folder)
        command = START[name].split()
        os.execvpe(command[0], command, {**os.environ, **home, "PATH": path, "PYTHONPATH": str(HOME), "TERM": "xterm"})
    try:
        os.write(terminal, f"{setup}; touch ready\r".encode())
        assert wait_for(folder / "ready", terminal)
        yield terminal
    finally:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        os.close(terminal)


def wait_for(file: Path, terminal: int) -> bool:
    """Read what a shell writes until a file is there; return False if it never is."""
    end = time.monotonic() + WAIT
    while time.monotonic() < end and not file.exists():
        if select.select([terminal], [], [], 0.02)[0]:
            with contextlib.suppress(OSError):
                os.read(terminal, 65536)
    return file.exists()


def words_after_tab(folder: Path, terminal: int, typed: str) -> list[str]:
    """Return the words that the program gets if Tab is typed once, and Enter."""
    (folder / "ran").unlink(missing_ok=True)
    os.write(terminal, f"binlogcli {typed}\t\r".encode())
    assert wait_for(folder / "ran", terminal), typed
    return (folder / "ran").read_text().splitlines()


def offered(before: list[str], word: str, after: list[str] | None = None) -> set[str]:
    """What can stand for a word."""
    return {item.value for item in candidates(cli, before, word, after or [])}


@pytest.mark.parametrize("name", COMMANDS)
def test_each_option_of_a_command_is_completed_and_named_by_its_help(name: str) -> None:
    """The shells ask click: what it answers is what a tab shows."""
    shown = offered([name], "--")
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    options = [option for option in command.params if isinstance(option, click.Option) and not option.hidden]
    names = {name for option in options for name in (*option.opts, *option.secondary_opts) if name.startswith("--")}
    assert names | {"--help"} == shown
    words = set(re.findall(r"-[-\w]+", command.get_help(click.Context(command, info_name=name))))
    assert names <= words


WANTED = {
    "hexd": ["hexdump"],
    "--color=al": ["--color=always"],
    "dump --flas": ["dump", "--flashback"],
    "dump --format=js": ["dump", "--format=json"],
    "dump --format js": ["dump", "--format", "json"],
    "dump -E write_rows_c": ["dump", "-E", "write_rows_compressed_event"],
    "dump --event=XI": ["dump", "--event=XID_EVENT"],
    "dump --result-file=sho": ["dump", f"--result-file={LOG}"],
    "dump sho": ["dump", LOG],
    f"dump {LOG} -T shop.orders": ["dump", LOG, "-T", "shop.orders"],
    f"dump {LOG} -T st": ["dump", LOG, "-T", "stock.parts"],
    f"dump {LOG} --table=st": ["dump", LOG, "--table=stock.parts"],
    f"dump {LOG} -T par": ["dump", LOG, "-T", "parts"],
    f"dump {LOG} -T 'st": ["dump", LOG, "-T", "stock.parts"],
    f"dump {LOG} --database=sto": ["dump", LOG, "--database=stock"],
    f"schema {LOG} -d sto": ["schema", LOG, "-d", "stock"],
    f"dump {LOG} --include-gtids 0-101-12,0-101-3": ["dump", LOG, "--include-gtids", "0-101-12,0-101-3"],
    f"dump {LOG} --exclude-gtids=0-101-24": ["dump", LOG, "--exclude-gtids=0-101-24"],
    f"dump {LOG} -T zoo": ["dump", LOG, "-T", "zoo"],
}


@pytest.mark.parametrize("shell", START)
def test_one_tab_completes_commands_options_and_values(shell: str, folder: Path) -> None:
    """Installed as README says, without what the shell completes of itself."""
    with shell_in(folder, shell, BEFORE[shell] + readme_line(shell)) as terminal:
        assert {typed: words_after_tab(folder, terminal, typed) for typed in WANTED} == WANTED
    assert not (folder / "x").exists()


def test_the_first_tab_completes_where_zsh_finds_the_function_itself(folder: Path) -> None:
    setup = f"fpath=('{FILES}' $fpath); {BEFORE['zsh']}"
    with shell_in(folder, "zsh", setup + ":") as terminal:
        assert words_after_tab(folder, terminal, "dump --format=js") == ["dump", "--format=json"]


@pytest.mark.parametrize(("before", "after"), [([LOG], []), ([], [LOG]), ([f"./{LOG}", "--verbose"], ["none"])])
def test_names_are_taken_from_the_log_that_is_on_the_line(
    before: list[str], after: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    assert offered(["dump", *before, "-T"], "", after) == {"shop.orders", "shop.order_lines", "stock.parts"}
    assert offered(["dump", *before, "-T"], "order", after) == {"orders", "order_lines"}
    assert offered(["dump", *before, "-d"], "", after) == {"shop", "stock", "zoo"}
    assert offered(["dump", *before, "--include-gtids"], "0-101-24", after) == {"0-101-24"}


@pytest.mark.parametrize(
    "content", [b"", b"\xfebin", b"\xfebin" + bytes(1 << 20), b"text\n" * 9, b"\xfdbin" + bytes(600)]
)
def test_a_log_that_cannot_be_read_offers_nothing(content: bytes, tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(content)
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)  # to open it would last for ever
    assert offered(["dump", str(log), str(fifo), str(tmp_path), "mysql://h/", "\0", "-T"], "") == set()


def test_of_many_gtids_the_beginnings_are_offered(tmp_path: Path) -> None:
    log = LogBuilder(MARIADB).describe()
    for number in range(1000, 1300):
        log.add(GTID_MARIADB, mariadb_gtid(number)).add(XID, u8(number))
    log.write(tmp_path / "log")
    line = ["dump", str(tmp_path / "log"), "--include-gtids"]
    assert offered(line, "") == {f"0-101-{number}" for number in range(100, 130)}
    assert offered(line, "0-101-107") == {f"0-101-{number}" for number in range(1070, 1080)}


def test_a_large_log_is_read_for_a_moment_only(tmp_path: Path) -> None:
    log = tmp_path / "log"
    LogBuilder(MARIADB).describe().write(log)
    with log.open("r+b") as file:
        file.truncate(1 << 40)
    start = time.monotonic()
    assert offered(["dump", str(log), "-T"], "") == set()
    assert time.monotonic() - start < 5


def test_each_shell_has_its_line_in_the_readme() -> None:
    """The line of zsh and fish is not that of bash."""
    assert len({readme_line(shell) for shell in START}) == len(START)
