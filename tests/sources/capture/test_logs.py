"""Captured replication streams: whatever is said in them and however it is packed, the events are those of the log."""

from __future__ import annotations

import json
import random
import struct
from pathlib import Path
from typing import Any

import pytest

from binlogcli.binary.json_writer import json_bytes
from binlogcli.errors import SourceError
from binlogcli.events.event import Event
from binlogcli.events.log import Log
from binlogcli.sources.protocol.requests import BinlogDumpGtid
from support.captures import CAPABILITIES, Capture, CaptureReading, a_capture, pcap_of, places, rotate
from support.golden import GOLDEN
from support.logs import MAGIC, MARIADB, XID, LogBuilder, commit_log
from support.packets import OK
from support.program import run
from support.reading import events, gaps


@pytest.mark.parametrize("capability", [0x20, 1 << 26], ids=["zlib", "zstd"])
@pytest.mark.parametrize("skip", [0, 25])
def test_the_compressed_protocol(capability: int, skip: int) -> None:
    log = commit_log(600, 80)
    whole = places(log.read())
    capture = Capture().log_in(CAPABILITIES | capability).request().events(log.events())
    capture.segments = capture.segments[skip:]
    reading = CaptureReading(capture.pcap())
    found = places(reading.items)
    assert found == whole[len(whole) - len(found) :]
    assert len(found) == len(whole) if skip == 0 else len(found) > 10
    assert gaps(reading.items) == []


def test_an_event_of_several_packets() -> None:
    log = LogBuilder(MARIADB).describe().add(161, bytes(range(256)) * (1 << 17)).add(XID, bytes(8))
    reading = CaptureReading(Capture().log_in().request().events(log.events()).pcap())
    assert places(reading.items) == places(log.read())


def test_events_of_unknown_types_and_flags() -> None:
    log = LogBuilder(MARIADB).describe().add(250, bytes(100), flags=0x3C00).add(XID, bytes(8))
    reading = CaptureReading(Capture().log_in().request().events(log.events()).pcap())
    assert places(reading.items) == places(log.read())


def test_an_event_over_the_limit_costs_itself() -> None:
    log = LogBuilder(MARIADB).describe().add(XID, bytes(8)).add(161, bytes(1 << 17)).add(XID, bytes(8))
    reading = CaptureReading(Capture().log_in().request().events(log.events()).pcap(), max_event_size=1 << 16)
    assert len(events(reading.items)) >= 2
    assert gaps(reading.items)


def test_two_connections_at_once_are_read_one_after_the_other(log: LogBuilder, whole: list[Any]) -> None:
    other = commit_log(40, 30)
    first, second = a_capture(log), a_capture(other, client=("10.0.0.3", 40001))
    frames = sorted(first.frames() + second.frames())
    reading = CaptureReading(pcap_of(frames))
    assert [places(heard.items) for heard in reading.logs] == [whole, places(other.read())]


def test_a_replica_that_connects_again_from_the_same_port(log: LogBuilder, whole: list[Any]) -> None:
    capture = a_capture(log)
    capture.seq = {"client": 77, "server": 99}
    capture.log_in().request("shop-bin.000001", whole[-1][0]).events([whole[-1][2]])
    reading = CaptureReading(capture.pcap())
    assert [len(events(heard.items)) for heard in reading.logs] == [len(whole), 1]
    assert places(reading.logs[1].items) == whole[-1:]
    assert reading.figures.reconnects == 1


def test_a_connection_that_goes_on_with_another_log(log: LogBuilder, whole: list[Any]) -> None:
    capture = Capture().log_in().request().events([*log.events(), rotate("shop-bin.000002"), *log.events()])
    reading = CaptureReading(capture.pcap())
    assert [(heard.name, len(heard.items)) for heard in reading.logs] == [
        ("shop-bin.000001", len(whole)),
        ("shop-bin.000002", len(whole)),
    ]


def test_tls_is_named_as_unreadable() -> None:
    capture = Capture().open().say("server", bytes.fromhex("0a") + b"8.4.0\0" + bytes(60))
    capture.say("client", (CAPABILITIES | 0x800).to_bytes(4, "little") + bytes(28), 1)
    capture.bytes_of("client", b"\x16\x03\x01" + random.Random(1).randbytes(3000))
    reading = CaptureReading(capture.pcap())
    assert reading.logs == []
    assert "10.0.0.2:40000 > 10.0.0.1:3306: encrypted with TLS from frame 6 on" in reading.problems[0]


def test_a_capture_of_nothing_but_tls_is_one_line(tmp_path: Path) -> None:
    capture = Capture().open().say("server", bytes.fromhex("0a") + b"8.4.0\0" + bytes(60))
    capture.say("client", (CAPABILITIES | 0x800).to_bytes(4, "little") + bytes(28), 1)
    path = tmp_path / "tls.pcap"
    path.write_bytes(capture.bytes_of("client", b"\x16\x03\x01" + bytes(300)).pcap())
    done = run("dump", str(path))
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1
    assert b"encrypted with TLS" in done.stderr


