"""Transactions of MySQL: their lengths, compressed ones, GTIDs with tags, and what came before them."""

from __future__ import annotations

from pathlib import Path

import pytest

from binlogcli.events.event import Event
from binlogcli.events.log import Log
from binlogcli.events.mysql import MysqlGtid, PreviousGtids
from binlogcli.extract.gtid_length import with_length
from extract.shop import Run
from support.bodies import query, u8
from support.golden import GOLDEN, golden_logs, golden_name
from support.log_structure import PREVIOUS_GTIDS, form_of
from support.logs import IGNORABLE, QUERY, XID, LogBuilder

MYSQL = [
    path
    for path in golden_logs()
    if path.parts[-3] in {"mysql-8.4", "mysql-9.7"} and "enc" not in path.parent.name and "torn" not in path.name
]
PAYLOAD, LARGE_TRANSACTION_HEADER = 40, 43


def lengths_hold(path: Path) -> int:
    """Check the lengths that the GTIDs of a log have against those of its transactions; return how many there are."""
    count = 0
    with Log(str(path)) as log:
        left = 0
        for event in log:
            assert isinstance(event, Event)
            if event.within is not None:
                continue
            if isinstance(event, MysqlGtid) and event.transaction_length:
                assert left == 0
                left = event.transaction_length
                count += 1
            left = max(left - event.length, 0)
        assert left == 0
    return count


@pytest.mark.parametrize("path", MYSQL, ids=golden_name)
def test_each_part_says_how_long_it_is(path: Path, extract: Run) -> None:
    extract("-o", "out", "--split", "table", path, status=None)
    made = sorted(Path("out").iterdir())
    for one in made:
        form_of(one.read_bytes())
        lengths_hold(one)


def test_of_a_compressed_transaction_that_is_written_in_part_the_events_are_written(extract: Run) -> None:
    path = GOLDEN / "mysql-9.7" / "payload" / "shop-bin.000001"
    whole = form_of(path.read_bytes()).kinds.count(PAYLOAD)
    assert extract("-o", "all", path) == ""
    assert form_of(Path("all").read_bytes()).kinds.count(PAYLOAD) == whole > 0
    extract("-o", "out", "--split", "table", path)
    kinds = [form_of(one.read_bytes()).kinds for one in Path("out").iterdir()]
    assert any(PAYLOAD not in one and 30 in one for one in kinds)


def test_a_length_of_any_size_fits_itself() -> None:
    untagged = bytes(60) + b"\xfc\x00\x01" + b"rest"
    for others in (10, 180, 184, 185, 250, 65_460, 65_470, 65_536, 1 << 24, 1 << 40):
        made = with_length(untagged, (60, 63, 0, 0), others)
        size = {0xFC: 2, 0xFD: 3, 0xFE: 8}.get(made[60], 0)
        found = int.from_bytes(made[61 : 61 + size], "little") if size else made[60]
        assert found == others + len(made)
        assert made.endswith(b"rest")
        assert int.from_bytes(made[9:13], "little") == len(made)


def test_previous_gtids_are_those_of_the_log_and_those_read(extract: Run) -> None:
    path = GOLDEN / "mysql-8.4" / "xa" / "xa.000001"
    with Log(str(path)) as log:
        events = list(log)
    gtids = [event for event in events if isinstance(event, MysqlGtid)]
    extract("-o", "out", "-j", gtids[1].start, path)
    with Log("out") as log:
        before = next(event for event in log if isinstance(event, PreviousGtids))
    assert str(before.gtid_set) == gtids[0].gtid


def test_the_header_of_a_large_transaction_stays_in_its_own_log(tmp_path: Path, extract: Run) -> None:
    log = LogBuilder().describe().add(PREVIOUS_GTIDS, bytes(8), flags=IGNORABLE)
    log.add(LARGE_TRANSACTION_HEADER, b"\1" + u8(999) + b"\x10" + bytes(20), flags=IGNORABLE)
    log.add(QUERY, query(text=b"BEGIN")).add(QUERY, query(text=b"INSERT INTO t VALUES (1)")).add(XID, u8(1))
    log.write(tmp_path / "log")
    assert extract("-o", "out", "log") == ""
    assert form_of(Path("out").read_bytes()).kinds == [15, PREVIOUS_GTIDS, QUERY, QUERY, XID]
