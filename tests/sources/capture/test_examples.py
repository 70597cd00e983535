"""The conversations of the public documentation, sent over a captured connection: each packet says what it should."""

from __future__ import annotations

from typing import Any

import pytest

from binlogcli.events.event import Event
from support.captures import Capture, CaptureReading
from support.corpus import NO_EXAMPLES, examples

EXAMPLES = examples()
BY_NAME = {example["name"]: example for example in EXAMPLES}
CONVERSATIONS = [example for example in EXAMPLES if example.get("conversation")]
PACKETS = [example for example in EXAMPLES if example["kind"] == "packet" and not example["damaged"]]
NAMES = {"semi-sync ACK", "greeting", "handshake response", "OK", "EOF", "column count", "column definition", "row"}

pytestmark = pytest.mark.skipif(not EXAMPLES, reason=NO_EXAMPLES)


def heard(conversation: list[dict[str, Any]]) -> CaptureReading:
    """The packets as they were sent, in segments of their own."""
    capture = Capture().open()
    for one in conversation:
        capture.bytes_of(one["from"], bytes.fromhex(one["hex"]))
    return CaptureReading(capture.pcap())


def as_documented(value: Any) -> Any:
    """A value as the examples write it."""
    if isinstance(value, bytes):
        return value.hex()
    return {key: as_documented(item) for key, item in value.items()} if isinstance(value, dict) else value


@pytest.mark.parametrize("example", CONVERSATIONS, ids=lambda example: example["name"])
def test_each_packet_of_a_conversation(example: dict[str, Any]) -> None:
    conversation = example["conversation"]
    reading = heard(conversation)
    messages = {message.place.number: message for message in reading.messages}
    sent = {event.place.number: event for log in reading.logs for event in log.sent_events}
    numbers = {one: 4 + 2 * at for at, one in enumerate(map(id, conversation))}  # three frames before, two for each
    for one in conversation:
        number = numbers[id(one)]
        if number in sent:
            assert sent[number].event.hex() == BY_NAME[one["event"]]["hex"]
            assert sent[number].sequence == one["sequence"]
            continue
        message = messages[number]
        assert (message.name, message.sequence) == (one["what"], one["sequence"])
        assert message.place.source == {"client": "10.0.0.2:40000", "server": "10.0.0.1:3306"}[one["from"]]
        for name, expected in one.get("decoded", {}).items():
            if name in {"command", "semi_sync_indicator"}:
                assert message.fields[0].value == expected
            elif name in {"auth_plugin_data", "auth_response"}:
                assert message.body[name] == f"redacted, {len(expected) // 2} bytes"  # decoded, but not told
            else:
                assert as_documented(message.body[name]) == expected
    queries = [message.body["query"] for message in reading.messages if message.name == "COM_QUERY"]
    assert queries == example["expect"].get("queries", queries)


@pytest.mark.parametrize("example", PACKETS, ids=lambda example: example["name"])
def test_a_packet_by_itself(example: dict[str, Any]) -> None:
    decoded = example["decoded"]
    data = bytes.fromhex(example["hex"])
    if "status" in decoded["packet"]:
        before, event = BY_NAME["mariadb_event_transmission"]["conversation"], {"from": "server", "hex": data.hex()}
        reading = heard([*before, event])
        expected = BY_NAME[example["event"]]["hex"]
        sent = [one for log in reading.logs for one in log.sent_events if one.event.hex() == expected]
        if not sent:  # artificial: told of, and in no log
            message = reading.messages[-1]
            fields = {field.name: field.value for field in message.fields}
            assert message.name == decoded["header"]["type"]
            assert {name: fields[name] for name in decoded["header"] if name != "type"} == {
                name: value for name, value in decoded["header"].items() if name != "type"
            }
            assert message.body["log_name"] == decoded["body"]["log_ident"]
            flags = fields.get("semi_sync_flags")
        else:
            flags = sent[0].semi_sync_flags
            [found] = [item for item in reading.items if isinstance(item, Event) and item.raw.hex() == expected]
            assert {name: found.as_dict()[name] for name in decoded["body"]} == decoded["body"]
        assert flags == decoded["packet"].get("semi_sync_flags")
        return
    message = heard([*asked(data), {"from": "client", "hex": data.hex()}]).messages[-1]
    assert message.sequence == decoded["packet"]["sequence"]
    for name, value in decoded["body"].items():
        if name in {"command", "semi_sync_indicator"}:
            assert message.fields[0].value == value
        else:
            assert message.body[name] == value


def asked(data: bytes) -> list[dict[str, Any]]:
    """What must have been said before a client's packet for it to be known: an acknowledgement follows events."""
    return BY_NAME["mariadb_semi_sync_xid_and_ack"]["conversation"][:1] if data[4] == 0xEF else []
