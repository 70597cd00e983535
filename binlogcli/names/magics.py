"""The first four bytes of a log, and of what may hold one.

MariaDB's encrypted logs begin as plain ones do: their events are encrypted.
"""

from __future__ import annotations

MAGIC = b"\xfebin"
ENCRYPTED_MAGIC = b"\xfdbin"
LOG_MAGICS = (MAGIC, ENCRYPTED_MAGIC)
# of network captures: pcap in either byte order with times in micro- or nanoseconds, and pcapng
PCAP_MAGICS = (b"\xd4\xc3\xb2\xa1", b"\xa1\xb2\xc3\xd4", b"\x4d\x3c\xb2\xa1", b"\xa1\xb2\x3c\x4d")
PCAPNG_MAGIC = b"\x0a\x0d\x0d\x0a"
CAPTURE_MAGICS = (*PCAP_MAGICS, PCAPNG_MAGIC)
