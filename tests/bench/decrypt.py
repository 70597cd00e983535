"""CPU time and memory of `binlogcli decrypt` against `openssl enc -d` of the same size and cipher.

    python tests/bench/decrypt.py [--pairs N] LOG...

Each LOG, a plain one of MariaDB, is encrypted first (an event at a time: a minute for 250 MB). Both programs then run
in turn, each writing a file; what counts is the median of ours / theirs, user and system time. Ends with status 1 where
what comes out is not what went in, or a limit is not kept: 2.0 times, 4.0 where events are below 1 KiB on average.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[1])  # the tests' own modules

from bench.bench import MEMORY, OURS, cost  # noqa: E402
from encryptor import encrypt_mariadb, events  # noqa: E402

KEY = bytes(range(32))
SMALL_EVENTS = 1024
LIMIT, LIMIT_OF_SMALL = 2.0, 4.0


def race(log: Path, algorithm: str, pairs: int, directory: Path) -> bool:
    """One log under one cipher; whether the limits were kept."""
    plain = log.read_bytes()
    count = sum(1 for _ in events(plain))
    encrypted, sent = encrypt_mariadb(plain, KEY, algorithm)
    source, keys, target, theirs = (directory / name for name in ("log", "keys", "ours", "theirs"))
    source.write_bytes(encrypted)
    keys.write_text(f"1;{KEY.hex()}\n")
    keys.chmod(0o600)
    cipher = f"-aes-256-{algorithm[4:]}"
    openssl = ("openssl", "enc", "-d", cipher, "-nopad", "-K", KEY.hex(), "-iv", "00" * 16, "-in", str(source))
    ours = (*OURS, "decrypt", "--force", "--key-file", str(keys), "--output", str(target), str(source))
    ratios, memory = [], 0.0
    for _ in range(pairs):
        base = cost((*openssl, "-out", str(theirs)), (0, 1))  # of CBC it may find the last block wanting
        own = cost(ours)
        ratios.append(own.seconds / base.seconds)
        memory = max(memory, own.memory)
    ratio = statistics.median(ratios)
    limit = LIMIT_OF_SMALL if len(plain) / count < SMALL_EVENTS else LIMIT
    good = target.read_bytes() == sent and ratio <= limit and memory <= MEMORY
    sys.stdout.write(f"{log.name} {algorithm}: {ratio:.2f} of openssl (limit {limit}), {memory:.0f} MiB\n")
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("logs", nargs="+", type=Path, metavar="LOG")
    parser.add_argument("--pairs", type=int, default=3)
    options = parser.parse_args()
    good = True
    for log in options.logs:
        for algorithm in ("aes-cbc", "aes-ctr"):
            with tempfile.TemporaryDirectory() as directory:
                good &= race(log, algorithm, options.pairs, Path(directory))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
