"""The meanings of packet fields: bits whose names depend on the packet and on the server's family."""

from __future__ import annotations

import pytest

from binlogcli.render.hexdump.words.packet_fields import explained

ANNOTATE, HEARTBEAT = "BINLOG_SEND_ANNOTATE_ROWS_EVENT", "USE_HEARTBEAT_EVENT_V2"


@pytest.mark.parametrize(
    ("packet", "family", "value", "words"),
    [
        ("COM_BINLOG_DUMP", "MariaDB", 0, ""),
        ("COM_BINLOG_DUMP", "MariaDB", 1, "BINLOG_DUMP_NON_BLOCK"),
        ("COM_BINLOG_DUMP", "MariaDB", 3, f"BINLOG_DUMP_NON_BLOCK, {ANNOTATE}"),
        ("COM_BINLOG_DUMP", "MySQL", 2, HEARTBEAT),
        ("COM_BINLOG_DUMP", "", 2, f"{ANNOTATE} or {HEARTBEAT}"),
        ("COM_BINLOG_DUMP", "MySQL", 4, "0x4"),
        ("COM_BINLOG_DUMP_GTID", "MySQL", 3, f"BINLOG_DUMP_NON_BLOCK, {HEARTBEAT}"),
        ("COM_BINLOG_DUMP_GTID", "", 2, HEARTBEAT),
        ("ROTATE_EVENT", "MySQL", 0x22, "LOG_EVENT_FORCED_ROTATE_F, LOG_EVENT_ARTIFICIAL_F"),
        ("column definition", "MySQL", 2, "PRI_KEY_FLAG"),
    ],
)
def test_the_flags_of_a_packet_have_the_names_of_its_own_bits(packet: str, family: str, value: int, words: str) -> None:
    assert explained(packet, "flags", value, 2, family).meaning == words
