"""Connections that follow one another: none is left open, and the server can tell them apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from binlogcli.sources.protocol.requests import RegisterSlave
from support.fake_mariadb import FakeMariaDB
from support.network import url_of
from support.program import end, start, until


@pytest.mark.parametrize(("options", "count"), [([], 3), (["--connection-server-id", "77"], 1)])
def test_each_connection_has_a_server_id_of_its_own_unless_it_is_given(
    options: list[str], count: int, tmp_path: Path
) -> None:
    """A server that finds an old connection of the same id ends it; MariaDB then may wait for it forever."""
    ids = []

    def hang_up(server: FakeMariaDB) -> None:
        ids.append(RegisterSlave.parse(server.command).server_id)

    server = FakeMariaDB(hang_up)
    puller = start("pull", "--follow", "--output-dir", tmp_path, url_of(server.port), *options)
    assert until(lambda: len(ids) == 3)
    status, _, told = end(puller)
    server.close()
    assert status == 0, told
    assert len(set(ids)) == count
