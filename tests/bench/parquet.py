"""CPU time of decoding a log into Arrow, and of writing it as Parquet, against `mariadb-binlog -vv` of the same log.

    python tests/bench/parquet.py [--pairs N] LOG...

No Spark: this is what each of its tasks does. Both programs run in turn; what counts is the median of ours / theirs,
user and system time of the whole process, without the start of ours. Ends with status 1 where a limit is not kept: they
leave the job itself a fifth of what it may take.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
sys.path = [str(HERE.parent), *(place for place in sys.path if place != str(HERE))]  # the tests' own modules

from bench.bench import DECODED, cost  # noqa: E402

SCRIPT = str(Path(__file__))
DECODE_LIMIT = 0.30
WRITE_LIMITS = {"oltp": 0.40, "bulk": 0.48}
WRITE_LIMIT = 0.50
MEMORY = 512  # MiB


def convert(log: str, directory: str | None) -> None:
    """Decode all of a log, and write a file for each table and one for the events."""
    import pyarrow.parquet as pq

    from binlogcli.lake.decode.split_decoder import decode_split
    from binlogcli.lake.model import Batch, LakeOptions, Split
    from binlogcli.lake.tables.parquet_options import writer_arguments

    writers: dict[object, pq.ParquetWriter] = {}
    for item in decode_split(Split(log), LakeOptions()):
        if directory is None or not isinstance(item, Batch):
            continue
        writer = writers.get(item.key)
        if writer is None:
            path = Path(directory, f"{len(writers)}.parquet")
            writer = pq.ParquetWriter(path, item.data.schema, **writer_arguments(item.data))
            writers[item.key] = writer
        writer.write_batch(item.data)
    for writer in writers.values():
        writer.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("logs", nargs="+", type=Path, metavar="LOG")
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--convert", choices=("decode", "write"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.convert:
        with tempfile.TemporaryDirectory() as directory:
            convert(str(options.logs[0]), directory if options.convert == "write" else None)
        return 0
    good = True
    for log in options.logs:
        good &= race(log, options.pairs)
    return 0 if good else 1


def race(log: Path, pairs: int) -> bool:
    """One log; whether the limits were kept."""
    ours = (sys.executable, "-P", SCRIPT, "--convert")
    with tempfile.TemporaryDirectory() as directory:
        small = Path(directory, "small")
        with log.open("rb") as file:
            small.write_bytes(file.read(4096))
        start = statistics.median(cost((*ours, "write", str(small))).seconds for _ in range(3))
    decoded, written, memory = [], [], 0.0
    for _ in range(pairs):
        theirs = cost((*DECODED, str(log))).seconds
        decoded.append((cost((*ours, "decode", str(log))).seconds - start) / theirs)
        own = cost((*ours, "write", str(log)))
        written.append((own.seconds - start) / theirs)
        memory = max(memory, own.memory)
    limit = WRITE_LIMITS.get(log.name.split(".")[0], WRITE_LIMIT)
    one, two = statistics.median(decoded), statistics.median(written)
    sys.stdout.write(
        f"{log.name}: Arrow {one:.3f} (limit {DECODE_LIMIT}), Parquet {two:.3f} (limit {limit}) of mariadb-binlog, "
        f"{theirs:.2f} s; {memory:.0f} MiB; start {start:.2f} s\n"
    )
    sys.stdout.flush()
    return one <= DECODE_LIMIT and two <= limit and memory <= MEMORY


if __name__ == "__main__":
    sys.exit(main())
