"""A damaged format description, told by every command with the same exit status."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.logs import MARIADB, MYSQL, rotated_log
from support.program import run

DAMAGED = 1
COMMANDS = [
    ("dump",),
    ("dump", "-vv"),
    ("dump", "--format", "json"),
    ("dump", "--format", "sql"),
    ("hexdump",),
    ("hexdump", "--json"),
    ("stats",),
    ("stats", "--format", "json"),
    ("decrypt", "--allow-plain", "--output", "-"),
]


@pytest.mark.parametrize("version", [MYSQL, MARIADB])
@pytest.mark.parametrize("field", ["type", "version", "algorithm"])
def test_every_command_tells_a_damaged_format_description(tmp_path: Path, version: str, field: str) -> None:
    log = rotated_log(version)
    end = log.starts[1]
    at = {"type": 8, "version": 25, "algorithm": end - 5}[field]
    log.log[at] ^= 0x10 if field == "version" else 1
    log.write(tmp_path / "log")
    for command in COMMANDS:
        done = run(*command, "log", cwd=tmp_path)
        said = done.stderr.decode()
        assert done.returncode == DAMAGED, (command, said)
        assert "log: at 4: " in said, command
        assert f"{end - 4} bytes" in said, command
    text = run("dump", "log", cwd=tmp_path).stdout.decode()
    assert "INSERT INTO t VALUES (1)\n/*!*/;" in text
    assert f"end_log_pos {len(log.log)}" in text
