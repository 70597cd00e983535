"""What README.md, CONTRIBUTING.md and man/examples.md show runs as written, on the logs of golden/."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from binlogcli.binary import cursor
from support.golden import ROOT
from support.program import HOME, install, missing

README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = "\n".join(
    [README, *((ROOT / name).read_text(encoding="utf-8") for name in ("CONTRIBUTING.md", "man/examples.md"))]
)
COMMANDS = [
    line
    for block in re.findall(r"```sh\n(.*?)```", PAGES, re.DOTALL)
    for line in block.splitlines()
    if "binlogcli " in line and "pip install" not in line
]
SCREENS = re.findall(r"```console\n\$ (.*?)\n(.*?)```", PAGES, re.DOTALL)
SQL = re.findall(r"```sql\n(.*?)```", README, re.DOTALL)
# the commands of the table of questions, and what their words stand for here
ASKED = README.partition("\n## By question\n")[2].partition("\nIn a few keystrokes")[0]
# (not those that wait for input or for new events)
QUESTIONS = [
    command.replace("\\|", "|")
    for command in re.findall(r"`(binlogcli [^`]*)`", ASKED)
    if "mysql://" not in command and "to-parquet" not in command and "--follow" not in command
    if command not in {"binlogcli decrypt", "binlogcli dump -v -", "binlogcli dump -v FILE"}
]
MEANT = {
    "LOG...": "golden/mariadb-10.11/rows/shop-bin.000001",
    "LOG": "golden/mariadb-10.11/rows/shop-bin.000001",
    "NAME.index": "golden/mariadb-11.8/rotation/shop-bin.index",
    "POSITION": "2867",
    "SET": "0-101-11",
    "2026-11-21 09:00": "2026-11-21 00:30",  # when there was something
    "2026-11-21 09:15": "2026-11-21 00:45",
    "2026-11-21 11:55": "2026-11-21 00:33:42",
}
PROGRAMS = re.findall(r"```python\n(.*?)```", PAGES, re.DOTALL)


@pytest.fixture
def workplace(tmp_path: Path) -> Path:
    """A directory with the project's logs in it, and a `binlogcli` that is the package under test."""
    (tmp_path / "golden").symlink_to(ROOT / "golden")
    log = (ROOT / "golden" / "mariadb-10.11" / "rows" / "shop-bin.000001").read_bytes()
    (tmp_path / "disk.img").write_bytes(bytes(8192) + log[40960:] + bytes(4096) + log[:20480])
    (tmp_path / "bin").mkdir()
    install(tmp_path / "bin")
    return tmp_path


def environment(workplace: Path) -> dict[str, str]:
    path = f"{workplace / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "PYTHONPATH": str(HOME), "TZ": "UTC"}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_runs_as_written(command: str, workplace: Path) -> None:
    shell = ["bash", "-o", "pipefail", "-c", command]
    done = subprocess.run(shell, cwd=workplace, env=environment(workplace), capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout or (workplace / "plain.000001").exists()


@pytest.mark.parametrize(("command", "screen"), SCREENS)
def test_a_screen_is_as_shown(command: str, screen: str, workplace: Path) -> None:
    done = subprocess.run(
        ["bash", "-c", command], cwd=workplace, env=environment(workplace), capture_output=True, check=False
    )
    assert (done.stdout + done.stderr).decode() == screen


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_runs_as_written(program: str, workplace: Path) -> None:
    command = [sys.executable, "-P", "-c", program]
    done = subprocess.run(command, cwd=workplace, env=environment(workplace), capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout


@pytest.mark.parametrize("command", QUESTIONS)
def test_a_command_of_a_question_answers_it(command: str, workplace: Path) -> None:
    for word, meant in MEANT.items():
        command = re.sub(rf"(?<![\w.]){re.escape(word)}(?!\w)", meant, command)
    if command.startswith("binlogcli dump"):
        command = command.replace(" golden/", " --schema golden/shop.sql golden/", 1)
    done = subprocess.run(
        ["bash", "-c", command], cwd=workplace, env=environment(workplace), capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout or (workplace / "undo.sql").exists()


# the tasks of the second table: their keystrokes before there were options for them, and what the answer holds
KEYSTROKES = {
    "Who deleted this row?": (147, [b"6772", b"0-101-15", b"DELETE FROM orders WHERE id=1"]),
    "What happened in the last hour?": (104, [b"0-101-1\t", b"0-101-45", b"INSERT INTO bh"]),
    "Undo one transaction.": (90, [b"SET `credit`=10.50 WHERE `id`=1; -- undoes shop-bin.000001:3741"]),
}


@pytest.mark.parametrize("task", KEYSTROKES)
def test_a_task_takes_fewer_keystrokes(task: str, workplace: Path) -> None:
    before, answer = KEYSTROKES[task]
    command = re.findall(rf"\n\| {re.escape(task)} \| `(binlogcli [^`]*)` \|", README)[0]
    assert len(command) * 4 < before * 3
    command = command.replace("-1h", "2026-11-21")  # golden is older
    logs = workplace / "golden" / "mariadb-10.11" / "rows"
    done = subprocess.run(
        ["bash", "-c", command], cwd=logs, env=environment(workplace), capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert all(text in done.stdout for text in answer), done.stdout
    if task.startswith("Who"):
        assert len(done.stdout.splitlines()) == 2


def test_what_is_converted_can_be_queried(workplace: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    if shutil.which("java") is None:
        missing("Java is not installed")
    if str(cursor.__file__).endswith(".py"):
        pytest.skip("runs once, on the compiled form")
    convert = "binlogcli to-parquet --output lake golden/mariadb-11.8/rotation/shop-bin.index"
    subprocess.run(["bash", "-c", convert], cwd=workplace, env=environment(workplace), check=True)
    queries = [query.partition("--")[0] for block in SQL for query in block.splitlines()]
    queries += re.findall(r"`(select [^`]*)`", README)
    assert [query for query in queries if query.startswith(".")] == [".read lake/_binlog/views.sql"]
    assert len(queries) == 5
    with duckdb.connect() as connection:
        connection.execute((workplace / "lake/_binlog/views.sql").read_text())
        for query in queries[1:]:
            here = query.replace("'lake/", f"'{workplace}/lake/").replace("orders", "parcels")
            assert connection.execute(f"SELECT count(*) FROM ({here})").fetchone()[0] > 0
