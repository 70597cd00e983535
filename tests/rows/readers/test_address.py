"""Internet addresses as the servers print them; each line was printed by one."""

from __future__ import annotations

from ipaddress import IPv6Address

import pytest

from binlogcli.rows.readers.address import address_text


@pytest.mark.parametrize(
    "text",
    [
        "2001:2::1:0:1:0:1",  # one group of zeros, the first of several, is shortened too
        "1:0:0:2::3",
        "::",
        "::1",
        "1::",
        "::1.2.3.4",
        "::ffff:1.2.3.4",
        "1:2:3:4:5:6:7:8",
    ],
)
def test_inet6_is_printed_as_the_server_prints_it(text: str) -> None:
    assert address_text("inet6", IPv6Address(text).packed) == text
