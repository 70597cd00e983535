"""Real logs with ground truth, and documented bytes: where they lie beside the clone; otherwise their tests are "
"skipped."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from support.golden import ROOT

BESIDE = ROOT.parent / "shared"
CORPUS = BESIDE / "corpus"
NO_EXAMPLES = "no examples beside the project"


@cache
def examples() -> list[dict[str, Any]]:
    """Return the examples of the formats' documents, each with its name, kind and bytes in hex."""
    path = BESIDE / "format" / "examples.json"
    return list(json.loads(path.read_text())) if path.exists() else []


@cache
def logs() -> list[Path]:
    """Return the logs of all servers of the corpus, and the odd ones."""
    return [*_of_scenarios(), *odd_logs()]


@cache
def odd_logs() -> list[Path]:
    """Return the logs of the servers' own test suites."""
    odd = CORPUS / "odd"
    files = sorted(odd.iterdir()) if odd.is_dir() else []
    return [path for path in files if path.suffix not in {".txt", ".gz", ".md"}]


def _of_scenarios() -> Iterator[Path]:
    for info in sorted(CORPUS.glob("*/*/info.json")):
        for name in sorted(json.loads(info.read_text())["files"]):
            yield info.parent / name


def name_of(path: Path) -> str:
    """Return the name of a log in tests: its path below the corpus."""
    return str(path.relative_to(CORPUS))


def beside(path: Path, ending: str) -> bytes | None:
    """Return the content of a file beside a log, unpacked; None if there is no such file."""
    plain = path.with_name(path.name + ending)
    if plain.exists():
        return plain.read_bytes()
    packed = path.with_name(path.name + ending + ".gz")
    return gzip.decompress(packed.read_bytes()) if packed.exists() else None
