"""A source and its replica, both MariaDB: each difference that was put in is found, and no other.

Most are put in so: the source marks a transaction, which its replica then leaves out, and another version of it is
run on the replica under the GTID of the first.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from support.live_mariadb import MariaServer, server_available
from support.network import free_port
from support.program import missing, run

EACH = 10
ON_LOOPBACK = ("--skip-networking=0", "--bind-address=127.0.0.1", "--binlog-format=ROW")
AS_REPLICA = (
    "--binlog-format=MIXED",  # a statement stays one
    *("--server-id=102", "--log-bin=replica-bin", "--log-slave-updates", "--relay-log=shop-relay"),
    *("--replicate-events-marked-for-skip=FILTER_ON_SLAVE", "--relay-log-purge=0", "--binlog-checksum=NONE"),
    *("--binlog-row-event-max-size=256", "--binlog-annotate-row-events=0", "--skip-slave-start"),
)
TABLES = """
CREATE DATABASE shop; USE shop;
CREATE TABLE orders (id INT PRIMARY KEY, qty INT, price DECIMAL(9,2), note VARCHAR(200), at DATETIME(3), KEY (qty));
CREATE TABLE nokey (a INT, b TEXT);
CREATE TABLE loose (a INT) ENGINE=MyISAM;
"""


@dataclass
class Pair:
    """Both servers, and the GTIDs of the transactions that were made to differ, by what is different."""

    source: MariaServer
    replica: MariaServer
    wanted: dict[str, set[str]] = field(default_factory=dict)

    def catch_up(self) -> None:
        file, position = self.source.sql("SHOW MASTER STATUS").split("\t")[:2]
        assert self.replica.sql(f"SELECT MASTER_POS_WAIT('{file}', {position}, 30)").strip() not in {"-1", "NULL"}

    def usual(self, first: int) -> None:
        """Run what replicates without a difference."""
        statements = [
            f"INSERT INTO orders VALUES {','.join(f'({at}, {at % 7}, 9.5, REPEAT({at}, 20), NOW(3))' for at in many)};"
            for many in (range(first, first + 30), range(first + 30, first + 40))
        ]
        statements += [f"UPDATE orders SET qty = qty + {at} WHERE id = {first + at};" for at in range(15)]
        statements += [f"INSERT INTO nokey VALUES ({at}, REPEAT('x', {at}));" for at in range(5)]
        statements += ["SET SESSION binlog_format = STATEMENT;", "SET @chosen = 5;"]
        statements += [f"UPDATE orders SET note = CONCAT(@chosen, id) WHERE id = {first + at};" for at in range(5)]
        statements += [f"DELETE FROM orders WHERE id BETWEEN {first + 30} AND {first + 33};"]
        statements += [f"CREATE TABLE t{first} LIKE nokey; ALTER TABLE t{first} ADD c INT; DROP TABLE t{first};"]
        statements += ["SET SESSION binlog_format = ROW; XA START 'x'; INSERT INTO nokey VALUES (1, 'xa');"]
        statements += ["XA END 'x'; XA PREPARE 'x'; XA COMMIT 'x';"]
        statements += ["BEGIN; INSERT INTO nokey VALUES (2, 'a'); SAVEPOINT s; INSERT INTO nokey VALUES (3, 'b');"]
        statements += ["INSERT INTO loose VALUES (1); ROLLBACK TO s; COMMIT;"]
        self.source.sql("".join(statements), "shop")

    def unlike(self, here: str, there: str | None) -> str:
        """Run a transaction on the source, and what the replica is to have in its place; return its GTID."""
        self.catch_up()
        gtid = self.source.sql(f"SET skip_replication = 1; {here}; SELECT @@last_gtid", "shop").split()[-1]
        if there is not None:
            self.catch_up()
            self.on_replica(gtid, there)
        return gtid

    def on_replica(self, gtid: str, text: str) -> None:
        domain, server, number = gtid.split("-")
        settings = f"SET gtid_domain_id = {domain}, server_id = {server}, gtid_seq_no = {number}, binlog_format = ROW;"
        self.replica.sql(f"{settings} {text}", "shop")

    def note(self, kind: str, gtid: str) -> None:
        self.wanted.setdefault(kind, set()).add(gtid)


def put_differences_in(pair: Pair, first: int) -> None:
    for at in range(first, first + EACH):
        key = 1_000_000 + at
        pair.note("only_in_a", pair.unlike(f"INSERT INTO nokey VALUES ({at}, 'missing')", None))
        pair.replica.sql(f"SET binlog_format = ROW; INSERT INTO loose VALUES ({at})", "shop")
        text = "INSERT INTO orders VALUES ({}, {}, 1, 'one', '2026-11-21')"
        pair.note("rows", pair.unlike(text.format(key, 5), text.format(key, 6)))
        text = "SET STATEMENT binlog_format = STATEMENT FOR INSERT INTO nokey SELECT {}, {}"
        pair.note("statements", pair.unlike(text.format(at, 1), text.format(at, 2)))
        text = (
            "SET binlog_format = STATEMENT; BEGIN; INSERT INTO nokey VALUES ({0}, 'o'); INSERT INTO loose VALUES ({0})"
        )
        pair.note("outcome", pair.unlike(f"{text.format(at)}; COMMIT", f"{text.format(at)}; ROLLBACK"))
        texts = [f"INSERT INTO nokey VALUES ({at}, '{word}')" for word in ("earlier", "later")]
        gtids = [pair.unlike(text, None) for text in texts]
        for gtid, text in reversed([*zip(gtids, texts, strict=True)]):
            pair.on_replica(gtid, text)
        pair.note("reordered", gtids[0])
        pair.note("reordered", gtids[1])
        pair.source.sql(f"INSERT INTO nokey VALUES ({at}, 'between')", "shop")


@pytest.fixture(scope="module")
def pair() -> Iterator[Pair]:
    if not server_available():
        missing("no MariaDB server here")
    port = free_port()
    with (
        MariaServer([*ON_LOOPBACK, f"--port={port}"]) as source,
        MariaServer([*ON_LOOPBACK, *AS_REPLICA, f"--port={free_port()}"]) as replica,
    ):
        found = Pair(source, replica)
        source.sql("CREATE USER repl@'127.0.0.1'; GRANT REPLICATION SLAVE ON *.* TO repl@'127.0.0.1'")
        replica.sql(
            f"CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT={port}, MASTER_USER='repl', MASTER_SSL=0, "
            "MASTER_SSL_VERIFY_SERVER_CERT=0, MASTER_USE_GTID=no; START SLAVE"
        )
        source.sql(TABLES)
        found.usual(0)
        put_differences_in(found, 0)
        found.usual(100)
        found.catch_up()
        replica.sql("STOP SLAVE; CHANGE MASTER TO MASTER_USE_GTID=slave_pos; START SLAVE")
        source.flush_logs()
        found.usual(200)
        put_differences_in(found, 200)
        found.usual(300)
        found.catch_up()
        yield found


def logs(server: MariaServer, index: str) -> list[Path]:
    return [server.datadir / Path(name).name for name in (server.datadir / index).read_text().split()]


def compare(*arguments: object) -> tuple[int, dict[str, Any], list[dict[str, Any]]]:
    done = run("compare", "--json", "--limit", "0", *map(str, arguments))
    assert b"Traceback" not in done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return done.returncode, lines[0], lines[1:]


def test_all_differences_are_found_by_gtid(pair: Pair) -> None:
    status, summary, lines = compare(
        *logs(pair.source, "shop-bin.index"), "--", *logs(pair.replica, "replica-bin.index")
    )
    found: dict[str, set[str]] = {}
    for line in lines:
        changes = {change["difference"] for change in line.get("changes", ())}
        kind = "outcome" if "outcome" in line else {"row": "rows", "statement": "statements"}.get("".join(changes))
        found.setdefault(kind or line["kind"], set()).add(line["gtid"])
    assert status == 1
    errant = found.pop("only_in_b")
    moved = found.pop("reordered")
    assert found == {kind: gtids for kind, gtids in pair.wanted.items() if kind != "reordered"}
    assert Counter(line["reason"] for line in lines if line["kind"] == "only_in_b") == {"errant": 2 * EACH}
    assert {gtid.split("-")[1] for gtid in errant} == {"102"}
    assert len(moved) == 2 * EACH
    assert moved <= pair.wanted["reordered"]
    assert summary["unknown"] == 0


def test_all_differences_are_found_by_content(pair: Pair) -> None:
    sides = (*logs(pair.source, "shop-bin.index"), "--", *logs(pair.replica, "replica-bin.index"))
    _, summary, lines = compare("--by", "content", *sides)
    assert (summary["only_in_a"], summary["only_in_b"], summary["reordered"]) == (2 * EACH, 2 * EACH, 2 * EACH)
    assert (summary["different"], summary["unknown"]) == (6 * EACH, 0)
    assert sum("outcome" in line for line in lines) == 2 * EACH


def test_the_relay_log_equals_the_logs_of_the_source(pair: Pair) -> None:
    pair.replica.sql("STOP SLAVE IO_THREAD")
    status, summary, lines = compare(
        *logs(pair.source, "shop-bin.index"), "--", *logs(pair.replica, "shop-relay.index")
    )
    assert (status, lines) == (0, [])
    assert summary["matched"] + summary["a"]["before_first_log_of_other"] == summary["a"]["transactions"]
    assert summary["matched"] > 100


def test_one_table_of_a_server_and_its_log_files(pair: Pair) -> None:
    address = f"mysql://root@127.0.0.1:{pair.source.sql('SELECT @@port').strip()}/?from=first"
    status, summary, _ = compare("-T", "shop.orders", pair.source.datadir / "shop-bin.index", "--", address)
    assert status == 0
    assert summary["matched"] > 100
    status, summary, lines = compare("-T", "shop.orders", address, pair.replica.datadir / "replica-bin.index")
    assert status == 1
    rows = [change for line in lines for change in line.get("changes", ()) if change["difference"] == "row"]
    assert {change["table"] for change in rows} == {"shop.orders"}
    assert len(rows) == 2 * EACH
    # statements may change any table of the database
    assert (summary["different"], summary["only_in_a"], summary["only_in_b"]) == (6 * EACH, 0, 0)
