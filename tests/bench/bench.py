"""CPU time and memory of binlogcli against mariadb-binlog on the same file.

    python tests/bench/bench.py [--pairs N] [--only NAME] [--small] [LOG...]

Both programs run in turn, N times; what counts is the median over the pairs of ours / theirs, user and system time of
the whole process, output to /dev/null. Peak memory is ours. Ends with status 1 where a limit is not kept. The logs are
those of big_logs.py at scale 1, made for the run where none are given; `--small` is for logs of a tenth: it takes the
start of the command out of the figures (its time on a log without events), which weighs little in large logs, and
allows half as much again for noise.
"""

from __future__ import annotations

import argparse
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

CONSUME = str(Path(__file__).with_name("consume.py"))
BIG_LOGS = str(Path(__file__).with_name("big_logs.py"))
OURS = (sys.executable, "-P", "-m", "binlogcli")
CONSUMER = (sys.executable, "-P", CONSUME)
THEIRS = ("mariadb-binlog", "--no-defaults")
FIGURES = ("stats", "--section", "summary", "--section", "events", "--no-verify")
DECODED = (*THEIRS, "-vv", "--base64-output=decode-rows")
MEMORY = 64  # MiB, on every log


@dataclass(frozen=True)
class Race:
    """Ours may take `limits` times what theirs takes, by the log's name; `path` of it is appended to both commands."""

    name: str
    ours: tuple[str, ...]
    theirs: tuple[str, ...]
    limits: Mapping[str, float]
    accepted: tuple[int, ...] = (0,)  # exit statuses


def everywhere(limit: float) -> Mapping[str, float]:
    """The same limit on all logs."""
    return dict.fromkeys(("oltp", "bulk", "stmt"), limit)


def searched(name: str, pattern: str, limits: Mapping[str, float]) -> Race:
    """A race of `--grep` against our own text in a pipe to grep; it need not find anything."""
    theirs = ("sh", "-c", f'"$0" -P -m binlogcli dump -v "$1" | grep -e "{pattern}"', sys.executable)
    return Race(name, (*OURS, "dump", "--grep", pattern), theirs, limits, accepted=(0, 1))


RACES = (
    Race("walk", (*CONSUMER, "walk"), DECODED, everywhere(0.05)),
    Race("decode", (*CONSUMER, "decode"), DECODED, everywhere(0.20)),
    Race("json", (*OURS, "dump", "--format", "json"), DECODED, everywhere(0.80)),
    Race("text -vv", (*OURS, "dump", *DECODED[2:]), DECODED, {"oltp": 0.25, "bulk": 0.25, "stmt": 0.35}),
    Race("text", (*OURS, "dump"), THEIRS, {"oltp": 0.40, "bulk": 0.80, "stmt": 0.40}),
    Race("text -H -vv", (*OURS, "dump", "-H", "-vv"), (*THEIRS, "-H", "-vv"), everywhere(0.30)),
    Race("stats short", (*OURS, *FIGURES), (*THEIRS, "--short-form"), {"oltp": 0.50, "stmt": 0.50}),
    Race("stats", (*OURS, "stats"), DECODED, {"oltp": 0.50, "bulk": 0.50}),
    Race("hexdump", (*OURS, "hexdump", "--color", "never"), (*THEIRS, "-H"), {"oltp": 1.5}),
    searched("grep word", "note 494903", {"oltp": 0.50, "bulk": 0.50}),
    searched("grep none", "nowhere", {"oltp": 0.50, "bulk": 0.50}),
    searched("grep number", "494903", {"oltp": 0.70, "bulk": 0.50}),
)
SHORT = 1 << 20  # bytes of a log that is read so fast that only the start of the program counts
SHORT_PAIRS = 21
SHORT_ROUNDS = 6
CUT_OFF = (0, 1)  # exit statuses of a log that ends within an event
SHORT_LIMIT = 0.060  # seconds that ours may take longer on it


@dataclass(frozen=True)
class Start:
    """A start of the program, from the call to its end; `tells` is of one that measures itself and prints seconds."""

    name: str
    command: tuple[str, ...]
    limit: float
    tells: bool = False


IMPORT = "import time; begun = time.perf_counter(); import binlogcli; print(time.perf_counter() - begun)"
STARTS = (
    Start("import of binlogcli", (sys.executable, "-P", "-c", IMPORT), 0.030, tells=True),
    Start("binlogcli --help", (*OURS, "--help"), 0.120),
)
STARTED = 15


@dataclass(frozen=True)
class Cost:
    """What one run took: seconds of CPU, MiB at its peak."""

    seconds: float
    memory: float


