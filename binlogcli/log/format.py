"""How the events of a log are laid out, as its FORMAT_DESCRIPTION or START_V3 event says.

What only framing and decoding need: header sizes, checksum algorithm, family and version of the server.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from binlogcli.binary.cursor import Cursor
from binlogcli.errors import DecodeError
from binlogcli.names import event_types
from binlogcli.names.event_types import event_type_name

HEADER_SIZE = 19
_HEADER_SIZE_V1 = 13
CHECKSUM_SIZE = 4

# Post-header sizes by type - 1. What a server of version 3 wrote, and what today's write (for logs without their head).
_POST_HEADER_V3 = (56, 11, 0, 8, 0, 18, 0, 4, 4, 4, 4, 18, 0, 0)
_POST_HEADER_V4 = (
    56, 13, 0, 8, 0, 18, 0, 4, 4, 4, 4, 18, 0, 0, 0, 0, 4, 26, 8, 0, 0, 0, 8, 8, 8, 2, 0, 0, 0, 10, 10, 10,
)  # fmt: skip

# Alphas of 5.1 and 5.2 with row logging numbered types otherwise from 16 on: what each of theirs is today.
_EARLY_ROW_SERVERS = r"5\.1\.[1-5]-|5\.2\.[0-2]-"
_EARLY_TYPES = (
    *range(event_types.XID_EVENT),
    *(
        event_types.TABLE_MAP_EVENT,
        event_types.PRE_GA_WRITE_ROWS_EVENT,
        event_types.PRE_GA_UPDATE_ROWS_EVENT,
        event_types.PRE_GA_DELETE_ROWS_EVENT,
    ),
    *(event_types.XID_EVENT, event_types.BEGIN_LOAD_QUERY_EVENT, event_types.EXECUTE_LOAD_QUERY_EVENT),
)

_VERSION = re.compile(r"(\d+)\.(\d*)\.?(\d*)")
_VERSION_FIELD = rb"\d+\.\d+\.\d+[ -~]*\0*\Z"
_NEARLY_MARIADB = "|".join(
    f"{name[:at]}.{name[at + 1 :]}" for name in ("MariaDB", "-maria-") for at in range(len(name))
)
NAMELESS_MARIADB = "0.0.0-MariaDB"  # of a log whose events alone tell the family
FORMAT_HEAD = 62  # bytes of a format description's body by which it is recognized


class LogFormat(NamedTuple):
    """The content of one FORMAT_DESCRIPTION or START_V3 event.

    `checksum` is 0 for none, 1 for CRC32, and None where the server had no checksums yet.
    """

    binlog_version: int = 4
    server_version: str = ""
    created: int = 0
    common_header_len: int = HEADER_SIZE
    post_header_len: tuple[int, ...] = _POST_HEADER_V4
    checksum: int | None = None
    early_types: bool = False

    @property
    def header_size(self) -> int:
        """Return the size in bytes of the common header of the events that follow."""
        return _HEADER_SIZE_V1 if self.binlog_version == 1 else self.common_header_len

    @property
    def mariadb(self) -> bool:
        """Return whether a server of the MariaDB family wrote the log."""
        return is_mariadb(self.server_version)

    @property
    def version(self) -> tuple[int, int, int]:
        """Return the server's version as numbers; (0, 0, 0) where the text does not begin with one."""
        return version_numbers(self.server_version)

    @property
    def post_headers(self) -> bytes:
        """Return the size of the post-header by event type, as 256 bytes; 0 where none is known."""
        return bytes([0, *self.post_header_len[:255]]).ljust(256, b"\0")


def is_mariadb(server_version: str) -> bool:
    """Return whether a server version names MariaDB, by the servers' own rule."""
    return "MariaDB" in server_version or "-maria-" in server_version


def version_numbers(server_version: str) -> tuple[int, int, int]:
    """Return the three numbers of a server version; zeros where one is missing at the front or over 255."""
    match = _VERSION.match(server_version)
    if not match:
        return (0, 0, 0)
    major, minor, patch = (int(part or 0) for part in match.groups())
    return (major, minor, patch) if max(major, minor, patch) <= 255 else (0, 0, 0)


