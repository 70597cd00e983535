"""CPU time, memory and files of `to-parquet`, all its processes together, against `mariadb-binlog -vv`.

    python tests/bench/lake.py [--pairs N] [--tables LOG] [--source] [LOG...]

For each log the marginal cost of the job: a run over four copies under different names, less a run over one, divided by
three; in turn with `mariadb-binlog -vv --base64-output=decode-rows` of one copy, the median of N. Then the start (a log
of 1 KB), a run with nothing new, and the workers' memory. `--tables` is for a log of 500 tables, which
`--make-tables FILE` writes. `--source` adds the data source in a session of Spark: `load()` of a table of copies of the
first log and `count()` of one table of 500, both as the marginal cost of a copy, as the session's own cost varies by
more than either; and `count()` of a table in 3,000 small logs, less the session's own cost.
Ends with status 1 where a limit is not kept. It needs Linux and `perf`.
"""

from __future__ import annotations

import argparse
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
sys.path = [str(HERE.parent), *(place for place in sys.path if place != str(HERE))]  # the tests' own modules

from support.bodies import LONG, LONGLONG, VARCHAR, WRITE_V1, rows_event, table_map, u2  # noqa: E402
from support.logs import TABLE_MAP  # noqa: E402
from support.shop_logs import ShopLog  # noqa: E402

OURS = (sys.executable, "-P", "-m", "binlogcli", "to-parquet", "-v", "-o")
THEIRS = ("mariadb-binlog", "--no-defaults", "-vv", "--base64-output=decode-rows")
LIMITS = {"oltp": 0.50, "bulk": 0.60}
START_LIMIT = 6.0  # CPU seconds
NOTHING_LIMIT = 0.5  # seconds of the clock
MEMORY_LIMIT = 512  # MiB of a worker
TABLES, TABLES_LIMIT, FILES_LIMIT = 500, 2.5, 600  # CPU seconds a million rows, files
COPIES = 4
READ = (sys.executable, "-P", str(HERE / "spark_read.py"))
LOADED, LOAD_LIMIT = 11, 1.0  # copies, CPU seconds a GB of `load()`
COUNTED, COUNT_LIMIT = 9, 4.0  # copies, CPU seconds of `count()` of one table of 500 in a log of 300 MB
RUNS = 3  # of a session of Spark, of which the least counts: its own share varies by seconds
SMALL, SMALL_LIMIT, TASKS_LIMIT = 3000, 10.0, 100  # CPU seconds and tasks of `count()`


@dataclass(frozen=True)
class Cost:
    """What one run took, of all its processes: CPU seconds, seconds of the clock, MiB of the largest Python worker."""

    cpu: float
    wall: float
    memory: float


def cost(*command: str, answers: list[str] | None = None) -> Cost:
    """Run a command to its end; its output is added to `answers`.

    Spark's workers are not all waited for by their parents, so the kernel counts them.
    """
    with tempfile.NamedTemporaryFile() as counted, watched() as memory:
        begun = time.monotonic()
        counter = ("perf", "stat", "-x,", "-e", "task-clock", "-o", counted.name, "--", *command)
        done = subprocess.run(counter, capture_output=True, check=False)
        wall = time.monotonic() - begun
        if done.returncode:
            raise SystemExit(f"{' '.join(command)} ended with status {done.returncode}: {done.stderr.decode()}")
        if answers is not None:
            answers.append(done.stdout.decode())
        line = next(line for line in Path(counted.name).read_text().splitlines() if "task-clock" in line)
    return Cost(float(line.split(",")[0]) / 1000, wall, max(memory, default=0.0))


@contextmanager
def watched() -> Iterator[list[float]]:
    """The peaks of the Python workers that are seen meanwhile, in MiB."""
    peaks: list[float] = []
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(0.1):
            peaks.extend(worker_peaks())

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield peaks
    finally:
        ended.set()
        watcher.join()


def worker_peaks() -> Iterator[float]:
    """VmHWM of each worker there is."""
    for place in Path("/proc").iterdir():
        try:
            if place.name.isdigit() and b"pyspark.daemon" in (place / "cmdline").read_bytes():
                status = (place / "status").read_text()
                yield int(status.partition("VmHWM:")[2].split()[0]) / 1024
        except (OSError, IndexError):
            continue


def marginal(log: Path, folder: Path, pairs: int) -> bool:
    """A log's race."""
    kind = log.name.split(".")[0]
    copies = []
    for number in range(COPIES):
        copy = folder / f"{kind}.{number + 1:06}"
        copy.symlink_to(log.resolve())
        copies.append(str(copy))
    ratios, memory = [], 0.0
    for pair in range(pairs):
        theirs = cost(*THEIRS, str(log)).cpu
        one = cost(*OURS, str(folder / f"{kind}-one-{pair}"), copies[0])
        all_of_them = cost(*OURS, str(folder / f"{kind}-all-{pair}"), *copies)
        ours = (all_of_them.cpu - one.cpu) / (COPIES - 1)
        ratios.append(ours / theirs)
        memory = max(memory, one.memory, all_of_them.memory)
        print(f"{kind}: {ours:.2f} s a copy, mariadb-binlog -vv {theirs:.2f} s", flush=True)  # noqa: T201
    good = judge(f"{kind}: ratio", statistics.median(ratios), LIMITS.get(kind, 1.0))
    return judge(f"{kind}: MiB of a worker", memory, MEMORY_LIMIT) and good


