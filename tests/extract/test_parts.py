"""What is written of a transaction: all of it, the rows of one table, what is left after damage."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from extract.shop import ONE, Run, Shop, kinds
from support.bodies import WRITE_V1, query, rows_event, u4, u8
from support.log_structure import FORMAT_DESCRIPTION, form_of
from support.logs import GTID_MARIADB, QUERY, TABLE_MAP, XID, LogBuilder, raw_event, rotated_log
from support.program import run

if TYPE_CHECKING:
    import pytest

RELAY_LOG = 0x40  # LOG_EVENT_RELAY_LOG_F
PARTIAL_ROW_DATA = 172
INTVAR, BEGIN_LOAD, EXECUTE_LOAD, ANNOTATE, GTID_LIST, CHECKPOINT = 5, 17, 18, 160, 163, 161


def flags_of_rows(path: str) -> list[tuple[int, int]]:
    events = form_of(Path(path).read_bytes()).events
    return [(int.from_bytes(event[19:25], "little"), event[25]) for event in events if event[4] == WRITE_V1]


HEAD = [15, GTID_LIST, CHECKPOINT]


def test_rows_of_one_table_have_their_frame_map_text_and_the_end_of_their_statement(
    tmp_path: Path, extract: Run
) -> None:
    log = Shop().begin()
    log.add(ANNOTATE, b"UPDATE a, b")
    log.map("a").map("b").rows("a", last=False).rows("b", last=False).rows("a", last=False).rows("b").commit()
    log.begin().map("b").rows("b").commit().write(tmp_path / "log")
    assert extract("-o", "out", "-T", "shop.a", "log") == ""
    assert kinds("out") == [GTID_MARIADB, ANNOTATE, TABLE_MAP, WRITE_V1, WRITE_V1, XID]
    assert flags_of_rows("out") == [(97, 0), (97, 1)]
    assert extract.report[0]["gtids"] == "0-101-1"


def test_variables_and_files_go_with_their_statements(tmp_path: Path, extract: Run) -> None:
    log = Shop().begin()
    for number, database in ((1, b"shop"), (2, b"other")):
        log.add(BEGIN_LOAD, u4(number) + b"1\n")
        log.add(INTVAR, b"\2" + u8(7))
        load = query(db=database, text=b"LOAD DATA INFILE '' INTO TABLE t")
        log.add(EXECUTE_LOAD, load[:13] + u4(number) + u4(17) + u4(19) + b"\0" + load[13:])
    log.commit().write(tmp_path / "log")
    assert extract("-o", "out", "-d", "other", "log") == ""
    assert kinds("out") == [GTID_MARIADB, BEGIN_LOAD, INTVAR, EXECUTE_LOAD, XID]
    assert u4(2) in form_of(Path("out").read_bytes()).events[4][19:23]


def test_a_transaction_is_written_whole_if_one_of_its_events_is_chosen(tmp_path: Path, extract: Run) -> None:
    log = Shop().begin().map("a").rows("a").map("b").rows("b").commit().begin().map("b").rows("b").commit()
    log.write(tmp_path / "log")
    second = log.starts[4]  # the table map of b
    assert extract("-o", "out", "-j", str(second), "--stop-position", str(second + 1), "log") == ""
    assert kinds("out") == [GTID_MARIADB, TABLE_MAP, WRITE_V1, TABLE_MAP, WRITE_V1, XID]
    assert extract("-o", "last", "--last", "1", "log") == ""
    assert extract.report[0]["gtids"] == "0-101-2"
    assert extract("-o", "first", "--limit", "1", "log") == ""
    assert extract.report[0]["sources"] == [
        {"file": "log", "first_position": log.starts[1], "last_position": log.starts[7]}
    ]


def test_transactions_are_chosen_by_what_their_ends_tell_and_from_a_stream(tmp_path: Path, extract: Run) -> None:
    log = Shop().begin().map("a").rows("a").commit().begin().map("b").rows("b").map("b").rows("b").commit()
    log.write(tmp_path / "log")
    for choice in (("--xid", 2), ("--min-rows", 2), ("--transaction-at", log.starts[6]), ("--min-size", "220")):
        assert extract("-o", "out", "--force", *choice, "log") == ""
        assert extract.report[0]["gtids"] == "0-101-2"
    done = run("extract", "-o", "-", "--xid", "2", "-", given=bytes(log.log))
    assert (done.returncode, done.stderr) == (0, b"")
    assert form_of(done.stdout).kinds.count(XID) == 1


def test_what_came_before_is_what_the_log_says_and_what_was_read(tmp_path: Path, extract: Run) -> None:
    log = Shop()
    log.add(GTID_LIST, u4(2) + u4(0) + u4(7) + u8(3) + u4(5) + u4(101) + u8(9))
    for _ in range(3):
        log.begin().map("a").rows("a").commit()
    log.write(tmp_path / "log")
    extract("-o", "out", "--include-gtids", "0-101-3", "log")
    before = form_of(Path("out").read_bytes()).events[1][19:-4]
    gtids = [(0, 7, 3), (0, 101, 2), (5, 101, 9)]
    assert before == u4(3) + b"".join(u4(domain) + u4(server) + u8(number) for domain, server, number in gtids)


def test_a_transaction_without_an_end_is_left_out(tmp_path: Path, extract: Run) -> None:
    log = Shop().begin().map("a").rows("a").begin().map("a").rows("a").commit().begin().map("a")
    log.write(tmp_path / "log")
    said = extract("-o", "out", "log", status=1)
    reason = (
        "the transaction that starts here is left out: {}, and it may not have been committed; dump shows its events"
    )
    assert said == "".join(
        f"binlogcli: log: at {at}: {reason.format(why)}\n"
        for at, why in (
            (log.starts[1], "the next transaction begins before it ends"),
            (log.starts[8], "the log ends before the transaction does"),
        )
    )
    assert extract.report[0]["gtids"] == "0-101-2"


def test_rows_whose_table_map_is_lost_are_left_out(tmp_path: Path, extract: Run) -> None:
    log = Shop().begin().map("a").rows("a").commit().begin().map("a").spoil().rows("a").map("b").rows("b").commit()
    log.write(tmp_path / "log")
    lines = extract("-o", "out", "log", status=1).splitlines()
    assert len(lines) == 3
    assert "checksum mismatch" in lines[0]
    at = log.starts[7]
    hint = "--infer-maps looks for another table map of the same id"
    lost = "the table map of these rows (5 bytes, table id 97) is lost: they are left out"
    assert lines[1] == f"binlogcli: log: at {at}: {lost}; {hint}"
    damaged = "parts of the transaction that starts here are damaged: it is written without them"
    assert lines[2] == f"binlogcli: log: at {log.starts[5]}: {damaged}"
    assert flags_of_rows("out") == [(97, 1), (98, 1)]


def test_a_lost_table_map_is_inferred_and_said(tmp_path: Path, extract: Run) -> None:
    log = Shop().begin().map("a").spoil().rows("a").commit().begin().map("a").rows("a").commit()
    log.write(tmp_path / "log")
    lines = extract("-o", "out", "--infer-maps", "log", status=1).splitlines()
    proof = "same table id 97, 1 column, rows readable to their last byte"
    found = f"the rows of shop.a were given the table map at {log.starts[6]} of log ({proof}), as their own is lost"
    assert lines[-1] == f"binlogcli: log: at {log.starts[3]}: {found}"
    assert kinds("out") == [GTID_MARIADB, TABLE_MAP, WRITE_V1, XID] * 2
    inferred: list[dict[str, Any]] = extract.report[0]["inferred_maps"]
    assert inferred == [
        {
            "position": log.starts[3],
            "table_id": 97,
            "database": "shop",
            "table": "a",
            "file": "log",
            "found_at": log.starts[6],
            "proof": proof,
        }
    ]


def test_no_table_map_is_inferred_that_does_not_fit_or_is_not_the_only_one(tmp_path: Path, extract: Run) -> None:
    log = Shop().begin().map("a").spoil().rows("a").commit()
    log.begin().map("b").spoil().rows("b", width=2, row=ONE + u4(2)).commit().begin().map("b").rows("b").commit()
    log.begin().map("c").spoil().rows("c").commit()
    log.begin().map("c").rows("c").map("d", table_id=ord("c")).rows("c").commit().write(tmp_path / "log")
    said = extract("-o", "out", "--infer-maps", "log", status=1)
    assert "no other table map has the id 97; dump shows them" in said
    assert "the table maps with the id 98 do not fit these rows" in said
    assert "2 different table maps with the id 99 fit these rows" in said
    assert extract.report[0]["inferred_maps"] == []
    assert flags_of_rows("out") == [(98, 1), (99, 1), (99, 1)]


def test_a_map_of_before_the_servers_start_is_not_used(tmp_path: Path, extract: Run) -> None:
    Shop().begin().map("a").rows("a").commit().write(tmp_path / "log.000001")
    Shop().begin().map("a").spoil().rows("a").commit().write(tmp_path / "log.000002")
    said = extract("-o", "out", "--infer-maps", "log.000001", "log.000002", status=1)
    assert "no other table map has the id 97" in said


def test_both_parts_of_an_xa_transaction_are_written(tmp_path: Path, extract: Run) -> None:
    log = LogBuilder().describe()
    for text in (b"XA START X'61',X'',1", b"INSERT INTO t VALUES (1)", b"XA END X'61',X'',1"):
        log.add(QUERY, query(text=text))
    log.add(38, b"\0" + u4(1) + u4(1) + u4(0) + b"a")
    log.add(QUERY, query(text=b"BEGIN")).add(QUERY, query(text=b"INSERT INTO u VALUES (1)")).add(XID, u8(1))
    log.add(QUERY, query(text=b"XA COMMIT X'61',X'',1"))
    log.write(tmp_path / "log")
    both = [QUERY, QUERY, QUERY, 38, QUERY]
    assert extract("-o", "by-statement", "--grep", "INTO t", "log") == ""
    assert form_of(Path("by-statement").read_bytes()).kinds[1:] == both
    assert extract("-o", "by-commit", "-j", str(log.starts[8]), "log") == ""
    assert form_of(Path("by-commit").read_bytes()).kinds[1:] == both
    assert extract("-o", "neither", "--grep", "INTO u", "log") == ""
    assert form_of(Path("neither").read_bytes()).kinds[1:] == [QUERY, QUERY, XID]


def test_a_log_without_its_head_gets_one_that_fits(tmp_path: Path, extract: Run) -> None:
    log = Shop().begin().map("a").rows("a").commit().begin().map("a").rows("a").commit()
    (tmp_path / "log").write_bytes(log.log[log.starts[1] :])
    said = extract("-o", "out", "log")
    assert "the log has no format description that can be read: one that fits its events is written instead" in said
    assert kinds("out") == [GTID_MARIADB, TABLE_MAP, WRITE_V1, XID] * 2
    assert b"10.11.0-MariaDB-assumed" in Path("out").read_bytes()


def test_a_transaction_that_does_not_fit_into_the_temporary_directory(
    tmp_path: Path, extract: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    Shop().begin().map("a").rows("a").commit().write(tmp_path / "log")

    def full() -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("binlogcli.extract.unit._IN_MEMORY", 100)
    monkeypatch.setattr("tempfile.TemporaryFile", full)
    assert extract("-o", "out", "log", status=2) == (
        "binlogcli: a large transaction does not fit into the temporary directory: no space left on device; "
        "free some space, or set TMPDIR to a directory with more\n"
    )
    assert not Path("out").exists()


def test_a_long_transaction_is_in_a_file(tmp_path: Path, extract: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Shop().begin().map("a").map("b").rows("a", last=False).rows("b").map("a").rows("a").commit().write(tmp_path / "log")
    for name in ("long", "short"):
        assert extract("-o", name, "--split", "table", "log") == ""
        monkeypatch.setattr("binlogcli.extract.unit._IN_MEMORY", 300)
    made = [sorted(Path(name).iterdir()) for name in ("long", "short")]
    assert [path.read_bytes() for path in made[0]] == [path.read_bytes() for path in made[1]]


def test_logs_of_both_families_are_not_joined(tmp_path: Path, extract: Run) -> None:
    Shop().begin().map("a").rows("a").commit().write(tmp_path / "maria")
    rotated_log().write(tmp_path / "mysql")
    assert extract("-o", "out", "maria", "mysql", status=2) == (
        "binlogcli: mysql: the log has another format than the logs before it, and cannot be joined to them; "
        "pass it in a separate run, or a directory to -o\n"
    )
    Path("both").mkdir()
    assert extract("-o", "both", "maria", "mysql") == ""
    assert sorted(path.name for path in Path("both").iterdir()) == ["maria", "mysql"]


def test_a_transaction_over_two_relay_logs_is_one(tmp_path: Path, extract: Run) -> None:
    first, second = Shop(), Shop()
    for log in (first, second):
        log.log[21] |= RELAY_LOG
        log.log[252:256] = bytes(4)
    first.begin().map("a").rows("a").write(tmp_path / "relay.000001")
    second.map("b").rows("b").commit().begin().map("c").rows("c").commit().write(tmp_path / "relay.000002")
    assert extract("-o", "out", "--no-verify", "relay.000001", "relay.000002") == ""
    assert kinds("out") == [
        GTID_MARIADB,
        TABLE_MAP,
        WRITE_V1,
        TABLE_MAP,
        WRITE_V1,
        XID,
        GTID_MARIADB,
        TABLE_MAP,
        WRITE_V1,
        XID,
    ]
    assert [one["file"] for one in extract.report[0]["sources"]] == ["relay.000001", "relay.000002"]
    said = extract("-o", "half", "--no-verify", "relay.000001", status=1)
    assert "is left out: the log ends before the transaction does" in said


def test_events_that_are_carved_out_of_a_file_become_a_log(tmp_path: Path, extract: Run) -> None:
    log = Shop().begin().map("a").rows("a").commit().begin().map("b").rows("b").commit()
    (tmp_path / "disk").write_bytes(bytes(range(256)) * 9 + log.log[log.starts[1] :] + b"\x55" * 999)
    said = extract("-o", "out", "--carve", "disk")
    assert "one that fits its events is written instead" in said
    assert kinds("out") == [GTID_MARIADB, TABLE_MAP, WRITE_V1, XID] * 2
    assert "is also an input" in extract("-o", "disk", "--force", "--carve", "disk", status=2)


def test_a_transaction_whose_end_is_lost_is_not_joined_to_the_next(tmp_path: Path, extract: Run) -> None:
    log = LogBuilder().describe()
    for number in (1, 2):
        log.add(QUERY, query(text=b"BEGIN")).add(QUERY, query(text=b"INSERT INTO t VALUES (%d)" % number))
        log.add(XID, u8(number))
        if number == 1:
            log.log[log.starts[-1] + 19] ^= 0xFF
    log.write(tmp_path / "log")
    said = extract("-o", "out", "log", status=1)
    assert f"at {log.starts[1]}: the transaction that starts here is left out: the next transaction begins" in said
    assert form_of(Path("out").read_bytes()).kinds == [FORMAT_DESCRIPTION, QUERY, QUERY, XID]
    assert b"VALUES (2)" in Path("out").read_bytes()


def test_fragments_of_rows_go_with_their_table(tmp_path: Path, extract: Run) -> None:
    log = Shop().begin().map("a").map("b")
    for name in "ab":
        rows = raw_event(WRITE_V1, rows_event(1, ONE * 9, table_id=ord(name)), checksum=False)
        log.add(PARTIAL_ROW_DATA, u4(2) + u4(1) + b"\1" + u8(len(rows)) + rows[:50])
        log.add(PARTIAL_ROW_DATA, u4(2) + u4(2) + b"\0" + rows[50:])
    log.commit().write(tmp_path / "log")
    assert extract("-o", "out", "-T", "shop.b", "log") == ""
    assert kinds("out") == [GTID_MARIADB, TABLE_MAP, PARTIAL_ROW_DATA, PARTIAL_ROW_DATA, XID]
    assert extract("-o", "all", "log") == ""
    assert kinds("all").count(PARTIAL_ROW_DATA) == 4
