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


def without_commands(value: Any) -> Any:
    """Return a report without the commands in it, which name the files and options of the run."""
    if isinstance(value, dict):
        return {key: without_commands(inner) for key, inner in value.items() if key != "command"}
    return [without_commands(inner) for inner in value] if isinstance(value, list) else value
