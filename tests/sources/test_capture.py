"""Captured replication streams: whatever carries them and however they arrive, the events are those of the log."""

from __future__ import annotations

import gzip
import json
import lzma
import random
import struct
from pathlib import Path
from typing import Any

import pytest
from dpkt import pcap

from binlogcli.errors import SourceError
from binlogcli.events.event import Event
from binlogcli.events.log import Log
from binlogcli.rows.json_value import json_bytes
from binlogcli.sources.requests import BinlogDumpGtid
from captures import CAPABILITIES, OK, Capture, Reading, layered, pcap_of, pcapng_of, rotate
from golden import GOLDEN
from logs import MAGIC, MARIADB, LogBuilder, events, gaps
from program import run

XID = 16
LINKS = [
    pcap.DLT_EN10MB, pcap.DLT_LINUX_SLL, pcap.DLT_LINUX_SLL2, pcap.DLT_NULL, 108, 12, 101, pcap.DLT_IPV4, 9,
    pcap.DLT_NFLOG,
]  # fmt: skip


def a_log(count: int = 60, size: int = 8) -> LogBuilder:
    log = LogBuilder(MARIADB).describe()
    for number in range(count):
        log.add(XID, number.to_bytes(8, "little") + bytes(size - 8))
    return log


def raw_events(log: LogBuilder) -> list[bytes]:
    return [event.raw for event in events(log.read())]


def places(items: list[Any]) -> list[tuple[int, int, bytes]]:
    return [(event.start, event.end, event.raw) for event in events(items)]


@pytest.fixture
def log() -> LogBuilder:
    return a_log()


@pytest.fixture
def whole(log: LogBuilder) -> list[tuple[int, int, bytes]]:
    return places(log.read())


def a_capture(log: LogBuilder, **more: Any) -> Capture:
    return Capture(**more).log_in().request().events(raw_events(log)).close()


# what carries it --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("link", LINKS)
def test_any_link_layer(log: LogBuilder, whole: list[Any], link: int) -> None:
    reading = Reading(a_capture(log).pcap(link=link))
    assert places(reading.items) == whole
    assert (gaps(reading.items), reading.problems) == ([], [])
    assert [heard.name for heard in reading.logs] == ["shop-bin.000001"]


@pytest.mark.parametrize("link", [pcap.DLT_EN10MB, pcap.DLT_LINUX_SLL2, pcap.DLT_NULL, 101, pcap.DLT_IPV6])
def test_ipv6(log: LogBuilder, whole: list[Any], link: int) -> None:
    capture = a_capture(log, client=("fd00::2", 40000), server=("fd00::1", 3306))
    reading = Reading(capture.pcap(link=link))
    assert places(reading.items) == whole
    assert reading.messages[0].place.source == "[fd00::1]:3306"


@pytest.mark.parametrize("tags", [1, 2])
def test_vlan_tags(log: LogBuilder, whole: list[Any], tags: int) -> None:
    assert places(Reading(a_capture(log).pcap(vlan=tags)).items) == whole


