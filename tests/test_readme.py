"""What README.md, CONTRIBUTING.md and docs/examples.md show runs as written, on the logs of golden/."""

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
    [README, *((ROOT / name).read_text(encoding="utf-8") for name in ("CONTRIBUTING.md", "docs/examples.md"))]
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
QUESTIONS = [
    command.replace("\\|", "|")
    for command in re.findall(r"`(binlogcli [^`]*)`", README.partition("\n## By question\n")[2].partition("\n## ")[0])
    if "mysql://" not in command and "to-parquet" not in command and command != "binlogcli decrypt"
]
MEANT = {
    "LOG...": "golden/mariadb-10.11/rows/shop-bin.000001",
    "LOG": "golden/mariadb-10.11/rows/shop-bin.000001",
    "NAME.index": "golden/mariadb-11.8/rotation/shop-bin.index",
    "POSITION": "2867",
    "SET": "0-101-11",
    "2026-11-21 09:00:00": "2026-11-21 00:30:00",  # when there was something
    "2026-11-21 09:15:00": "2026-11-21 00:45:00",
}
PROGRAMS = re.findall(r"```python\n(.*?)```", PAGES, re.DOTALL)


@pytest.fixture
def workplace(tmp_path: Path) -> Path:
    """A directory with the project's logs in it, and a `binlogcli` that is the package under test."""
    (tmp_path / "golden").symlink_to(ROOT / "golden")
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
    assert len(queries) == 3
    for query in queries:
        here = query.replace("'lake/", f"'{workplace}/lake/").replace("shop/orders/", "shop/parcels/")
        with duckdb.connect() as connection:
            assert connection.execute(f"SELECT count(*) FROM ({here})").fetchone()[0] > 0


# CONTRIBUTING.md: its commands are run by .ci/run, which fails where the words differ; what it names must be there


CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", sorted(set(re.findall(r"(?:binlogcli|tests|golden|docs)/[\w./-]*", CONTRIBUTING))))
def test_a_file_that_is_named_is_there(name: str) -> None:
    assert (ROOT / name.rstrip(".")).exists()


def test_the_table_of_rooms_has_each_room_and_what_is_in_it() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", CONTRIBUTING, re.MULTILINE))
    package = ROOT / "binlogcli"
    rooms = {path.name: path for path in package.iterdir() if (path / "__init__.py").exists()}
    assert rows.keys() == {"errors", *rooms}
    for name, path in rooms.items():
        folders = {folder.name for folder in path.iterdir() if (folder / "__init__.py").exists()}
        assert folders <= set(re.findall(r"`(\w+)`", rows[name])), name


def test_a_command_of_the_benchmarks_takes_what_it_is_given() -> None:
    programs = re.findall(r"^python (tests/bench/\w+\.py) ", CONTRIBUTING, re.MULTILINE)
    assert programs
    for program in programs:
        done = subprocess.run(
            [sys.executable, str(ROOT / program), "--help"],
            capture_output=True,
            check=True,
            env={**os.environ, "PYTHONPATH": str(HOME)},
        )
        assert done.stdout