def knows_checksums(server_version: str) -> bool:
    """Return whether that server's format descriptions carry a checksum algorithm."""
    threshold = (5, 3, 0) if is_mariadb(server_version) else (5, 6, 1)
    return version_numbers(server_version) >= threshold


def read_format_description(body: Cursor, checksum_size: int = 0, *, proven: bool = False) -> LogFormat:
    """Read the body of a FORMAT_DESCRIPTION event, up to and including the checksum algorithm.

    Four bytes of checksum follow the algorithm's byte even where the algorithm is none; `checksum_size` is how many of
    them the cursor still includes. `proven`: they are there, whatever the server's version. Raises DecodeError for
    another binlog version than 4.
    """
    binlog_version = body.u2("binlog_version")
    if binlog_version != 4:
        raise DecodeError(f"binlog_version is {binlog_version}, not 4")
    server_version = body.padded_text("server_version", 50)
    created = body.u4("created")
    common_header_len = body.u1("common_header_len")
    if common_header_len < HEADER_SIZE:
        raise DecodeError(f"common_header_len is {common_header_len}, less than {HEADER_SIZE}")
    trailer = 1 + checksum_size if proven or knows_checksums(server_version) else 0
    sizes = _read_post_header_len(body, body.left() - trailer)
    checksum = body.u1("checksum_alg") if trailer else None
    early = len(sizes) == len(_EARLY_TYPES) - 1 and re.match(_EARLY_ROW_SERVERS, server_version) is not None
    if early:
        sizes = bytes(sizes[_EARLY_TYPES.index(code) - 1] for code in range(1, len(_EARLY_TYPES)))
    return LogFormat(binlog_version, server_version, created, common_header_len, tuple(sizes), checksum, early)


def resembles_format_description(data: bytes, at: int) -> bool:
    """Return whether the bytes from `at` on look like the body of a format description, but for one field at most."""
    body = data[at : at + FORMAT_HEAD]
    signs = (
        body[:2] == b"\4\0",  # binlog_version
        re.match(_VERSION_FIELD, body[2:52]) is not None,
        body[56:57] == bytes([HEADER_SIZE]),
        body[58:62] == bytes(_POST_HEADER_V4[1:5]),  # of types that have not changed since 5.0
    )
    return len(body) == FORMAT_HEAD and sum(signs) >= len(signs) - 1


def assumed_format(data: bytes, at: int) -> LogFormat:
    """Return the format to expect after a damaged format description whose body begins at `at`.

    The sizes are those that all servers write, the version is the one named if it can be one; whether events have
    checksums is left open. MariaDB's name may have a wrong letter.
    """
    version = data[at + 2 : at + 52].split(b"\0", 1)[0].decode("latin-1")
    if re.search(_NEARLY_MARIADB, version):  # compiled here: damage alone comes by
        return LogFormat(server_version=version if is_mariadb(version) else NAMELESS_MARIADB)
    return LogFormat(server_version=version if _VERSION.match(version) else "")


def _read_post_header_len(body: Cursor, count: int) -> bytes:
    if body.notes is None:
        return body.take("post_header_len", count)
    at = body.pos
    body.enter("post_header_len")
    code = 1
    while code <= count:
        last = code
        while code not in event_types.EVENT_TYPES and last < count and last + 1 not in event_types.EVENT_TYPES:
            last += 1
        if last > code:
            body.take(f"types {code} to {last}", last - code + 1)
        else:
            body.u1(event_type_name(code))
        code = last + 1
    body.leave()
    return body.data[at : body.pos]


def early_type(type_code: int) -> int:
    """Return today's number of an event type that an early server with row logging wrote."""
    return _EARLY_TYPES[type_code] if type_code < len(_EARLY_TYPES) else type_code


def read_start_v3(body: Cursor) -> LogFormat:
    """Read the body of a START_EVENT_V3 event, of logs of version 1 to 3; DecodeError for another version."""
    version = body.u2("binlog_version")
    if version not in (1, 2, 3):
        raise DecodeError(f"binlog_version is {version}, not 1 or 3")
    server_version = body.padded_text("server_version", 50)
    created = body.u4("created")
    return LogFormat(version, server_version, created, HEADER_SIZE, _POST_HEADER_V3, None)
