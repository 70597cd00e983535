"""CPU time and memory of `binlogcli decrypt` against `openssl enc -d` of the same size and cipher.

    python tests/bench/decrypt.py [--pairs N] LOG...

Each LOG, a plain one of MariaDB, is encrypted first (an event at a time: a minute for 250 MB). Both programs then run
in turn, each writing a file; what counts is the median of ours / theirs, user and system time. Ends with status 1 where
what comes out is not what went in, or a limit is not kept: 2.0 times, 4.0 where events are below 1 KiB on average.
"""

from __future__ import annotations

import argparse
import hashlib
import statistics
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[1])  # the tests' own modules

from bench.bench import MEMORY, OURS, cost  # noqa: E402
from support.encrypted_logs import encrypt_mariadb  # noqa: E402
from support.logs import raw_events  # noqa: E402

KEY = bytes(range(32))
SMALL_EVENTS = 1024
LIMIT, LIMIT_OF_SMALL = 2.0, 4.0


def encrypt(log: Path, algorithm: str, source: Path) -> tuple[bytes, float]:
    """Write the encrypted log; the digest of what is to come out of it, and the limit for events of its size.

    This runs in a process of its own: the peak of a program begins with that of the process that started it.
    """
    plain = log.read_bytes()
    count = sum(1 for _ in raw_events(plain))
    encrypted, sent = encrypt_mariadb(plain, KEY, algorithm)
    source.write_bytes(encrypted)
    return hashlib.sha256(sent).digest(), LIMIT_OF_SMALL if len(plain) / count < SMALL_EVENTS else LIMIT


def race(log: Path, algorithm: str, pairs: int, directory: Path) -> bool:
    """One log under one cipher; whether the limits were kept."""
    source, keys, target, theirs = (directory / name for name in ("log", "keys", "ours", "theirs"))
    with ProcessPoolExecutor(1) as pool:
        digest, limit = pool.submit(encrypt, log, algorithm, source).result()
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
    with target.open("rb") as file:
        good = hashlib.file_digest(file, "sha256").digest() == digest and ratio <= limit and memory <= MEMORY
    figures = f"{ratio:.2f} of openssl (limit {limit}), {memory:.0f} MiB"
    sys.stdout.write(f"{log.name} {algorithm}: {figures}{'' if good else '  NOT KEPT'}\n")
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
