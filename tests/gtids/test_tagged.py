"""GTID_TAGGED events whose numbers are larger than any server writes: kept as they are, or damage."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest

import binlogcli
from binlogcli.binary.cursor import Cursor
from binlogcli.errors import DecodeError
from binlogcli.events.mysql import MysqlTaggedGtid
from binlogcli.gtids.tagged import FIELDS, read_message
from support.golden import GOLDEN

GTID_TAGGED = 42
HUGE = (1 << 64) - 1


def varint(value: int) -> bytes:
    """A number as the servers serialize it, in its longest form."""
    return b"\xff" + value.to_bytes(8, "little")


def message(name: str, content: bytes) -> bytes:
    field = varint(FIELDS.index(name)) + content
    head = varint(1) + varint(27 + len(field)) + varint(0)
    return head + field


def log_with(body: bytes) -> bytes:
    """The head of a real log, and one GTID_TAGGED event."""
    data = (GOLDEN / "mysql-8.4" / "gtid_tags" / "gtid_tags.000001").read_bytes()
    head = data[: int.from_bytes(data[17:21], "little")]
    size = 19 + len(body) + 4
    event = bytes(4) + bytes([GTID_TAGGED]) + (1).to_bytes(4, "little") + size.to_bytes(4, "little")
    event += (len(head) + size).to_bytes(4, "little") + bytes(2) + body
    return head + event + zlib.crc32(event).to_bytes(4, "little")


@pytest.mark.parametrize("name", [name for name in FIELDS if name not in {"uuid", "tag"}])
def test_any_number_of_64_bits_is_read(name: str, tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes(log_with(message(name, varint(HUGE))))
    with binlogcli.open(str(tmp_path / "a.log")) as log:
        _, event = log
    assert isinstance(event, MysqlTaggedGtid)
    assert event.as_dict()


def test_a_tag_longer_than_the_message_is_damage() -> None:
    with pytest.raises(DecodeError, match=f"tag_length is {HUGE}"):
        read_message(Cursor(message("tag", varint(HUGE))))