def judge(name: str, found: float, limit: float) -> bool:
    """Print a figure beside its limit."""
    good = found <= limit
    print(f"{name} {found:.3f} (limit {limit}){'' if good else '  TOO MUCH'}", flush=True)  # noqa: T201
    return good


def starts(folder: Path) -> bool:
    """A log of 1 KB, and nothing new after it."""
    log = folder / "small.000001"
    ShopLog().trade(6, rows=1).write(log)
    output = str(folder / "small")
    good = judge("start: CPU s", min(cost(*OURS, f"{output}{at}", str(log)).cpu for at in range(3)), START_LIMIT)
    return judge("nothing new: s", cost(*OURS, f"{output}0", str(log)).wall, NOTHING_LIMIT) and good


def tables(log: Path, folder: Path) -> bool:
    """A log of many tables."""
    output = folder / "tables"
    rows = int(log.name.split("-")[1].split(".")[0])
    small = folder / "one.000001"
    ShopLog().trade(1).write(small)
    start = cost(*OURS, str(folder / "start"), str(small)).cpu
    spent = cost(*OURS, str(output), str(log))
    files = sum(1 for path in output.rglob("*.parquet"))
    good = judge("tables: CPU s a million rows", (spent.cpu - start) / rows * 1e6, TABLES_LIMIT)
    good = judge("tables: files", files, FILES_LIMIT) and good
    return judge("tables: MiB of a worker", spent.memory, MEMORY_LIMIT) and good


def source(log: Path | None, tables_log: Path | None, folder: Path) -> bool:
    """Measure the data source."""
    small = folder / "small-logs"
    small.mkdir()
    for number in range(SMALL):
        made = ShopLog(first=number * 100 + 1, created=1_700_000_000 + number).trade(20, rows=2).stop()
        made.write(small / f"small.{number + 1:06}")
    session = read("count", "shop.orders", small / "small.000001")[0]
    spent, found, tasks = read("count", "shop.orders", small)
    good = judge(f"{SMALL} logs of {len(made.log)} bytes, {found} rows: CPU s", spent - session, SMALL_LIMIT)
    good = judge("tasks", tasks, TASKS_LIMIT) and good
    if log is not None:
        spent = marginal_read("load", "shop.orders", log, LOADED, folder)
        good = judge("load(): CPU s a GB", spent / (log.stat().st_size / 1e9), LOAD_LIMIT) and good
    if tables_log is not None:
        spent = marginal_read("count", "shop.table_007", tables_log, COUNTED, folder)
        good = judge("one table of 500: CPU s a copy", spent, COUNT_LIMIT) and good
    return good


def marginal_read(action: str, table: str, log: Path, count: int, folder: Path) -> float:
    """Return the CPU seconds that a further copy of a log adds to a session: the median of pairs, one copy and many."""
    copies = folder / action
    copies.mkdir()
    for number in range(count):
        (copies / f"log.{number + 1:06}").symlink_to(log.resolve())
    found = []
    for _ in range(RUNS):
        one, many = (read(action, table, path, 1)[0] for path in (copies / "log.000001", copies))
        found.append((many - one) / (count - 1))
    return statistics.median(found)


def read(action: str, table: str, path: Path, runs: int = RUNS) -> tuple[float, int, int]:
    """Return the least CPU seconds of sessions that load or count a table, the rows or columns found, and the tasks."""
    answers: list[str] = []
    spent = min(cost(*READ, action, table, str(path), answers=answers).cpu for _ in range(runs))
    print(f"{action} {table}: {spent:.2f} s, {answers[0].strip()}", flush=True)  # noqa: T201
    return spent, int(answers[0].split()[0]), int(answers[0].split()[1])


def make_tables(path: Path, rows: int) -> None:
    """A log of 500 tables of eight columns, single rows and small statements in turn, some tables more than others."""
    log = ShopLog()
    types, metadata = [LONG, LONG, LONGLONG, VARCHAR, VARCHAR, VARCHAR, LONG, LONG], u2(60) * 3
    written = 0
    number = 0
    while written < rows:
        number += 1
        table = min(number * 7919 % 5003 % TABLES, number * 104729 % 10007 % TABLES)
        name = f"table_{table:03}".encode()
        count = 1 + number % 10
        images = b"".join(
            b"\0"
            + struct.pack("<iiq", one, one % 100, one * 1_000_003)
            + b"".join(
                bytes([len(text)]) + text for text in (b"state", b"customer %d" % (one % 1000), b"note %d" % one)
            )
            + struct.pack("<ii", one % 7, one % 11)
            for one in range(written, written + count)
        )
        log.begin()
        log.add(TABLE_MAP, table_map(types, metadata, table=name, table_id=100 + table))
        log.add(WRITE_V1, rows_event(len(types), images, table_id=100 + table))
        log.commit()
        written += count
    log.stop().write(path)


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("logs", nargs="*", type=Path)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--tables", type=Path, metavar="LOG")
    parser.add_argument("--make-tables", type=Path, metavar="FOLDER")
    parser.add_argument("--source", action="store_true")
    parser.add_argument("--rows", type=int, default=2_000_000)
    options = parser.parse_args()
    if options.make_tables:
        make_tables(options.make_tables / f"tables-{options.rows}.000001", options.rows)
        return
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        good = [starts(folder)]
        good += [marginal(log, folder, options.pairs) for log in options.logs]
        if options.tables:
            good.append(tables(options.tables, folder))
        if options.source:
            good.append(source(next(iter(options.logs), None), options.tables, folder))
    sys.exit(not all(good))


if __name__ == "__main__":
    main()
