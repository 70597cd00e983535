"""The signs of replication: how a greeting, a replica's request and an event are known by their first bytes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from binlogcli.errors import DecodeError
from binlogcli.names.event_types import HEARTBEAT_EVENTS, ROTATE_EVENT
from binlogcli.sources.protocol import answers, login, packets, requests

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from binlogcli.sources.protocol.parsing import PacketParser

REQUESTS = (packets.COM_BINLOG_DUMP, packets.COM_REGISTER_SLAVE, packets.COM_BINLOG_DUMP_GTID)
PARSERS: dict[int, PacketParser[DataclassInstance]] = {
    packets.COM_REGISTER_SLAVE: requests.RegisterSlave,
    packets.COM_BINLOG_DUMP: requests.BinlogDump,
    packets.COM_BINLOG_DUMP_GTID: requests.BinlogDumpGtid,
    packets.COM_QUERY: requests.ComQuery,
}


def is_greeting(data: bytes) -> bool:
    """Whether a connection that begins with these bytes is one to a MySQL or MariaDB server."""
    return (
        len(data) > 40
        and data[3] == 0
        and data[4] == login.PROTOCOL_VERSION
        and int.from_bytes(data[:3], "little") <= len(data) - packets.PACKET_HEADER
        and re.match(rb"[0-9][ -~]{2,80}\0", data[5:]) is not None
    )


def is_request(data: bytes) -> bool:
    """Whether these bytes are one packet that asks for a log."""
    if len(data) < 15 or data[3] or data[4] not in REQUESTS or int.from_bytes(data[:3], "little") != len(data) - 4:
        return False
    try:
        PARSERS[data[4]].parse(data[4:])
    except DecodeError:
        return False
    return True


def is_artificial(event: bytes) -> bool:
    """Whether an event was made for the connection and is in no log."""
    flags = int.from_bytes(event[17:19], "little")
    if flags & packets.ARTIFICIAL_FLAG or event[4] in HEARTBEAT_EVENTS:
        return True
    return event[4] == ROTATE_EVENT and not any(event[:4]) and not any(event[13:17])


def brings_event(payload: bytes) -> bool:
    """Whether a server's packet is an event: the length in the event's header fits the packet's."""
    if payload[:1] != bytes([packets.OK]) or len(payload) <= packets.EVENT_HEADER:
        return False
    event = answers.EventPacket.parse(payload).event
    return len(event) >= packets.EVENT_HEADER and int.from_bytes(event[9:13], "little") == len(event)
