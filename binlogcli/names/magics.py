"""The first four bytes of binary logs and of network captures.

MariaDB's encrypted logs begin with MAGIC too: only their events are encrypted.
"""

from __future__ import annotations

MAGIC = b"\xfebin"
ENCRYPTED_MAGIC = b"\xfdbin"  # of a log that MySQL encrypts
LOG_MAGICS = (MAGIC, ENCRYPTED_MAGIC)
# pcap in either byte order, with times in micro- or nanoseconds
PCAP_MAGICS = (b"\xd4\xc3\xb2\xa1", b"\xa1\xb2\xc3\xd4", b"\x4d\x3c\xb2\xa1", b"\xa1\xb2\x3c\x4d")
PCAPNG_MAGIC = b"\x0a\x0d\x0d\x0a"
CAPTURE_MAGICS = (*PCAP_MAGICS, PCAPNG_MAGIC)
