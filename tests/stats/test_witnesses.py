"""Files of a server beside its logs: what `stats` reads in them, and how other commands refuse them."""

from __future__ import annotations

import json
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest

from support.golden import GOLDEN
from support.live_mariadb import NetworkedMariaServer, server_available
from support.program import run, until

INDEX = GOLDEN / "mariadb-11.8" / "rotation" / "shop-bin.000003.idx"
LOG = GOLDEN / "mariadb-11.8" / "rotation" / "shop-bin.000003"
SECRET = "0pen_sesame"
UUID = "6b1d6b0a-3c1e-11ee-9d2b-0242ac110002"
# MySQL 8.4: 33 lines, the last one GTID_ONLY
MYSQL_SOURCE = f"""33,binlog.000007,158,db1,repl,{SECRET},3306,60,1,/ca.pem,,,,,0,30.000,,0,{UUID},86400,,,1,emea,,,1,,\
uncompressed,3,,0,0,""".replace(",", "\n")
MYSQL_56_SOURCE = f"""23,binlog.000007,158,db1,repl,{SECRET},3306,60,0,,,,,,0,1800.000,,0,{UUID},86400,,,1,""".replace(
    ",", "\n"
)
MARIADB_SOURCE = f"""33,shop-bin.000001,890,127.0.0.1,r,{SECRET},3306,60,0,,,,,,0,12.500,,2 7 8,,0,,,,,,,,,,,,,,\
using_gtid=2,do_domain_ids=2 0 3,ignore_domain_ids=0,END_MARKER,""".replace(",", "\n")
OLD_SOURCE = f"shop-bin.003\n98\ndb0\nrepl\n{SECRET}\n3306\n60\n"


