"""`to-parquet` on Spark, as a user runs it, and what becomes of it when one of its processes is killed.

Each run takes some seconds: the few that must not be left out run always, all with BINLOGCLI_SPARK=all.
"""

from __future__ import annotations

import hashlib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from binlogcli.binary import cursor
from support.lake_output import check, ids, parquet_files
from support.program import COMMAND, HOME, missing, run
from support.shop_logs import ShopLog

FAILED, LOCKED = 3, 75
SECONDS = 120
FILE_SIZE = 40_000  # bytes, of the largest file that a process may write where there is no room
thorough = pytest.mark.skipif(os.environ.get("BINLOGCLI_SPARK") != "all", reason="BINLOGCLI_SPARK=all runs it")


compiled = pytest.mark.skipif(str(cursor.__file__).endswith(".py"), reason="runs once, on the compiled form")


@pytest.fixture(autouse=True)
def java() -> None:
    if shutil.which("java") is None:
        missing("Java is not installed")


@pytest.fixture
def logs(tmp_path: Path) -> list[Path]:
    """Ten logs of a hundred rows."""
    paths = []
    for number in range(10):
        path = tmp_path / f"shop-bin.{number + 1:06}"
        ShopLog(first=number * 100 + 1, created=1_700_000_000 + number).trade(50, tables=3).stop().write(path)
        paths.append(path)
    return paths


ALL = range(1, 1001)


def start(output: Path, *arguments: str | Path, limit: int = 0) -> subprocess.Popen[bytes]:
    """A run that goes on while the test does."""

    def limited() -> None:
        if limit:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    return subprocess.Popen(
        [*COMMAND, "to-parquet", "-o", str(output), *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(HOME)},
        preexec_fn=limited,  # noqa: PLW1509 - the tests have no threads
    )