def test_fragments_of_ipv4(log: LogBuilder, whole: list[Any]) -> None:
    frames = []
    for number, (time, *rest) in enumerate(a_capture(log).segments):
        packet = Capture().packet(*rest)
        header, body = packet[:20], packet[20:]
        pieces = [(at, body[at : at + 504]) for at in range(0, len(body), 504)]
        for at, piece in reversed(pieces):
            more = 0 if at + 504 >= len(body) else 0x2000
            place = struct.pack(">HHH", 20 + len(piece), number, more | at // 8)
            frames.append((time, layered(header[:2] + place + header[8:] + piece, pcap.DLT_EN10MB)))
    assert len(frames) > len(a_capture(log).segments)
    assert places(Reading(pcap_of(frames)).items) == whole


def swapped(data: bytes, nano: bool) -> bytes:
    """A file as a machine of the other byte order writes it."""
    out = struct.pack(">IHHiIII", 0xA1B23C4D if nano else 0xA1B2C3D4, 2, 4, 0, 0, 1 << 18, 1)
    at = 24
    while at < len(data):
        head = struct.unpack_from("<IIII", data, at)
        out += struct.pack(">IIII", *head) + data[at + 16 : at + 16 + head[2]]
        at += 16 + head[2]
    return out


@pytest.mark.parametrize("nano", [False, True])
def test_pcap_of_either_byte_order_and_resolution(log: LogBuilder, whole: list[Any], nano: bool) -> None:
    data = pcap_of(a_capture(log).frames(), nano=nano)
    for file in (data, swapped(data, nano)):
        reading = Reading(file)
        assert places(reading.items) == whole
        assert 1_700_000_000 < reading.messages[0].place.time / 1e9 < 1_700_000_001


def test_pcapng(log: LogBuilder, whole: list[Any]) -> None:
    reading = Reading(pcapng_of(a_capture(log).frames()))
    assert places(reading.items) == whole
    assert 1_700_000_000 < reading.messages[0].place.time / 1e9 < 1_700_000_001


def test_pcapng_of_several_interfaces_and_big_endian(log: LogBuilder, whole: list[Any]) -> None:
    def block(kind: int, body: bytes) -> bytes:
        body += bytes(-len(body) % 4)
        size = struct.pack(">I", 12 + len(body))
        return struct.pack(">I", kind) + size + body + size

    data = block(0x0A0D0D0A, struct.pack(">IHHq", 0x1A2B3C4D, 1, 0, -1))
    data += block(1, struct.pack(">HHI", 1, 0, 0))
    data += block(1, struct.pack(">HHI", 101, 0, 0) + struct.pack(">HHB3xHH", 9, 1, 9, 0, 0))  # raw IP, nanoseconds
    for number, (time, *rest) in enumerate(a_capture(log).segments):
        packet = Capture().packet(*rest)
        kept = layered(packet, pcap.DLT_EN10MB) if number % 2 == 0 else packet
        ticks = int(time * 1e6) if number % 2 == 0 else int(time * 1e9)
        head = struct.pack(">IIIII", number % 2, ticks >> 32, ticks & 0xFFFFFFFF, len(kept), len(kept))
        data += block(6, head + kept) + block(5, bytes(12))
    reading = Reading(data)
    assert places(reading.items) == whole
    assert all(1_700_000_000 < message.place.time / 1e9 < 1_700_000_002 for message in reading.messages)


def test_a_link_type_that_is_not_read_is_named(log: LogBuilder) -> None:
    reading = Reading(pcap_of(a_capture(log).frames(), 127))
    assert reading.logs == []
    assert "link type 127" in reading.problems[0]


# how it arrives ---------------------------------------------------------------------------------------------------


def test_segments_out_of_order_sent_twice_and_overlapping(log: LogBuilder, whole: list[Any]) -> None:
    capture = a_capture(log)
    chance = random.Random(7)
    segments = list(capture.segments)
    for at in range(4, len(segments) - 6, 3):
        chunk = segments[at : at + 3]
        chance.shuffle(chunk)
        segments[at : at + 3] = chunk
    for at in range(0, len(segments), 5):
        time, side, seq, ack, flags, data = segments[at]
        segments.append((time, side, seq, ack, flags, data))
        if len(data) > 20:  # sent again together with bytes before or after it
            segments.append((time, side, (seq + 10) & 0xFFFFFFFF, ack, flags, data[10:]))
    capture.segments = segments[:3] + sorted(segments[3:], key=lambda one: one[0] + chance.random() * 0.004)
    reading = Reading(capture.pcap())
    assert places(reading.items) == whole
    assert gaps(reading.items) == []


@pytest.mark.parametrize("method", ["plain", "zlib", "zstd"])
@pytest.mark.parametrize("seed", range(5))
def test_what_was_not_captured_is_damage_at_its_place(method: str, seed: int) -> None:
    log = a_log(300)
    whole = places(log.read())
    chance = random.Random(seed)
    capture = Capture().log_in(CAPABILITIES | {"plain": 0, "zlib": 0x20, "zstd": 1 << 26}[method]).request()
    first = len(capture.segments)
    for number, event in enumerate(raw_events(log)):
        capture.event(event, number + 2)
    capture.close()
    kept = [one for at, one in enumerate(capture.segments) if at < first or not one[5] or chance.random() > 0.02]
    assert len(kept) < len(capture.segments)
    capture.segments = kept
    reading = Reading(capture.pcap())
    found = places(reading.items)
    assert set(found) < set(whole)
    end = 4
    for item in reading.items:  # nothing is passed over without a word
        assert item.start == end
        end = item.end
    assert all("not captured" in gap.reason and "before frame" in gap.reason for gap in gaps(reading.items)[:-1])
    assert len(found) + sum((gap.end - gap.start) // 31 for gap in gaps(reading.items) if gap.start > 4) >= 300


@pytest.mark.parametrize("method", ["plain", "zlib"])
def test_any_one_frame_may_be_missing(method: str) -> None:
    """Of the login, the request or the events: nothing but what it brought is lost."""
    log = a_log(40, 60)
    whole = places(log.read())
    capture = Capture().log_in(CAPABILITIES | {"plain": 0, "zlib": 0x20}[method]).request()
    for number, event in enumerate(raw_events(log)):
        capture.event(event, number + 2)
    segments = capture.close().segments
    for missing in range(len(segments)):
        capture.segments = segments[:missing] + segments[missing + 1 :]
        found = places(Reading(capture.pcap()).items)
        assert len(whole) - len(found) <= 1, missing
        assert set(found) <= set(whole)


def test_only_one_direction_was_captured(log: LogBuilder, whole: list[Any]) -> None:
    capture = a_capture(log)
    capture.segments = [one for one in capture.segments if one[1] == "server"]
    assert places(Reading(capture.pcap()).items) == whole


def test_frames_cut_short_by_the_capture(whole: list[Any], log: LogBuilder) -> None:
    log = a_log(20, 3000)
    frames = [(time, data[:1000]) for time, data in a_capture(log).frames()]
    reading = Reading(pcap_of(frames))
    assert gaps(reading.items)
    assert {event.raw for event in events(reading.items)} <= set(raw_events(log))


def test_the_capture_begins_within_a_connection() -> None:
    log = a_log(900)
    whole = places(log.read())
    capture = a_capture(log)
    capture.segments = capture.segments[-12:]
    reading = Reading(capture.pcap())
    found = places(reading.items)
    assert found == whole[len(whole) - len(found) :]
    assert len(found) > 10
    assert gaps(reading.items) == []


@pytest.mark.parametrize("capability", [0x20, 1 << 26], ids=["zlib", "zstd"])
@pytest.mark.parametrize("skip", [0, 25])
def test_the_compressed_protocol(capability: int, skip: int) -> None:
    log = a_log(600, 80)
    whole = places(log.read())
    capture = Capture().log_in(CAPABILITIES | capability).request().events(raw_events(log))
    capture.segments = capture.segments[skip:]
    reading = Reading(capture.pcap())
    found = places(reading.items)
    assert found == whole[len(whole) - len(found) :]
    assert len(found) == len(whole) if skip == 0 else len(found) > 10
    assert gaps(reading.items) == []


def test_an_event_of_several_packets() -> None:
    log = LogBuilder(MARIADB).describe().add(161, bytes(range(256)) * (1 << 17)).add(XID, bytes(8))
    reading = Reading(Capture().log_in().request().events(raw_events(log)).pcap())
    assert places(reading.items) == places(log.read())


def test_events_of_unknown_types_and_flags() -> None:
    log = LogBuilder(MARIADB).describe().add(250, bytes(100), flags=0x3C00).add(XID, bytes(8))
    reading = Reading(Capture().log_in().request().events(raw_events(log)).pcap())
    assert places(reading.items) == places(log.read())


def test_an_event_over_the_limit_costs_itself() -> None:
    log = LogBuilder(MARIADB).describe().add(XID, bytes(8)).add(161, bytes(1 << 17)).add(XID, bytes(8))
    reading = Reading(Capture().log_in().request().events(raw_events(log)).pcap(), max_event_size=1 << 16)
    assert len(events(reading.items)) >= 2
    assert gaps(reading.items)


# whose it is ------------------------------------------------------------------------------------------------------


def test_two_connections_at_once_are_read_one_after_the_other(log: LogBuilder, whole: list[Any]) -> None:
    other = a_log(40, 30)
    first, second = a_capture(log), a_capture(other, client=("10.0.0.3", 40001))
    frames = sorted(first.frames() + second.frames())
    reading = Reading(pcap_of(frames))
    assert [places(heard.items) for heard in reading.logs] == [whole, places(other.read())]


def test_a_replica_that_connects_again_from_the_same_port(log: LogBuilder, whole: list[Any]) -> None:
    capture = a_capture(log)
    capture.seq = {"client": 77, "server": 99}
    capture.log_in().request("shop-bin.000001", whole[-1][0]).events([whole[-1][2]])
    reading = Reading(capture.pcap())
    assert [len(events(heard.items)) for heard in reading.logs] == [len(whole), 1]
    assert places(reading.logs[1].items) == whole[-1:]
    assert reading.figures.reconnects == 1


def test_a_connection_that_goes_on_with_another_log(log: LogBuilder, whole: list[Any]) -> None:
    capture = Capture().log_in().request().events([*raw_events(log), rotate("shop-bin.000002"), *raw_events(log)])
    reading = Reading(capture.pcap())
    assert [(heard.name, len(heard.items)) for heard in reading.logs] == [
        ("shop-bin.000001", len(whole)),
        ("shop-bin.000002", len(whole)),
    ]


def test_tls_is_named_as_unreadable() -> None:
    capture = Capture().open().say("server", bytes.fromhex("0a") + b"8.4.0\0" + bytes(60))
    capture.say("client", (CAPABILITIES | 0x800).to_bytes(4, "little") + bytes(28), 1)
    capture.bytes_of("client", b"\x16\x03\x01" + random.Random(1).randbytes(3000))
    reading = Reading(capture.pcap())
    assert reading.logs == []
    assert "10.0.0.2:40000 > 10.0.0.1:3306: encrypted by TLS from frame 6 on" in reading.problems[0]


def test_a_capture_of_nothing_but_tls_is_one_line(tmp_path: Path) -> None:
    capture = Capture().open().say("server", bytes.fromhex("0a") + b"8.4.0\0" + bytes(60))
    capture.say("client", (CAPABILITIES | 0x800).to_bytes(4, "little") + bytes(28), 1)
    path = tmp_path / "tls.pcap"
    path.write_bytes(capture.bytes_of("client", b"\x16\x03\x01" + bytes(300)).pcap())
    done = run("dump", str(path))
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1
    assert b"encrypted by TLS" in done.stderr


def test_a_replica_of_mysql_that_asks_by_gtid(log: LogBuilder, whole: list[Any]) -> None:
    """Statements after parameters, rows without EOF packets, COM_BINLOG_DUMP_GTID."""
    capture = Capture().log_in(CAPABILITIES | 1 << 24 | 1 << 27).say("client", b"\x03\0\1SELECT @@global.server_id")
    column = b"\x03def\0\0\0\x09server_id\0\x0c" + bytes(12)
    for sequence, payload in enumerate((b"\1", column, b"\x03101", b"\xfe\0\0\2\0\0\0 and more"), 1):
        capture.say("server", payload, sequence)
    gtids = (1).to_bytes(8, "little") + bytes(range(16)) + b"".join(n.to_bytes(8, "little") for n in (1, 1, 9))
    capture.say("client", BinlogDumpGtid(4, 7, "", 4, gtids).pack()).event(rotate("shop-bin.000001"))
    reading = Reading(capture.events(raw_events(log)).pcap())
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
    reading = Reading(pcap_of(sorted(capture.frames() + web.frames())))
    assert (reading.logs, reading.problems) == ([], [])
    with pytest.raises(SourceError, match="no replication"):
        reading.captured.refuse_what_has_none()


def test_a_replica_is_found_among_thousands_of_other_connections(log: LogBuilder, whole: list[Any]) -> None:
    frames = []
    for number in range(1500):
        other = Capture(client=("10.0.1.1", 1024 + number)).open()
        if number % 2:
            other.say("server", bytes.fromhex("0a") + b"8.4.0\0" + bytes(60))
            other.say("client", (CAPABILITIES | 0x800).to_bytes(4, "little") + bytes(28), 1)
        frames += other.frames()
    reading = Reading(pcap_of([*frames, *a_capture(log).frames()]))
    assert places(reading.items) == whole


def test_a_login_without_a_request_is_no_log(log: LogBuilder) -> None:
    capture = Capture().log_in().say("client", b"\x03SET @master_binlog_checksum='NONE'").say("server", OK, 1)
    reading = Reading(capture.pcap())
    assert [message.name for message in reading.messages][-2:] == ["COM_QUERY", "OK"]
    assert events(reading.items) == []


# what is wrong with the file --------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [pcap_of, pcapng_of], ids=["pcap", "pcapng"])
def test_a_capture_that_is_cut_off_is_read_to_there(log: LogBuilder, whole: list[Any], make: Any) -> None:
    data = make(a_capture(log).frames())
    reading = Reading(data[: len(data) * 2 // 3])
    found = places(reading.items)
    assert found == whole[: len(found)]
    assert "cut off" in reading.problems[0]


@pytest.mark.parametrize("make", [pcap_of, pcapng_of], ids=["pcap", "pcapng"])
def test_a_broken_record_costs_itself(log: LogBuilder, make: Any) -> None:
    capture = Capture().log_in().request()
    for number, event in enumerate(raw_events(log)):
        capture.event(event, number + 2)
    data = bytearray(make(capture.frames()))
    middle = len(data) // 2 & ~3
    data[middle : middle + 100] = b"\xff" * 100
    reading = Reading(bytes(data))
    assert len(events(reading.items)) > 50
    assert gaps(reading.items)


def test_a_broken_record_of_the_other_byte_order(log: LogBuilder) -> None:
    data = bytearray(swapped(a_capture(a_log(900)).pcap(), nano=False))
    data[len(data) // 2 : len(data) // 2 + 40] = b"\xff" * 40
    reading = Reading(bytes(data))
    assert len(events(reading.items)) > 500
    assert gaps(reading.items)


def test_hostile_lengths_end_nothing() -> None:
    for data in (b"\xd4\xc3\xb2\xa1", b"\x0a\x0d\x0d\x0a" + b"\xff" * 40, b"\xd4\xc3\xb2\xa1" + b"\xff" * 100):
        try:
            reading = Reading(data)
        except SourceError:
            continue
        assert reading.logs == []


def test_nothing_of_a_secret_is_kept(log: LogBuilder) -> None:
    for message in Reading(a_capture(log).pcap()).messages:
        for secret in (b"nonce-01", b"second-nonce", b"secret-of-20-bytes", b"hidden-password"):
            assert secret not in message.payload
            assert secret.decode() not in repr(message)


def test_heartbeats_acknowledgements_and_delays_are_counted() -> None:
    log = a_log(3)
    beat = b"shop-bin.000001"
    heartbeat = struct.pack("<IBIIIH", 0, 27, 101, 19 + len(beat), 158, 0) + beat
    capture = Capture().log_in().request()
    for event in raw_events(log):
        capture.event(event, flags=1 if event[4] == XID else 0)
        if event[4] == XID:
            capture.say("client", b"\xef" + event[13:17] + bytes(4) + beat)
    reading = Reading(capture.event(heartbeat, flags=0).pcap())
    figures = reading.figures
    assert (figures.events, figures.heartbeats, figures.acknowledgements) == (4, 1, 3)
    assert 0 < figures.ack_delay_max < 0.01
    assert MAGIC not in reading.logs[0].label.encode()


# real ones --------------------------------------------------------------------------------------------------------


def logged(name: str) -> dict[tuple[int, int], bytes]:
    with Log(str(GOLDEN / "captures" / name)) as log:
        return {(item.start, item.end): item.raw for item in log if isinstance(item, Event)}


@pytest.mark.parametrize("name", ["replica.pcap", "compressed.pcapng"])
def test_a_real_capture_holds_what_the_files_hold(name: str) -> None:
    reading = Reading((GOLDEN / "captures" / name).read_bytes())
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


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress], ids=["plain", "gzip", "xz"])
def test_a_capture_from_stdin_packed_or_not(pack: Any) -> None:
    path = GOLDEN / "captures" / "replica.pcap"
    of_file = run("dump", "--format", "json", str(path))
    of_stdin = run("dump", "--format", "json", "-", given=pack(path.read_bytes()))
    assert (of_stdin.returncode, of_stdin.stderr) == (0, b"")
    named = of_stdin.stdout.replace(b'{"file": "-:', b'{"file": "' + str(path).encode() + b":")
    assert named == of_file.stdout


@pytest.mark.parametrize("options", [["--format", "json"], ["--format", "sql"], ["-vv"]], ids=["json", "sql", "text"])
def test_a_choice_of_events_leaves_the_dialogue_out(options: list[str]) -> None:
    done = run("dump", *options, "-T", "shop.orders", str(GOLDEN / "captures" / "replica.pcap"))
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"COM_QUERY" not in done.stdout
    assert b"teapot" in done.stdout
