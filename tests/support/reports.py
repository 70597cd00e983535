"""Reports of `stats` on the logs of a server that rotated its log."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from support.golden import GOLDEN
from support.program import run

CHAIN = GOLDEN / "mariadb-11.8" / "rotation"


def stats(*arguments: str | Path, status: int = 0) -> dict[str, Any]:
    done = run("stats", "--format", "json", *arguments)
    assert done.returncode == status, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def kinds(report: dict[str, Any]) -> list[str]:
    return [row["kind"] for row in report["problems"]]


def chain() -> list[Path]:
    return sorted(path for path in CHAIN.glob("shop-bin.0*") if path.suffix[1:].isdigit())
