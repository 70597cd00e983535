"""Real logs with ground truth: the corpus beside the project, where it is there, and how to find what is in it."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpus"


@cache
def logs() -> list[Path]:
    """Every log that a server of the corpus wrote, and the odd ones."""
    return [*_of_scenarios(), *odd_logs()]


@cache
def odd_logs() -> list[Path]:
    """The logs of the servers' own test suites."""
    odd = CORPUS / "odd"
    files = sorted(odd.iterdir()) if odd.is_dir() else []
    return [path for path in files if path.suffix not in {".txt", ".gz", ".md"}]


def _of_scenarios() -> Iterator[Path]:
    for info in sorted(CORPUS.glob("*/*/info.json")):
        for name in sorted(json.loads(info.read_text())["files"]):
            yield info.parent / name


def name_of(path: Path) -> str:
    """A log as the tests call it."""
    return str(path.relative_to(CORPUS))


def beside(path: Path, ending: str) -> bytes | None:
    """What a file of ground truth beside a log says, packed or not; None where there is none."""
    plain = path.with_name(path.name + ending)
    if plain.exists():
        return plain.read_bytes()
    packed = path.with_name(path.name + ending + ".gz")
    return gzip.decompress(packed.read_bytes()) if packed.exists() else None
