"""How far a stream by GTIDs has come: what another connection is asked for, and what of it is known."""

from __future__ import annotations

import random
import uuid
from types import SimpleNamespace

import pytest

from binlogcli.errors import DecodeError, SourceError
from binlogcli.sources.protocol.packets import LOG_START, frame
from binlogcli.sources.server.groups import Groups, gtid_of
from binlogcli.sources.server.incoming import GROUP, MORE, NEVER, Incoming
from binlogcli.sources.server.replica import Replica
from support.logs import raw_event

UUID = "896e7882-18fe-11ef-ab88-22222d34d411"
# from the documentation of GTID_TAGGED: number 1 with the tag foobaz
TAGGED = bytes.fromhex(
    "0276000002022502dcf0090230f90322bd03ad022102444 45a68510322 0404 060c666f6f62617a 0800 0a04 0c7f1583222d5c2e06"
    "104903 12c3020b".replace(" ", "")
)


def event(code: int, body: bytes, server_id: int = 101) -> bytes:
    return raw_event(code, body, server_id=server_id, checksum=False)


def mariadb_gtid(domain: int, number: int) -> bytes:
    return event(162, number.to_bytes(8, "little") + domain.to_bytes(4, "little") + bytes(7))


def test_mariadb_goes_on_after_the_last_whole_group_of_each_domain() -> None:
    groups = Groups("0-101-5, 7-1-9", mariadb=True)
    groups.begin_log("shop-bin.000001")
    for domain, number in ((0, 6), (3, 1), (0, 7)):
        groups.begin(gtid_of(mariadb_gtid(domain, number)))
    assert groups.connect_state() == "0-101-6,7-1-9,3-101-1"
    groups.begin_log("shop-bin.000002")  # no group runs over the end of a log
    assert groups.connect_state() == "0-101-7,7-1-9,3-101-1"
    assert groups.current is None


def test_mysql_is_asked_for_all_but_the_whole_groups() -> None:
    groups = Groups(f"{UUID}:1-3", mariadb=False)
    plain = [
        event(33, b"\1" + uuid.UUID(UUID).bytes + number.to_bytes(8, "little") + bytes(18)) for number in (4, 5, 9)
    ]
    for one in [*plain, event(42, TAGGED), event(42, TAGGED)]:
        groups.begin(gtid_of(one))
    assert groups.known_set() == Groups(f"{UUID}:1-5:9:foobaz:1", mariadb=False).known_set()
    assert gtid_of(event(42, TAGGED)) == ((UUID, "foobaz"), 1)


def test_a_server_that_goes_on_with_another_group_than_the_broken_one_is_reported() -> None:
    replica = Replica.__new__(Replica)
    replica.connection = SimpleNamespace(place="mysql://repl@db1")  # type: ignore[assignment]
    replica.groups = Groups("0-101-5", mariadb=True)
    replica.groups.begin_log("shop-bin.000001")
    replica.groups.begin(gtid_of(mariadb_gtid(0, 6)))
    replica.log = "shop-bin.000001"
    replica._searching = True
    replica.incoming = Incoming(4, 1 << 30)
    with pytest.raises(
        SourceError, match=r"does not continue where the connection broke, in shop-bin\.000001: it may have lost"
    ):
        replica._begin_group(mariadb_gtid(0, 9))


@pytest.mark.parametrize("size", range(30))
def test_a_gtid_that_is_cut_off_is_no_gtid(size: int) -> None:
    for code, body in ((162, bytes(11)), (33, bytes(24)), (42, TAGGED[:size])):
        with pytest.raises(DecodeError):
            gtid_of(event(code, body[:size]))


@pytest.mark.parametrize("most", [1, 20, 1000])
def test_what_is_known_of_a_group_is_said_when_it_begins(most: int) -> None:
    events = [event(2, bytes(30)), mariadb_gtid(0, 1), event(2, bytes(50)), mariadb_gtid(0, 2), event(2, bytes(9))]
    name = event(4, LOG_START.to_bytes(8, "little") + b"shop-bin.000001")[:17] + b"\x20\0" + bytes(8) + b"a.1"
    name = name[:9] + len(name).to_bytes(4, "little") + name[13:]
    data = b"".join(frame(b"\0" + one, 0) for one in (name, *events))
    incoming = Incoming(LOG_START, 1 << 30, placed=False)
    incoming.begin(LOG_START, NEVER)
    out, marks = b"", []
    while data:
        size = min(random.randint(1, most), len(data), len(incoming.space()))
        incoming.space()[:size] = data[:size]
        incoming.filled(size, 0)
        data = data[size:]
        while (found := incoming.advance()) != MORE:
            if found == GROUP:
                marks.append(incoming.mark())
                incoming.know(40 if len(marks) == 1 else 0)
        out += incoming.take()
    assert marks == [events[1], events[3]]
    assert out == b"".join(events[1:])[40:]


def test_positions_as_gtids() -> None:
    assert Groups(" 0-1-5, 1-2-7 ", mariadb=True).connect_state() == "0-1-5,1-2-7"
    assert Groups("", mariadb=True).connect_state() == ""
    sid = uuid.UUID(UUID).bytes
    assert known_set(f"{UUID}:1-5:7") == encoded(1, sid, 2, 1, 6, 7, 8)
    assert known_set(f"{UUID}:1-3:2-5, {UUID}:7") == encoded(1, sid, 2, 1, 6, 7, 8)
    assert known_set("") == bytes(8)
    tagged = known_set(f"{UUID}:blue:1-5")
    assert (tagged[:8], tagged[24:29]) == (b"\x01\x01\0\0\0\0\0\x01", b"\x08blue")
    for wrong in ("0-1", "0-1-5,", "0-1-5..7", "x", "0-1-5'; DROP TABLE t; --"):
        with pytest.raises(SourceError, match="is not a MariaDB GTID position"):
            Groups(wrong, mariadb=True)
    for wrong in ("x:1", UUID, f"{UUID}:5-1", f"{UUID}:0", f"{UUID}:1:!"):
        with pytest.raises(SourceError, match="is not a MySQL GTID set"):
            known_set(wrong)


def known_set(text: str) -> bytes:
    return Groups(text, mariadb=False).known_set()


def encoded(*parts: int | bytes) -> bytes:
    return b"".join(part if isinstance(part, bytes) else part.to_bytes(8, "little") for part in parts)


@pytest.mark.parametrize("number", [0, -1, -(1 << 63), (1 << 63) - 1])
def test_a_number_that_no_transaction_of_mysql_has_is_refused_where_it_is_read(number: int) -> None:
    """Else the request for the groups after it could not be written."""
    body = b"\1" + uuid.UUID(UUID).bytes + number.to_bytes(8, "little", signed=True) + bytes(18)
    with pytest.raises(DecodeError, match=f"the GTID of a group has the number {number}"):
        gtid_of(event(33, body))
    largest = (1 << 63) - 2
    groups = Groups("", mariadb=False)
    for one in (1, largest):
        groups.begin(gtid_of(event(33, body[:17] + one.to_bytes(8, "little") + bytes(18))))
    groups.begin_log("")
    assert groups.known_set() == Groups(f"{UUID}:1:{largest}", mariadb=False).known_set()
