"""What the tool of MariaDB 11.8 says of logs that older servers wrote."""

from __future__ import annotations

import struct
from pathlib import Path

from support.logs import MARIADB, LogBuilder
from support.mysqlbinlog_text import text_of

STOP, GTID_LIST = 3, 163


def test_gtids_of_a_domain_are_in_the_order_they_were_written_in(tmp_path: Path) -> None:
    """By domain, then by sequence number, whoever the server was; equals stay as they are in the log."""
    gtids = [(1, 1, 7), (4000000000, 200, 1 << 40), (1, 200, 7), (4000000000, 201, 5), (1, 2, 1)]
    body = struct.pack("<I", len(gtids)) + b"".join(struct.pack("<IIQ", *gtid) for gtid in gtids)
    path = tmp_path / "log"
    path.write_bytes(bytes(LogBuilder(MARIADB).describe().add(GTID_LIST, body).log))
    assert (
        b"\tGtid list [1-2-1,\n# 1-1-7,\n# 1-200-7,\n# 4000000000-201-5,\n# 4000000000-200-1099511627776]\n"
        in text_of(path)
    )


def test_an_event_without_a_body_has_no_bytes_and_no_line_for_them(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(bytes(LogBuilder(MARIADB).describe().add(STOP, b"").log))
    *_, before, last, _ = text_of(path, hexdump=True).split(b"# Event: \tStop\n")[0].split(b"\n")
    assert (before[:2], last) == (b"# ", b"#")