def children(pid: int) -> list[tuple[int, str]]:
    """Number and command line of a process's children."""
    found = []
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            try:
                parent = int((place / "stat").read_text().rpartition(")")[2].split()[1])
                line = (place / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except (OSError, ValueError, IndexError):
                continue
            if parent == pid:
                found.append((int(place.name), line))
    return found


def the_jvm(driver: int) -> int | None:
    return next((pid for pid, line in children(driver) if "SparkSubmit" in line), None)


def the_worker(driver: int) -> int | None:
    """A Python worker that Spark's daemon has forked."""
    jvm = the_jvm(driver)
    for daemon, line in children(jvm) if jvm else []:
        if "pyspark" in line:
            for worker, _ in children(daemon):
                return worker
    return None


def wait_for(find: Callable[[], int | None]) -> int:
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        found = find()
        if found is not None:
            return found
        time.sleep(0.002)
    pytest.fail("it did not come up")


def check_manifest(path: Path, logs: list[Path], output: Path) -> None:
    """Compare a manifest with the logs, each of which was read by several processes, and with all published files."""
    found = json.loads(path.read_text())
    files = [(str(file), hashlib.sha256(file.read_bytes()).hexdigest()) for file in logs]
    assert [(entry["path"], entry["sha256"]) for entry in found["inputs"]] == files
    assert [entry["file"] for entry in found["chain"]] == list(map(str, logs))
    data = [*(output / "events").rglob("*.parquet"), *(output / "tables").rglob("*.parquet")]
    assert {entry["path"] for entry in found["outputs"]} == set(map(str, data))
    assert run("verify", path).returncode == 0


def test_a_run_takes_all_and_the_next_one_nothing(logs: list[Path], tmp_path: Path) -> None:
    output = tmp_path / "lake"
    manifest = tmp_path / "m.json"
    first = run("to-parquet", "-v", "--manifest", manifest, "-o", output, *logs)
    assert first.returncode == 0, first.stderr
    check_manifest(manifest, logs, output)
    assert first.stdout == b""
    assert first.stderr.startswith(b"binlogcli: 1000 rows of 3 tables and 2020 events")
    check(output, ALL)
    again = run("to-parquet", "-o", output, *logs)
    assert (again.returncode, again.stdout, again.stderr) == (0, b"", b"")
    check(output, ALL)


@compiled
def test_a_killed_worker_is_replaced(logs: list[Path], tmp_path: Path) -> None:
    output = tmp_path / "lake"
    process = start(output, *logs)
    os.kill(wait_for(lambda: the_worker(process.pid)), signal.SIGKILL)
    assert process.communicate(timeout=SECONDS)[1] == b""
    assert process.returncode == 0
    check(output, ALL)


@compiled
def test_a_run_goes_on_at_once_where_a_killed_one_left_off(logs: list[Path], tmp_path: Path) -> None:
    output = tmp_path / "lake"
    process = start(output, *logs)
    wait_for(lambda: the_worker(process.pid))
    process.kill()
    process.communicate()
    assert parquet_files(output) == []
    assert run("to-parquet", "-o", output, *logs).returncode == 0
    check(output, ALL)


@thorough
@pytest.mark.parametrize("delay", [0.5, 1.5, 2.5, 3.0, 3.5, 4.0])
def test_a_run_killed_at_any_time_is_finished_by_the_next(delay: float, logs: list[Path], tmp_path: Path) -> None:
    output = tmp_path / "lake"
    process = start(output, *logs)
    time.sleep(delay)
    process.kill()
    process.communicate()
    assert not ids(output) or max(ids(output).values()) == 1
    assert run("to-parquet", "-o", output, *logs).returncode == 0
    check(output, ALL)


def check_killed_jvm(process: subprocess.Popen[bytes]) -> None:
    """Kill the JVM of a run, and look at what the run says."""
    os.kill(the_jvm(process.pid) or 0, signal.SIGKILL)
    complaint = process.communicate(timeout=SECONDS)[1].decode()
    assert complaint == (
        "binlogcli: Spark's Java process has died; "
        "run it again; see --spark-log FILE for details; nothing of this epoch was published\n"
    )
    assert process.returncode == FAILED


@thorough
def test_a_killed_jvm_ends_the_run_and_nothing_is_seen(logs: list[Path], tmp_path: Path) -> None:
    output = tmp_path / "lake"
    process = start(output, *logs)
    wait_for(lambda: the_worker(process.pid))
    check_killed_jvm(process)
    assert parquet_files(output) == []
    assert run("to-parquet", "-o", output, *logs).returncode == 0
    check(output, ALL)


@compiled
def test_a_jvm_killed_between_two_epochs_ends_the_run_and_the_next_one_takes_the_rest(
    logs: list[Path], tmp_path: Path
) -> None:
    output = tmp_path / "lake"
    process = start(output, "--epoch-size", "1", "--split-size", "2k", *logs)
    wait_for(lambda: next((1 for _ in output.glob("_binlog/epochs/*.json")), None))
    check_killed_jvm(process)
    assert max(ids(output).values()) == 1
    assert run("to-parquet", "-o", output, *logs).returncode == 0
    check(output, ALL)


@thorough
@pytest.mark.parametrize("delay", [0.0, 0.6, 0.9, 1.2, 1.5])
def test_a_jvm_killed_while_it_starts(delay: float, logs: list[Path], tmp_path: Path) -> None:
    """Before its gateway listens, PySpark's own launcher starts another one."""
    output = tmp_path / "lake"
    process = start(output, *logs)
    wait_for(lambda: the_jvm(process.pid))
    time.sleep(delay)
    os.kill(the_jvm(process.pid) or 0, signal.SIGKILL)
    complaint = process.communicate(timeout=SECONDS)[1].decode()
    assert process.returncode in {0, FAILED}
    assert len(complaint.splitlines()) == (process.returncode == FAILED)
    assert run("to-parquet", "-o", output, *logs).returncode == 0
    check(output, ALL)


@compiled
def test_a_full_disk_is_one_line_and_nothing_is_seen(tmp_path: Path) -> None:
    log = tmp_path / "shop-bin.000001"
    ShopLog().trade(4000, rows=5).stop().write(log)
    output = tmp_path / "lake"
    process = start(output, log, limit=FILE_SIZE)
    complaint = process.communicate(timeout=SECONDS)[1].decode()
    assert process.returncode == FAILED
    (line,) = complaint.splitlines()
    assert "file too large" in line
    assert parquet_files(output) == []
    assert run("to-parquet", "-o", output, log).returncode == 0
    check(output, range(1, 20001))


@compiled
def test_the_second_of_two_runs_at_once_is_told_so(logs: list[Path], tmp_path: Path) -> None:
    output = tmp_path / "lake"
    first = start(output, *logs)
    wait_for(lambda: the_jvm(first.pid))
    second = run("to-parquet", "-o", output, *logs)
    assert second.returncode == LOCKED
    assert second.stderr.endswith(b"another run is using it; try again later\n")
    assert first.communicate(timeout=SECONDS)[1] == b""
    assert first.returncode == 0
    check(output, ALL)


@thorough
def test_executors_in_processes_of_their_own_give_the_same(logs: list[Path], tmp_path: Path) -> None:
    for name, master in (("cluster", "local-cluster[2,1,1024]"), ("local", "local[2]")):
        done = run("to-parquet", "-o", tmp_path / name, "--master", master, "--split-size", "4k", *logs)
        assert done.returncode == 0, done.stderr
        check(tmp_path / name, ALL)


@thorough
def test_it_runs_under_spark_submit(logs: list[Path], tmp_path: Path) -> None:
    import pyspark

    program = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    places = (HOME / "pyspark_binlog", HOME / "binlogcli" / "lake" / "pyspark_binlog")
    script = next(place for place in places if place.is_dir()) / "submit.py"
    output = tmp_path / "lake"
    command = [str(program), "--master", "local[2]", str(script), "to-parquet", "-o", str(output), *map(str, logs)]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PYTHONPATH": str(HOME), "PATH": path}
    done = subprocess.run(command, capture_output=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    check(output, ALL)


@thorough
def test_spark_starts_in_its_own_way_where_ours_fails(logs: list[Path], tmp_path: Path) -> None:
    tools = tmp_path / "java-home"
    real = Path(os.path.realpath(shutil.which("java") or "")).parents[1]
    (tools / "bin").mkdir(parents=True)
    (tools / "release").write_text((real / "release").read_text())
    java = tools / "bin" / "java"
    java.write_text(f'#!/bin/sh\ncase "$*" in *log4j2.configurationFile*) exit 1;; esac\nexec {real}/bin/java "$@"\n')
    java.chmod(0o755)
    done = run("to-parquet", "-o", tmp_path / "lake", *logs, environment={"JAVA_HOME": str(tools)})
    assert done.returncode == 0, done.stderr
    check(tmp_path / "lake", ALL)


def test_without_java_the_package_to_install_is_named(logs: list[Path], tmp_path: Path) -> None:
    done = run("to-parquet", "-o", tmp_path / "lake", logs[0], environment={"PATH": str(tmp_path), "JAVA_HOME": ""})
    assert done.returncode == 2
    assert b"apt-get install openjdk-17-jre-headless" in done.stderr
    assert ids(tmp_path / "lake") == Counter()
