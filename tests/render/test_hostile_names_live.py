"""The output of `dump` for logs with hostile names, replayed by a real client: nothing but what is meant happens."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from render.test_hostile_names import DROP, DROP_THERE, FAMILIES
from support.live_mariadb import MariaServer, need_program, quoted, server_available
from support.logs import LogBuilder
from support.program import run

pytestmark = pytest.mark.skipif(not server_available(), reason="no MariaDB server is installed")


@pytest.fixture(scope="module")
def server() -> Iterator[MariaServer]:
    with MariaServer() as running:
        yield running


def replay(server: MariaServer, text: bytes, *options: str) -> None:
    """Give the text to the client, which continues after errors: also what comes after one is to do no harm."""
    command = [need_program("mariadb"), "--no-defaults", f"--socket={server.socket}", "--user=root", "--force"]
    subprocess.run([*command, *options], input=text, capture_output=True, check=False)


@pytest.mark.parametrize("client", [(), ("--binary-mode",)], ids=["text", "binary"])
@pytest.mark.parametrize("options", [("-vv",), ("-vv", "-H"), ("--format", "sql")], ids=["text", "hexdump", "sql"])
@pytest.mark.parametrize("name", [DROP, DROP_THERE], ids=["semicolon", "delimiter"])
@pytest.mark.parametrize("family", FAMILIES)
def test_a_name_drops_no_table(
    family: str, name: bytes, options: tuple[str, ...], client: tuple[str, ...], server: MariaServer, tmp_path: Path
) -> None:
    path = tmp_path / "log.000001"
    make: Callable[[bytes], LogBuilder] = FAMILIES[family]
    make(name).write(path)
    table = quoted(name.decode())
    server.sql(
        f"CREATE OR REPLACE DATABASE d; CREATE TABLE d.victim (a INT); CREATE OR REPLACE DATABASE {table};"
        f"CREATE TABLE d.{table} ({table} INT PRIMARY KEY)"
    )
    replay(server, run("dump", *options, path).stdout, *client)
    assert "victim" in server.sql("SHOW TABLES FROM d").split()
    if family == "mariadb" or "sql" in options:
        assert server.sql(f"SELECT * FROM d.{table}") == "5\n"
