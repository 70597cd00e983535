"""The packets of the replication dialogue: what the documentation's bytes say, and what no bytes may do."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import pytest

from binlogcli.errors import DecodeError
from binlogcli.sources.protocol.answers import (
    Eof,
    Err,
    EventPacket,
    Ok,
    ReplicaHeartbeat,
    is_eof,
    read_fake_rotate,
    read_heartbeat,
)
from binlogcli.sources.protocol.packets import LARGEST_CHUNK, PacketReader, frame
from binlogcli.sources.protocol.requests import Acknowledgement, BinlogDump, BinlogDumpGtid, RegisterSlave
from support.corpus import NO_EXAMPLES, examples
from support.logs import raw_event

EXAMPLES = examples()
BY_NAME = {example["name"]: example for example in EXAMPLES}
CLIENT_PACKETS: dict[int, Any] = {0x12: BinlogDump, 0x15: RegisterSlave, 0x1E: BinlogDumpGtid, 0xEF: Acknowledgement}

documented = pytest.mark.skipif(not EXAMPLES, reason=NO_EXAMPLES)


def packets(data: bytes, cut: int = 1 << 20) -> list[Any]:
    """All packets of a stream that arrives in pieces of that size."""
    reader = PacketReader()
    found = []
    for at in range(0, len(data), cut):
        reader.feed(data[at : at + cut])
        while (packet := reader.next()) is not None:
            found.append(packet)
    assert reader.waiting == 0
    return found


@documented
@pytest.mark.parametrize(
    "example", [e for e in EXAMPLES if e["kind"] == "packet" and not e["damaged"]], ids=lambda e: e["name"]
)
def test_a_packet_of_the_documentation(example: dict[str, Any]) -> None:
    [packet] = packets(bytes.fromhex(example["hex"]), 7)
    decoded = example["decoded"]
    assert (len(packet.payload), packet.sequence) == (decoded["packet"]["length"], decoded["packet"]["sequence"])
    if "status" not in decoded["packet"]:
        command = CLIENT_PACKETS[packet.payload[0]].parse(packet.payload)
        body = {
            name: value for name, value in decoded["body"].items() if name not in {"command", "semi_sync_indicator"}
        }
        assert asdict(command) == body
        assert command.pack() == packet.payload
        return
    event = EventPacket.parse(packet.payload)
    assert event.semi_sync_flags == decoded["packet"].get("semi_sync_flags")
    assert event.event.hex() == BY_NAME[example["event"]]["hex"]
    assert event.pack() == packet.payload


@documented
@pytest.mark.parametrize("example", [e for e in EXAMPLES if e["kind"] == "stream"], ids=lambda e: e["name"])
@pytest.mark.parametrize("cut", [1, 13, 1 << 20])
def test_a_conversation_of_the_documentation(example: dict[str, Any], cut: int) -> None:
    found = packets(bytes.fromhex(example["hex"]), cut)
    assert [packet.payload.hex() for packet in found] == [one["hex"][8:] for one in example["conversation"]]
    for packet, one in zip(found, example["conversation"], strict=True):
        assert packet.sequence == one["sequence"]
        parser: Any = {"OK": Ok, "EOF": Eof}.get(one["what"]) or CLIENT_PACKETS.get(packet.payload[0])
        if one["from"] == "client" and packet.payload[0] not in CLIENT_PACKETS:
            continue
        if one["what"] in {"OK", "EOF"} or one["from"] == "client":
            expected = {k: v for k, v in one.get("decoded", {}).items() if k not in {"command", "semi_sync_indicator"}}
            assert expected.items() <= asdict(parser.parse(packet.payload)).items()
        if "event" in one:
            assert EventPacket.parse(packet.payload).event.hex() == BY_NAME[one["event"]]["hex"]


@documented
def test_fake_rotates_and_heartbeats_with_and_without_a_checksum() -> None:
    rotate = read_fake_rotate(bytes.fromhex(BY_NAME["mariadb_transmission_fake_rotate"]["hex"]))
    assert (rotate.position, rotate.log_name) == (4, "mysql-bin.000034")
    beat = read_heartbeat(bytes.fromhex(BY_NAME["mariadb_heartbeat"]["hex"]))
    assert beat == ReplicaHeartbeat(493, "foo-bin.1000139")
    with_checksum = bytes.fromhex(BY_NAME["mariadb_semi_sync_heartbeat"]["hex"])
    assert read_heartbeat(with_checksum) == ReplicaHeartbeat(1145, "mysql-bin.000034")


def event(code: int, body: bytes, log_pos: int = 0) -> bytes:
    return raw_event(code, body, log_pos, checksum=False)


def test_heartbeats_beyond_4_gib() -> None:
    far = (5 << 30) + 17
    assert read_heartbeat(event(27, far.to_bytes(8, "little") + b"shop-bin.000007")) == ReplicaHeartbeat(
        far, "shop-bin.000007"
    )
    name = b"shop-bin.000007"
    second = bytes([1, len(name)]) + name + b"\x02\x09\xfe" + far.to_bytes(8, "little") + b"\0"
    assert read_heartbeat(event(41, second)) == ReplicaHeartbeat(far, "shop-bin.000007")


@pytest.mark.parametrize("size", [0, 1, LARGEST_CHUNK - 1, LARGEST_CHUNK, LARGEST_CHUNK + 1, 2 * LARGEST_CHUNK])
def test_large_payloads_are_several_packets(size: int) -> None:
    payload = (b"\0abcdef" * (size // 7 + 1))[:size]
    data = frame(payload, 254) + frame(b"next", 3)
    first, second = packets(data, 1 << 20)
    assert (first.payload == payload, first.sequence, first.start) == (True, 254, 0)
    assert (first.chunks, first.end) == (size // LARGEST_CHUNK + 1, size + 4 * first.chunks)
    assert (second.payload, second.start, second.end) == (b"next", first.end, len(data))


def test_a_payload_without_end_is_refused() -> None:
    reader = PacketReader(limit=1 << 25)
    chunk = frame(bytes(LARGEST_CHUNK), 0)[:-4]
    for _ in range(2):
        reader.feed(chunk)
        assert reader.next() is None
    reader.feed(chunk)
    with pytest.raises(DecodeError, match="a packet of more than 33554432 bytes"):
        reader.next()


def test_errors_with_and_without_sqlstate() -> None:
    assert Err.parse(b"\xff\xd4\x04#HY000Could not find") == Err(1236, "HY000", "Could not find")
    assert Err.parse(b"\xff\x10\x04Too many connections") == Err(1040, "", "Too many connections")
    assert is_eof(b"\xfe\0\0\0\0")
    assert not is_eof(b"\xfe" + bytes(8))


def test_what_was_packed_is_parsed() -> None:
    for command in (
        RegisterSlave(7, "host", "", "", 3306, 1, 2),
        BinlogDump(4, 3, 0xFFFFFFFF, "shop-bin.000001"),
        BinlogDumpGtid(1, 9, "", 4, b"\x01" + bytes(40)),
        Acknowledgement(1 << 40, "shop-bin.000001"),
    ):
        assert type(command).parse(command.pack()) == command


PARSERS: list[Callable[[bytes], object]] = [
    RegisterSlave.parse,
    BinlogDump.parse,
    BinlogDumpGtid.parse,
    Acknowledgement.parse,
    Ok.parse,
    Eof.parse,
    Err.parse,
    EventPacket.parse,
    lambda data: EventPacket.parse(data, semi_sync=True),
    read_fake_rotate,
    read_heartbeat,
]


@pytest.mark.parametrize("parse", PARSERS)
def test_no_bytes_make_a_parser_fail_otherwise(parse: Callable[[bytes], object]) -> None:
    noise = random.Random(8)
    for _ in range(3000):
        data = bytes([noise.choice([0, 0x12, 0x15, 0x1E, 0xEF, 0xFE, 0xFF]), *noise.randbytes(noise.randrange(60))])
        with contextlib.suppress(DecodeError):
            parse(data[: noise.randrange(len(data) + 1)])
