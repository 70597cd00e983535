"""The project's own logs: where they are, and which files beside them are logs."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "golden"


@cache
def golden_logs() -> list[Path]:
    """Every log in golden/, encrypted ones included, in the order of their names."""
    return [
        info.parent / name
        for info in sorted(GOLDEN.glob("*/*/info.json"))
        for name in sorted(json.loads(info.read_text())["files"])
        if (info.parent / name).exists()
    ]


def golden_name(path: Path) -> str:
    """A log as the tests call it: mysql-8.4/xa/xa.000001."""
    return path.relative_to(GOLDEN).as_posix()