def cost(command: tuple[str, ...], accepted: tuple[int, ...] = (0,)) -> Cost:
    """Run a command to its end, its output thrown away."""
    with Path(os.devnull).open("wb") as nowhere:
        process = subprocess.Popen(command, stdout=nowhere, stderr=nowhere)
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
        ours.append(cost((*race.ours, log), race.accepted))
        theirs.append(cost((*race.theirs, log), race.accepted))
    return Result(
        statistics.median(mine.seconds for mine in ours),
        statistics.median(other.seconds for other in theirs),
        statistics.median((mine.seconds - startup) / other.seconds for mine, other in zip(ours, theirs, strict=True)),
        max(mine.memory for mine in ours),
    )


def start_of(race: Race, log: str) -> float:
    """How long our command takes on the first event of a log, which is its format description."""
    with tempfile.TemporaryDirectory() as directory, Path(log).open("rb") as file:
        head = file.read(23)  # the magic, and an event's header
        path = Path(directory) / "empty.binlog"
        path.write_bytes(head + file.read(int.from_bytes(head[13:17], "little") - 19))
        return statistics.median(cost((*race.ours, str(path)), race.accepted).seconds for _ in range(5))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("logs", nargs="*", metavar="LOG")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--only", metavar="NAME", action="append", choices=[race.name for race in RACES])
    parser.add_argument("--small", action="store_true")
    return parser.parse_args()


def main() -> int:
    """Run the races on the logs, a line for each; 1 where a limit is not kept."""
    options = arguments()
    if options.logs:
        return compete(options)
    with tempfile.TemporaryDirectory() as folder:
        maker = (sys.executable, BIG_LOGS, folder, "--scale", "0.1" if options.small else "1")
        subprocess.run(maker, check=True, stdout=subprocess.DEVNULL)
        options.logs = sorted(str(path) for path in Path(folder).iterdir())
        return compete(options)


def compete(options: argparse.Namespace) -> int:
    """Run the races on the logs that are there."""
    slack = 1.5 if options.small else 1.0
    failed = 0
    say(f"{'race':12} {'log':16} {'ours s':>8} {'theirs s':>8} {'ratio':>7} {'limit':>7} {'MiB':>6}")
    for race in RACES:
        if options.only and race.name not in options.only:
            continue
        for log in options.logs:
            limit = race.limits.get(Path(log).stem)
            if limit is None:
                continue
            it = run(race, log, options.pairs, start_of(race, log) if options.small else 0.0)
            kept = it.ratio <= limit * slack and it.memory <= MEMORY
            failed += not kept
            line = f"{race.name:12} {Path(log).name:16} {it.ours:8.3f} {it.theirs:8.3f} {it.ratio:7.3f}"
            say(f"{line} {limit:7.2f} {it.memory:6.1f}{'' if kept else '  TOO MUCH'}")
    if not options.only:
        failed += not short_log(options.logs[0], slack, min if options.small else statistics.median)
        failed += sum(not started_soon(start) for start in STARTS)
    return 1 if failed else 0


def short_log(log: str, slack: float, middle: Callable[[list[float]], float]) -> bool:
    """Whether the text of the first megabyte of a log comes about as soon as theirs.

    On a machine that others use as well, the shortest run is the one that tells most of so short a time; where none was
    short enough, there are more of them.
    """
    pairs: list[tuple[Cost, Cost]] = []
    more = math.inf
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "short.binlog"
        with Path(log).open("rb") as file:
            path.write_bytes(file.read(SHORT))
        for _ in range(SHORT_ROUNDS if middle is min else 1):
            pairs += [
                (cost((*OURS, "dump", "-vv", str(path)), CUT_OFF), cost((*THEIRS, "-vv", str(path)), CUT_OFF))
                for _ in range(SHORT_PAIRS)
            ]
            more = middle([ours.seconds for ours, _ in pairs]) - middle([theirs.seconds for _, theirs in pairs])
            if more <= SHORT_LIMIT:
                break
    kept = more <= SHORT_LIMIT * slack
    figures = f"{1000 * more:.0f} ms more than theirs, limit {1000 * SHORT_LIMIT:.0f}"
    say(f"1 MB of a log: {figures}{'' if kept else '  TOO MUCH'}")
    return kept


def started_soon(start: Start) -> bool:
    """Whether a start keeps its limit. The shortest of several runs tells: the others waited for the machine."""
    times = []
    for _ in range(STARTED):
        begun = time.perf_counter()
        done = subprocess.run(start.command, capture_output=True, check=True)
        times.append(float(done.stdout) if start.tells else time.perf_counter() - begun)
    kept = min(times) <= start.limit
    figures = f"{1000 * min(times):.0f} ms, limit {1000 * start.limit:.0f}"
    say(f"{start.name}: {figures}{'' if kept else '  TOO MUCH'}")
    return kept


def say(line: str) -> None:
    """A line of the table, at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