def read(folder: Path, name: str, content: str | bytes, *, status: int = 0) -> dict[str, Any]:
    """Write a file, and return what `stats` reads in it."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    done = run("stats", "--json", path)
    assert done.returncode == status, done.stderr
    assert SECRET.encode() not in done.stdout + done.stderr
    report = json.loads(done.stdout)
    (section,) = report.keys() & {"servers", "gtids"}
    (found,) = report[section]["witnesses"]
    assert found["file"] == str(path)
    values: dict[str, Any] = found["values"]
    return values


def test_the_source_of_a_replica_of_mysql_is_read_without_its_password(tmp_path: Path) -> None:
    found = read(tmp_path, "master.info", MYSQL_SOURCE)
    assert {name: found[name] for name in ("source_log", "source_position", "host", "user", "port", "password")} == {
        "source_log": "binlog.000007",
        "source_position": 158,
        "host": "db1",
        "user": "repl",
        "port": 3306,
        "password": "(set, not shown)",
    }
    assert (found["source_uuid"], found["channel"], found["auto_position"], found["gtid_only"]) == (UUID, "emea", 1, 0)
    found = read(tmp_path, "master-emea.info", MYSQL_56_SOURCE)
    assert (found["connection"], found["source_uuid"], found["auto_position"]) == ("emea", UUID, 1)
    assert "channel" not in found
    assert read(tmp_path, "master.info", OLD_SOURCE)["host"] == "db0"


def test_the_source_of_a_replica_of_mariadb_is_read_with_its_tail(tmp_path: Path) -> None:
    found = read(tmp_path, "master-berlin.info", MARIADB_SOURCE)
    assert {name: found[name] for name in ("connection", "using_gtid", "do_domain_ids", "ignore_server_ids")} == {
        "connection": "berlin",
        "using_gtid": "Slave_Pos",
        "do_domain_ids": "0 3",
        "ignore_server_ids": "7 8",
    }
    assert not {"auto_position", "retry_count", "ignore_domain_ids"} & found.keys()


@pytest.mark.parametrize(
    ("content", "position"),
    [
        ("./relay-bin.000002\n4\nshop-bin.000001\n890\n", None),
        ("5\n./relay-bin.000002\n4\nshop-bin.000001\n890\n30\n", 30),
        ("7\n./relay-bin.000002\n4\nshop-bin.000001\n890\n0\n0\n1\n", 0),
        ("14\n./relay-bin.000002\n4\nshop-bin.000001\n890\n0\n4\n1\nemea\n\n\n0\n1\n1\n\n", 0),
    ],
)
def test_the_position_of_a_replica_is_read(tmp_path: Path, content: str, position: int | None) -> None:
    found = read(tmp_path, "relay-log.info", content)
    assert (found["relay_log"], found["relay_position"]) == ("./relay-bin.000002", 4)
    assert (found["source_log"], found["source_position"], found.get("delay")) == ("shop-bin.000001", 890, position)


def test_the_uuid_of_a_server_and_the_gtids_of_a_state_are_read(tmp_path: Path) -> None:
    assert read(tmp_path, "auto.cnf", f"[auto]\nserver-uuid={UUID}\n") == {"server_uuid": UUID}
    assert read(tmp_path, "shop-bin.state", "0-101-5\n1-102-77\n") == {"gtid_binlog_state": "0-101-5,1-102-77"}


def page(flags: int, records: bytes, *, size: int = 128, first: bool = False) -> bytes:
    """A page of a GTID index."""
    head = b"\xfe\xfe\x0c\x01\1\0\0\0" + size.to_bytes(4, "little") if first else b""
    content = (head + bytes([flags, 0, 0, 0]) + records).ljust(size - 4, b"\0")
    return content + zlib.crc32(content).to_bytes(4, "little")


def gtid(domain: int, server: int, number: int) -> bytes:
    return struct.pack("<IIQ", domain, server, number)


def record(position: int, count: int) -> bytes:
    return struct.pack("<II", count + 1, position)


def test_a_gtid_index_is_read_with_what_it_covers(tmp_path: Path) -> None:
    found = read(tmp_path, "shop-bin.000003.idx", INDEX.read_bytes())
    assert found == {
        "version": "1.0",
        "page_size": 4096,
        "pages": 1,
        "records": 1,
        "complete": "yes",
        "first_position": 299,
        "last_position": 299,
        "gtids_at_last_position": "0-101-9",
    }
    # a leaf over two pages, one more leaf, and the root above them
    pages = [
        page(
            1,
            record(299, 1)
            + gtid(0, 101, 9)
            + record(500, 1)
            + gtid(0, 101, 12)
            + record(900, 4)
            + gtid(0, 101, 13)
            + gtid(1, 101, 1)
            + gtid(2, 101, 6),
            first=True,
        ),
        page(1 | 2 | 4, gtid(2, 102, 7)),
        page(1 | 4, record(2000, 1) + gtid(0, 101, 20)),
        page(4 | 8, b"\1\0\0\0" + record(2000, 1) + gtid(0, 101, 20) + b"\2\0\0\0"),
    ]
    found = read(tmp_path, "x.idx", b"".join(pages))
    assert (found["records"], found["first_position"], found["last_position"]) == (4, 299, 2000)
    assert (found["gtids_at_last_position"], found["complete"]) == ("0-101-20,1-101-1,2-101-6,2-102-7", "yes")
    assert read(tmp_path, "x.idx", b"".join(pages[:3]))["complete"] == "no"
    damaged = bytearray(b"".join(pages))
    damaged[300] ^= 1
    assert read(tmp_path, "x.idx", bytes(damaged), status=1)["records"] == 3


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("master.info", MYSQL_SOURCE[:-40], " instead of 33 lines, one of which is the password: "),
        ("master.info", MYSQL_SOURCE.replace("db1\n", "db1"), "has 32 instead of 33 lines, "),
        ("master.info", MARIADB_SOURCE.replace("r\n", "r"), "has 32 instead of 33 lines, "),
        ("master.info", MARIADB_SOURCE[:-20], "is truncated: END_MARKER is missing"),
        ("relay-log.info", "7\n./relay-bin.000002\n4\nshop-bin.000001\n890\n", "is truncated: 6 of 8 lines"),
        ("a.idx", INDEX.read_bytes() + b"more", "is truncated within a page"),
        ("a.state", "0-101-5\n1-102-77\n1-1-99999999999999999999999\n", "has lines that are not GTIDs"),
    ],
)
def test_a_truncated_file_is_read_as_far_as_it_goes(
    tmp_path: Path, name: str, content: str | bytes, reason: str
) -> None:
    assert read(tmp_path, name, content, status=1)
    assert reason in run("stats", tmp_path / name).stderr.decode()


def test_files_are_shown_beside_the_sections_of_logs_and_refused_without_their_section(tmp_path: Path) -> None:
    info = tmp_path / "master.info"
    info.write_text(MARIADB_SOURCE)
    shown = run("stats", "--section", "servers", LOG, info).stdout.decode()
    assert "Servers\n  server id" in shown
    assert "password                (set, not shown)" in shown
    report = json.loads(run("stats", "--json", LOG, info, INDEX).stdout)
    assert (len(report["servers"]["witnesses"]), len(report["gtids"]["witnesses"])) == (1, 1)
    assert report["summary"]["files"] == 1
    for command in (("dump",), ("hexdump",), ("schema",), ("stats", "--section", "summary")):
        done = run(*command, info)
        words = "a replica's connection (master.info), not a binary log; read it with binlogcli stats --section servers"
        assert (done.returncode, done.stderr.decode()) == (2, f"binlogcli: {info}: {words}\n")


@pytest.mark.skipif(not server_available(), reason="no MariaDB server is installed")
def test_the_files_of_a_live_replica_say_what_it_replicates(tmp_path: Path) -> None:
    with NetworkedMariaServer(["--log-bin=shop-bin", "--server-id=101"]) as primary:
        primary.sql(f"CREATE USER r@'%' IDENTIFIED BY '{SECRET}'; GRANT REPLICATION SLAVE ON *.* TO r@'%'")
        primary.sql("CREATE DATABASE a; CREATE TABLE a.t (i INT PRIMARY KEY)")
        with NetworkedMariaServer(["--log-bin=copy-bin", "--server-id=102", "--relay-log=relay-bin"]) as replica:
            replica.sql(
                f"CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT={primary.port}, MASTER_USER='r', "
                f"MASTER_PASSWORD='{SECRET}', MASTER_USE_GTID=slave_pos; START SLAVE"
            )
            assert until((replica.datadir / "a").exists)
            replica.sql("STOP SLAVE")
            files = [replica.datadir / name for name in ("master.info", "relay-log.info")]
            report = json.loads(run("stats", "--json", *files).stdout)
        source, position = (one["values"] for one in report["servers"]["witnesses"])
        size = (primary.datadir / "shop-bin.000001").stat().st_size
        assert (source["source_log"], source["source_position"]) == ("shop-bin.000001", size)
        assert (source["port"], source["using_gtid"]) == (primary.port, "Slave_Pos")
        assert (position["source_log"], position["source_position"]) == ("shop-bin.000001", size)
