"""The logs of golden/."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "golden"


@cache
def golden_logs() -> list[Path]:
    """Return all logs of golden/, encrypted ones included, sorted by name."""
    return [
        info.parent / name
        for info in sorted(GOLDEN.glob("*/*/info.json"))
        for name in sorted(json.loads(info.read_text())["files"])
        if (info.parent / name).exists()
    ]


def golden_name(path: Path) -> str:
    """Return the name of a log in tests: mysql-8.4/xa/xa.000001."""
    return path.relative_to(GOLDEN).as_posix()
