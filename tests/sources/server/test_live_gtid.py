"""Streams of a live server by GTIDs, and what else says where a stream begins, ends, and who asks for it."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from binlogcli.cli.environment import compiled
from support.json_lines import without_names
from support.live_mariadb import NetworkedMariaServer, server_available
from support.network import url_of
from support.program import run, start, until
from support.proxy import Proxy

DOMAINS = (0, 1, 7)
CUTS = 12

pytestmark = [
    pytest.mark.skipif(not server_available(), reason="no MariaDB server is installed"),
    pytest.mark.skipif(not compiled(), reason="what differs by form has tests of both in test_groups"),
]


@pytest.fixture(scope="module")
def server() -> Iterator[NetworkedMariaServer]:
    """Three logs of transactions of three domains by turns, of very different sizes."""
    chance = random.Random(8)
    with NetworkedMariaServer() as server:
        server.sql("CREATE DATABASE shop; CREATE TABLE shop.t (id INT AUTO_INCREMENT PRIMARY KEY, note LONGTEXT)")
        for _ in range(3):
            server.sql("".join(transaction(chance) for _ in range(150)), "shop")
            server.flush_logs()
        yield server


def transaction(chance: random.Random) -> str:
    size = chance.choice((1, 10, 100, 1000, 4000))
    insert = f"INSERT INTO t (note) SELECT REPEAT('{size}', {size}) FROM seq_1_to_{chance.randint(1, 3)};"
    return f"SET gtid_domain_id = {chance.choice(DOMAINS)}; {insert}"


def dumped(*arguments: str) -> list[dict[str, Any]]:
    done = run("dump", "--format", "json", *arguments)
    assert (done.returncode, done.stderr.decode()) == (0, "")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return [{name: value for name, value in line.items() if name != "file"} for line in lines]


def in_files(server: NetworkedMariaServer) -> list[dict[str, Any]]:
    """The events of all transactions that are in the server's own logs."""
    found = []
    for log in server.logs():
        found += [line for line in dumped(str(log)) if line.get("transaction")]
    return found


def of_transactions(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Without what stands otherwise in a stream: where an event begins in it."""
    moved = ("pos", "end_pos", "offset", "start", "end", "position")
    return [
        {name: value for name, value in without_names(line).items() if name not in moved}
        for line in lines
        if line.get("transaction")
    ]


def state_after(server: NetworkedMariaServer, groups: int) -> tuple[str, list[dict[str, Any]]]:
    """The GTIDs of each domain after so many transactions, and the events that follow."""
    known: dict[int, str] = {}
    lines = in_files(server)
    starts = [at for at, line in enumerate(lines) if line["type"] == "GTID_EVENT"]
    for at in starts[:groups]:
        gtid = lines[at]["transaction"]["gtid"]
        known[int(gtid.split("-")[0])] = gtid
    return ",".join(known.values()), lines[starts[groups] :]


@pytest.mark.parametrize(("groups", "cuts"), [(3, 0), (60, CUTS), (200, CUTS)])
def test_after_gtids_of_several_domains_nothing_comes_twice_and_nothing_is_lost(
    server: NetworkedMariaServer, groups: int, cuts: int
) -> None:
    gtids, expected = state_after(server, groups)
    chance = random.Random(groups)
    with Proxy(server.port) as proxy:
        if cuts:
            proxy.cut_after(*(chance.randrange(100_000, 250_000) for _ in range(cuts)))
        found = dumped(f"{url_of(proxy.port)}?gtid={gtids}")
        assert (proxy.connections > 1) == bool(cuts)
    assert of_transactions(found) == of_transactions(expected)


def test_from_no_gtid_on_all_comes_and_a_break_changes_nothing(server: NetworkedMariaServer) -> None:
    with Proxy(server.port) as proxy:
        proxy.cut_after(100_000, 500, 120_000)
        found = dumped(f"{url_of(proxy.port)}?gtid=")
    assert found == dumped(f"{server.url}?gtid=")
    assert of_transactions(found) == of_transactions(in_files(server))


def test_a_stream_by_gtid_that_never_stops_goes_on_after_a_break(server: NetworkedMariaServer) -> None:
    before = server.sql("SELECT @@gtid_binlog_pos").strip()
    with Proxy(server.port) as proxy:
        reader = start("dump", "--format", "json", "--stop-never", f"{url_of(proxy.port)}?gtid={before}")
        assert reader.stdout is not None
        notes = []
        for number in range(4):
            server.sql(f"INSERT INTO t (note) VALUES ('after {number}')", "shop")
            for line in reader.stdout:
                rows = json.loads(line)["body"].get("rows")
                if rows:
                    notes.append(list(rows[0]["after"].values())[-1])
                    break
            proxy.cut()
        assert proxy.connections >= 2
        reader.kill()
        reader.communicate()
    assert notes == [f"after {number}" for number in range(4)]


def test_the_server_is_told_the_id_that_was_given(server: NetworkedMariaServer) -> None:
    reader = start("dump", "--stop-never", "--connection-server-id", "4711", f"{server.url}?from=first")
    assert until(lambda: "slave_server(4711)" in server.error_log.read_text(errors="replace"))
    reader.kill()
    reader.communicate()