def test_a_replica_of_mysql_that_asks_by_gtid(log: LogBuilder, whole: list[Any]) -> None:
    """Statements after parameters, rows without EOF packets, COM_BINLOG_DUMP_GTID."""
    capture = Capture().log_in(CAPABILITIES | 1 << 24 | 1 << 27).say("client", b"\x03\0\1SELECT @@global.server_id")
    column = b"\x03def\0\0\0\x09server_id\0\x0c" + bytes(12)
    for sequence, payload in enumerate((b"\1", column, b"\x03101", b"\xfe\0\0\2\0\0\0 and more"), 1):
        capture.say("server", payload, sequence)
    gtids = (1).to_bytes(8, "little") + bytes(range(16)) + b"".join(n.to_bytes(8, "little") for n in (1, 1, 9))
    capture.say("client", BinlogDumpGtid(4, 7, "", 4, gtids).pack()).event(rotate("shop-bin.000001"))
    reading = CaptureReading(capture.events(log.events()).pcap())
    assert places(reading.items) == whole
    said = [(message.name, message.body) for message in reading.messages[3:]]
    assert said[0] == ("COM_QUERY", {"query": "SELECT @@global.server_id"})
    assert [name for name, _ in said[1:5]] == ["column count", "column definition", "row", "OK"]
    assert said[3][1] == {"values": ["101"]}
    assert said[5][0] == "COM_BINLOG_DUMP_GTID"
    assert json.loads(json_bytes(said[5][1]))["gtid_set"] == {"hex": gtids.hex()}


def test_other_connections_are_left_alone() -> None:
    capture = Capture().log_in().say("client", b"\x03SELECT * FROM shop.customers").say("server", OK, 1).close()
    web = Capture(server=("10.0.0.9", 80)).open().bytes_of("client", b"GET / HTTP/1.1\r\n\r\n" * 100)
    reading = CaptureReading(pcap_of(sorted(capture.frames() + web.frames())))
    assert (reading.logs, reading.problems) == ([], [])
    with pytest.raises(SourceError, match="no readable replication"):
        reading.captured.refuse_what_has_none()


def test_a_replica_is_found_among_thousands_of_other_connections(log: LogBuilder, whole: list[Any]) -> None:
    frames = []
    for number in range(1500):
        other = Capture(client=("10.0.1.1", 1024 + number)).open()
        if number % 2:
            other.say("server", bytes.fromhex("0a") + b"8.4.0\0" + bytes(60))
            other.say("client", (CAPABILITIES | 0x800).to_bytes(4, "little") + bytes(28), 1)
        frames += other.frames()
    reading = CaptureReading(pcap_of([*frames, *a_capture(log).frames()]))
    assert places(reading.items) == whole


def test_a_login_without_a_request_is_no_log(log: LogBuilder) -> None:
    capture = Capture().log_in().say("client", b"\x03SET @master_binlog_checksum='NONE'").say("server", OK, 1)
    reading = CaptureReading(capture.pcap())
    assert [message.name for message in reading.messages][-2:] == ["COM_QUERY", "OK"]
    assert events(reading.items) == []


def test_nothing_of_a_secret_is_kept(log: LogBuilder) -> None:
    for message in CaptureReading(a_capture(log).pcap()).messages:
        for secret in (b"nonce-01", b"second-nonce", b"secret-of-20-bytes", b"hidden-password"):
            assert secret not in message.payload
            assert secret.decode() not in repr(message)


def test_heartbeats_acknowledgements_and_delays_are_counted() -> None:
    log = commit_log(3)
    beat = b"shop-bin.000001"
    heartbeat = struct.pack("<IBIIIH", 0, 27, 101, 19 + len(beat), 158, 0) + beat
    capture = Capture().log_in().request()
    for event in log.events():
        capture.event(event, flags=1 if event[4] == XID else 0)
        if event[4] == XID:
            capture.say("client", b"\xef" + event[13:17] + bytes(4) + beat)
    reading = CaptureReading(capture.event(heartbeat, flags=0).pcap())
    figures = reading.figures
    assert (figures.events, figures.heartbeats, figures.acknowledgements) == (4, 1, 3)
    assert 0 < figures.ack_delay_max < 0.01
    assert MAGIC not in reading.logs[0].label.encode()


def logged(name: str) -> dict[tuple[int, int], bytes]:
    with Log(str(GOLDEN / "captures" / name)) as log:
        return {(item.start, item.end): item.raw for item in log if isinstance(item, Event)}


@pytest.mark.parametrize("name", ["replica.pcap", "compressed.pcapng"])
def test_a_real_capture_holds_what_the_files_hold(name: str) -> None:
    reading = CaptureReading((GOLDEN / "captures" / name).read_bytes())
    assert (reading.problems, gaps(reading.items)) == ([], [])
    for heard in reading.logs:
        whole = logged(heard.name)
        for event in events(heard.items)[1:]:  # a format description is made anew where a dump begins within a log
            assert whole[event.start, event.end] == event.raw
    assert reading.figures.acknowledgements > 0


def test_packets_tile_what_each_side_has_sent() -> None:
    """Each packet's fields stand one after another, and so do the packets of a side."""
    done = run("hexdump", "--json", str(GOLDEN / "captures" / "replica.pcap"))
    assert (done.returncode, done.stderr) == (0, b"")
    ends: dict[str, int] = {}
    for line in map(json.loads, done.stdout.splitlines()):
        if not line["meaning"].startswith("packet "):
            continue
        place = line["start"]
        for field in line["fields"]:
            assert field["start"] == place
            place = field["end"]
        assert place == line["end"]
        side = line["meaning"].split(", ")[1]
        assert ends.get(side, 0) == line["start"]
        ends[side] = line["end"]
    assert len(ends) == 2


@pytest.mark.parametrize("options", [["--format", "json"], ["--format", "sql"], ["-vv"]], ids=["json", "sql", "text"])
def test_a_choice_of_events_leaves_the_dialogue_out(options: list[str]) -> None:
    done = run("dump", *options, "-T", "shop.orders", str(GOLDEN / "captures" / "replica.pcap"))
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"COM_QUERY" not in done.stdout
    assert b"teapot" in done.stdout
