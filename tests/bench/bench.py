"""CPU time and memory of binlogcli against mariadb-binlog on the same file.

    python tests/bench/bench.py [--pairs N] [--only NAME] [--small] LOG...

Both programs run in turn, N times; what counts is the median over the pairs of ours / theirs, user and system time of
the whole process, output to /dev/null. Peak memory is ours. Ends with status 1 where a limit is not kept. The logs are
those of make_big_logs.py at full scale; `--small` is for logs of a tenth: it takes the start of Python out of the
figures, which weighs nothing in large logs, and allows half as much again for noise.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

CONSUME = str(Path(__file__).with_name("consume.py"))
OURS = (sys.executable, "-P", "-m", "binlogcli")
CONSUMER = (sys.executable, "-P", CONSUME)
THEIRS = ("mariadb-binlog", "--no-defaults")
DECODED = (*THEIRS, "-vv", "--base64-output=decode-rows")
MEMORY = 64  # MiB, on every log


@dataclass(frozen=True)
class Race:
    """Ours may take `limit` times what theirs takes; the log's path is appended to both commands."""

    name: str
    ours: tuple[str, ...]
    theirs: tuple[str, ...]
    limit: float


RACES = (
    Race("walk", (*CONSUMER, "walk"), DECODED, 0.05),
    Race("decode", (*CONSUMER, "decode"), DECODED, 0.20),
    Race("json", (*OURS, "dump", "--format", "json"), DECODED, 0.80),
)


@dataclass(frozen=True)
class Cost:
    """What one run took: seconds of CPU, MiB at its peak."""

    seconds: float
    memory: float


def cost(command: tuple[str, ...], accepted: tuple[int, ...] = (0,)) -> Cost:
    """Run a command to its end, its output thrown away."""
    with Path(os.devnull).open("wb") as nowhere:
        process = subprocess.Popen(command, stdout=nowhere)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in accepted:
        raise SystemExit(f"{' '.join(command)} ended with status {process.returncode}")
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


@dataclass(frozen=True)
class Result:
    """Medians over the pairs, and our greatest memory."""

    ours: float
    theirs: float
    ratio: float
    memory: float


def run(race: Race, log: str, pairs: int, startup: float) -> Result:
    """Both programs in turn; `startup` is what is not to count in ours."""
    ours, theirs = [], []
    for _ in range(pairs):
        ours.append(cost((*race.ours, log)))
        theirs.append(cost((*race.theirs, log)))
    return Result(
        statistics.median(mine.seconds for mine in ours),
        statistics.median(other.seconds for other in theirs),
        statistics.median((mine.seconds - startup) / other.seconds for mine, other in zip(ours, theirs, strict=True)),
        max(mine.memory for mine in ours),
    )


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("logs", nargs="+", metavar="LOG")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--only", metavar="NAME", action="append", choices=[race.name for race in RACES])
    parser.add_argument("--small", action="store_true")
    return parser.parse_args()


def main() -> int:
    """Run the races on the logs, a line for each; 1 where a limit is not kept."""
    options = arguments()
    startup = statistics.median(cost((*OURS, "--version")).seconds for _ in range(5)) if options.small else 0.0
    slack = 1.5 if options.small else 1.0
    failed = 0
    say(f"{'race':12} {'log':16} {'ours s':>8} {'theirs s':>8} {'ratio':>7} {'limit':>7} {'MiB':>6}")
    for race in RACES:
        if options.only and race.name not in options.only:
            continue
        for log in options.logs:
            it = run(race, log, options.pairs, startup)
            kept = it.ratio <= race.limit * slack and it.memory <= MEMORY
            failed += not kept
            line = f"{race.name:12} {Path(log).name:16} {it.ours:8.3f} {it.theirs:8.3f} {it.ratio:7.3f}"
            say(f"{line} {race.limit:7.2f} {it.memory:6.1f}{'' if kept else '  TOO MUCH'}")
    return 1 if failed else 0


def say(line: str) -> None:
    """A line of the table, at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
