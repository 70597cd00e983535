"""Types for which the tools have a line of their own, though they do not read them."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from support.bodies import u2, u8
from support.live_mariadb import need_program
from support.load_logs import OldLog
from support.logs import IGNORABLE, LogBuilder
from support.program import run

UUID = bytes(range(16))
GTIDS = u8(1) + UUID + u8(1) + u8(1) + u8(2)
OF_MYSQL = {
    "a GTID": (33, b"\1" + UUID + u8(7), 0),
    "an anonymous transaction": (34, b"\1" + UUID + u8(0), 0),
    "earlier GTIDs": (35, GTIDS, 0),
    "a transaction's context": (36, b"\4" + bytes(6) + bytes(12) + b"uuid", 0),
    "a view": (37, b"1:1".ljust(40, b"\0") + bytes(12), IGNORABLE),
    "a statement of rows": (29, b"\x08SELECT 1", IGNORABLE),
    "any ignorable event": (28, b"x", IGNORABLE),
    "a type of nobody": (99, b"x", IGNORABLE),
}


@pytest.mark.parametrize("what", OF_MYSQL)
def test_events_of_mysql_in_the_words_of_mariadbs_tool(what: str, tmp_path: Path) -> None:
    kind, body, flags = OF_MYSQL[what]
    LogBuilder().describe().add(kind, body, flags=flags).write(tmp_path / "log")
    tool = [need_program("mariadb-binlog"), "--no-defaults", "--force-read", str(tmp_path / "log")]
    theirs = subprocess.run(tool, capture_output=True, env={**os.environ, "TZ": "UTC"}, check=False).stdout
    ours = run("dump", "--dialect=mariadb", tmp_path / "log").stdout
    assert without_checksum(ours) == without_checksum(theirs)


def without_checksum(text: bytes) -> list[bytes]:
    """The lines without the last event's checksum, which the tool mistakes for a part of what it does not read."""
    return re.sub(rb"CRC32 0x[0-9a-f]{8}", b"", text).split(b"\n")


def test_where_a_replica_stood_is_a_comment(tmp_path: Path) -> None:
    log = OldLog().add(7, u8(98) + u2(3306) + b"db1\nDROP TABLE t;\0" + b"bin.001")
    (tmp_path / "log").write_bytes(log.log)
    for dialect in ("mysql", "mariadb"):
        text = run("dump", "--dialect", dialect, tmp_path / "log").stdout
        expected = (
            b"\n# Slave: master_host: 'db1\\nDROP TABLE t;'  master_port: 3306  master_log: 'bin.001'  master_pos: 98\n"
        )
        assert expected in text
