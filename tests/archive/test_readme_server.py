"""The commands of README.md that need a server run as written, against one."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from support.golden import ROOT
from support.live_mariadb import NetworkedMariaServer, server_available
from support.network import HOST
from support.program import COMMAND, HOME

README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```sh server\n(.*?)```", README, re.DOTALL)
COMMANDS = [line for block in BLOCKS for line in block.splitlines()]

pytestmark = pytest.mark.skipif(not server_available(), reason="no MariaDB server is installed")


def test_the_commands_run(tmp_path: Path) -> None:
    program = tmp_path / "binlogcli"
    program.write_text('#!/bin/sh\nexec {} "$@"\n'.format(" ".join(f"'{word}'" for word in COMMAND)))
    program.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    variables = {**os.environ, "PATH": path, "PYTHONPATH": str(HOME), "TZ": "UTC", "HOME": str(tmp_path)}
    with NetworkedMariaServer() as server:
        server.sql("CREATE DATABASE shop; CREATE TABLE shop.t (id INT PRIMARY KEY); INSERT INTO shop.t VALUES (1), (2)")
        server.flush_logs()
        assert len(COMMANDS) == 4
        for command in COMMANDS:
            command = command.replace("mysql://repl@db1/", server.url)  # noqa: PLW2901
            command = command.replace("--host db1 --user repl", f"--host {HOST} --port {server.port} --user root")  # noqa: PLW2901
            shell = ["bash", "-o", "pipefail", "-c", command]
            done = subprocess.run(shell, cwd=tmp_path, env=variables, capture_output=True, check=False)
            assert (done.returncode, done.stderr) == (0, b""), command
            assert done.stdout
        assert (tmp_path / "archive" / "shop-bin.000001").read_bytes() == server.logs()[0].read_bytes()
