"""What MySQL's newest tool says of logs that older servers wrote, and of what stands first in a part of one."""

from __future__ import annotations

import struct
from pathlib import Path

from support.bodies import query, u4, u8
from support.logs import LogBuilder
from support.program import run

UUID = bytes(range(16))
CLOCKS = b"\2" + u8(0) + u8(1)
CHARSETS = b"\4" + b"\xff\0" * 3
TIMESTAMP = (1_600_000_000_000_000).to_bytes(7, "little")
BEGIN, DROP = query(CHARSETS, text=b"BEGIN"), query(CHARSETS, text=b"DROP TABLE t")
SETS_ID = b"\2" + u8(49)


def lines(log: LogBuilder, folder: Path, *options: str) -> list[str]:
    """The text, line by line."""
    path = folder / "old.000001"
    path.write_bytes(log.log)
    return run("dump", *options, path).stdout.decode().split("\n")


def versions(body: bytes, folder: Path) -> set[str]:
    """What is said of the servers' versions for a GTID event that ends like this."""
    log = LogBuilder("8.0.11").describe().add(33, b"\1" + UUID + u8(7) + body)
    return {line.split("_server_version=")[1] for line in lines(log, folder) if "_server_version=" in line}


def test_a_gtid_without_times_has_servers_of_version_0(tmp_path: Path) -> None:
    """5.6 and 5.7."""
    assert versions(b"", tmp_path) == versions(CLOCKS, tmp_path) == {"0*//*!*/;"}


def test_a_gtid_with_times_and_no_version_has_servers_of_an_undefined_one(tmp_path: Path) -> None:
    """8.0.1 to 8.0.13."""
    assert versions(CLOCKS + TIMESTAMP, tmp_path) == {"999999*//*!*/;"}
    assert versions(CLOCKS + TIMESTAMP + b"\x7f", tmp_path) == {"999999*//*!*/;"}


def test_the_variables_of_load_data_wait_for_the_next_query(tmp_path: Path) -> None:
    status = struct.pack("<IIBHH", 9, 3, 4, 0, len(CHARSETS)) + struct.pack("<IIIB", 1, 9, 25, 0) + CHARSETS
    log = LogBuilder().describe().add(2, BEGIN).add(5, SETS_ID).add(17, u4(1) + b"1\n")
    log.add(18, status + b"shop\0LOAD DATA INFILE 'x' INTO TABLE t").add(16, u8(5)).add(2, DROP)
    said = [line for line in lines(log, tmp_path) if line.startswith(("SET INS", "LOAD", "DROP", "COM"))]
    load = "LOAD DATA LOCAL INFILE './SQL_LOAD_MB-1-0' INTO TABLE t"
    assert said == [load, "COMMIT/*!*/;", "SET INSERT_ID=49/*!*/;", "DROP TABLE t"]


def test_user_variables_have_their_character_sets_before_any_is_known(tmp_path: Path) -> None:
    number = b"\0\2" + u4(8) + u4(8) + u8(1)
    log = LogBuilder().describe().add(14, u4(1) + b"a\1").add(14, u4(1) + b"b" + number).add(2, DROP)
    said = [line for line in lines(log, tmp_path) if "character_set_client" in line or "SET @`" in line]
    charsets = "SET @@session.character_set_client={},@@session.collation_connection={},@@session.collation_server={}"
    assert said == [
        charsets.format(33, 33, 33) + "/*!*/;",
        "SET @`a`:=NULL/*!*/;",
        charsets.format(33, 8, 33) + "/*!*/;",
        "SET @`b`:=1/*!*/;",
        charsets.format(255, 255, 255) + "/*!*/;",
    ]


def test_a_statement_that_is_not_chosen_leaves_a_commit_also_behind_an_xa_transaction(tmp_path: Path) -> None:
    gtid = b"\1" + UUID + u8(7) + CLOCKS
    log = LogBuilder("5.7.44").describe().add(33, gtid).add(2, query(CHARSETS, text=b"XA START X'61',X'',1"))
    log.add(2, query(CHARSETS, text=b"XA END X'61',X'',1")).add(38, b"\0" + u4(1) + u4(1) + u4(0) + b"a")
    log.add(33, gtid).add(2, query(CHARSETS, b"other", b"DROP TABLE x")).add(33, gtid).add(2, DROP)
    said = [line for line in lines(log, tmp_path, "--database=shop") if line.startswith(("XA ", "COM", "DROP", "ROLL"))]
    assert said == [
        *("XA START X'61',X'',1", "XA END X'61',X'',1", "XA PREPARE X'61',X'',1"),
        *("COMMIT /* added by mysqlbinlog *//*!*/;", "DROP TABLE t", "ROLLBACK /* added by mysqlbinlog */ /*!*/;"),
    ]
