"""A run that is killed at any step of its commits: nothing partial is seen, and the next run finishes the work.

Every step is tried with BINLOGCLI_CRASHES=all, every fifth without.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from support.lake_output import check, check_part, ids
from support.program import HOME
from support.shop_logs import ShopLog

STEP = 1 if os.environ.get("BINLOGCLI_CRASHES") == "all" else 5
SCRIPT = Path(__file__).with_name("killed_run.py")
ROWS = 12


def killed_run(at: int, output: Path, *logs: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    """Three logs, in epochs of one log each."""
    command = [sys.executable, "-P", str(SCRIPT), str(at), str(output), *map(str, logs)]
    environment = {**os.environ, "PYTHONPATH": str(HOME), "EPOCH_SIZE": "1", **settings}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=120)


def make_logs(folder: Path) -> list[Path]:
    logs = []
    for number in range(3):
        path = folder / f"shop-bin.{number + 1:06}"
        log = ShopLog(first=number * ROWS + 1, created=1_700_000_000 + number).trade(6, tables=3)
        log.stop().write(path)
        logs.append(path)
    return logs


def lots(count: int) -> list[range]:
    return [range(number * ROWS + 1, number * ROWS + ROWS + 1) for number in range(count)]


def test_a_run_that_is_killed_at_any_step_loses_and_repeats_nothing(tmp_path: Path) -> None:
    logs = make_logs(tmp_path)
    whole = killed_run(0, tmp_path / "whole", *logs)
    assert whole.returncode == 0, whole.stderr
    steps = int(whole.stdout)
    check(tmp_path / "whole", range(1, 3 * ROWS + 1))
    assert steps > 60  # twelve points of each of the three commits, and more
    for step in range(1, steps + 1, STEP):
        output = tmp_path / f"killed-{step}"
        assert killed_run(step, output, *logs).returncode == -signal.SIGKILL
        seen = ids(output)
        assert not seen or max(seen.values()) == 1
        assert killed_run(0, output, *logs).returncode == 0
        check(output, range(1, 3 * ROWS + 1))


@pytest.mark.parametrize("second", [1, 9, 14, 30])
def test_a_repair_that_is_killed_is_repaired(second: int, tmp_path: Path) -> None:
    logs = make_logs(tmp_path)
    output = tmp_path / "lake"
    assert killed_run(34, output, *logs).returncode == -signal.SIGKILL
    assert killed_run(second, output, *logs).returncode == -signal.SIGKILL
    assert killed_run(0, output, *logs).returncode == 0
    check(output, range(1, 3 * ROWS + 1))


def test_what_is_seen_of_a_killed_run_is_some_of_its_epochs_once_it_was_repaired(tmp_path: Path) -> None:
    logs = make_logs(tmp_path)
    for step in (20, 33, 50):
        output = tmp_path / f"killed-{step}"
        assert killed_run(step, output, *logs).returncode == -signal.SIGKILL
        assert killed_run(0, output, logs[0]).returncode == 0  # repairs, and has nothing to add but the first log
        check_part(output, *lots(3))


def test_a_second_run_finds_nothing_new(tmp_path: Path) -> None:
    logs = make_logs(tmp_path)
    output = tmp_path / "lake"
    assert killed_run(0, output, *logs).returncode == 0
    before = {path: path.stat().st_mtime_ns for path in output.rglob("*") if path.name != "lock" and path.is_file()}
    assert killed_run(0, output, *logs).returncode == 0
    assert before == {
        path: path.stat().st_mtime_ns for path in output.rglob("*") if path.name != "lock" and path.is_file()
    }


def test_a_killed_run_that_reads_damage_again_loses_and_repeats_nothing(tmp_path: Path) -> None:
    logs = make_logs(tmp_path)
    sound = logs[1].read_bytes()
    at = sound.index(b"row 20")
    logs[1].write_bytes(sound[:at] + b"!" + sound[at + 1 :])
    broken = tmp_path / "broken"
    assert killed_run(0, broken, *logs, EPOCH_SIZE="1000000").returncode == 0
    assert len(ids(broken)) < 3 * ROWS
    logs[1].write_bytes(sound)
    shutil.copytree(broken, tmp_path / "whole")
    steps = int(killed_run(0, tmp_path / "whole", *logs, RETRY_GAPS="1").stdout)
    check(tmp_path / "whole", range(1, 3 * ROWS + 1))
    for step in range(1, steps + 1, STEP):
        output = tmp_path / f"killed-{step}"
        shutil.copytree(broken, output)
        assert killed_run(step, output, *logs, RETRY_GAPS="1").returncode == -signal.SIGKILL
        assert max(ids(output).values()) == 1
        assert killed_run(0, output, *logs, RETRY_GAPS="1").returncode == 0
        check(output, range(1, 3 * ROWS + 1))
