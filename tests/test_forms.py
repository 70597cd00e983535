"""The compiled modules and the same files as plain Python are one program: same bytes, same messages, same status."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support.golden import GOLDEN, ROOT, golden_logs
from support.program import missing, run

SERVERS = sorted({path.relative_to(GOLDEN).parts[0] for path in golden_logs()})


@pytest.fixture(scope="module", autouse=True)
def installed() -> None:
    """The package that Python finds outside of the source tree has to be the compiled one."""
    version = run("--version", home=None, environment=outside(), cwd=Path("/")).stdout
    if b"(compiled" not in version:
        missing("no compiled binlogcli is installed")


def outside() -> dict[str, str]:
    """The environment without the source tree in the module path."""
    path = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    return {"PYTHONPATH": os.pathsep.join(entry for entry in path if entry and Path(entry).resolve() != ROOT)}


def both(*arguments: str | Path) -> None:
    """Run both forms, and compare all that a user sees of them."""
    compiled = run(*arguments, home=None, environment=outside(), cwd=Path("/"))
    plain = run(*arguments, home=ROOT, cwd=Path("/"))
    assert plain.stdout == compiled.stdout
    assert plain.stderr == compiled.stderr
    assert plain.returncode == compiled.returncode


def test_the_source_tree_is_not_compiled() -> None:
    assert b"not compiled" in run("--version", home=ROOT, cwd=Path("/")).stdout


@pytest.mark.parametrize("server", SERVERS)
def test_json_is_the_same_compiled_and_not(server: str) -> None:
    both("dump", "--format", "json", *(log for log in golden_logs() if GOLDEN / server in log.parents))


WAYS = {
    "text": ["dump"],
    "rows": ["dump", "-vv", "--base64-output=decode-rows", "--print-table-metadata"],
    "bytes": ["dump", "--hexdump", "-v"],
    "sql": ["dump", "--format", "sql"],
    "figures": ["stats"],
    "page": ["stats", "--html", "/dev/stdout"],
    "names": ["hexdump"],
    "tree": ["hexdump", "--json", "--max-bytes", "0"],
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("server", SERVERS)
def test_text_is_the_same_compiled_and_not(server: str, way: str) -> None:
    """Of the smaller logs; uncompiled, the large ones take minutes."""
    logs = [log for log in golden_logs() if GOLDEN / server in log.parents and log.stat().st_size < 16384]
    both(*WAYS[way], *logs)
