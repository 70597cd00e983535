"""How far a stream that was asked for by GTIDs has come, so that another connection can go on where one broke.

Such a stream leaves groups out: its bytes have no positions that a server could be asked for. It is asked for what
follows the groups that are whole, sends the one that was on its way again, and of this the bytes that came are known.
"""

from __future__ import annotations

from binlogcli.errors import DecodeError, counted
from binlogcli.gtids.positions import Intervals, mariadb_state, mysql_intervals, mysql_set

MARIADB_GTID, MYSQL_GTID, MYSQL_TAGGED_GTID = 162, 33, 42
HEADER = 19
UUID_FIELD, GNO_FIELD, TAG_FIELD = 1, 2, 3  # of a GTID_TAGGED event
UUID_SIZE = 16
Gtid = tuple[bytes, str, int]  # MySQL: UUID, tag, number; MariaDB: domain, server, number, with nothing in between


class Groups:
    """The groups of one stream: those that came, and the one on its way."""

    def __init__(self, asked: str, *, mariadb: bool) -> None:
        self.mariadb = mariadb
        self.log = ""  # that is being sent
        self.current: Gtid | None = None  # the group on its way; None before the first one of a log
        self.given = 0  # bytes that came since it began, or since the log began
        self._domains: dict[bytes, str] = {}
        self._sets: Intervals = {}
        if mariadb:
            for gtid in filter(None, mariadb_state(asked).split(",")):
                self._domains[int(gtid.split("-")[0]).to_bytes(4, "little")] = gtid
        else:
            self._sets = mysql_intervals(asked)

    def connect_state(self) -> str:
        """What MariaDB is asked to go on after."""
        return ",".join(self._domains.values())

    def known_set(self) -> bytes:
        """What MySQL is asked to leave out."""
        return mysql_set(self._sets)

    def begin(self, gtid: Gtid) -> None:
        """Another group: the one before is whole."""
        self._end_group()
        self.current = gtid

    def begin_log(self, log: str) -> None:
        """Another log: no group runs over a log's end."""
        self._end_group()
        self.log = log
        self.given = 0

    def _end_group(self) -> None:
        if self.current is None:
            return
        sid, tag, number = self.current
        self.current = None
        if self.mariadb:
            domain = sid[:4]
            domain_id, server_id = int.from_bytes(domain, "little"), int.from_bytes(sid[4:], "little")
            self._domains[domain] = f"{domain_id}-{server_id}-{number}"
            return
        pieces = self._sets.setdefault((sid, tag), [])
        if pieces and pieces[-1][1] == number:
            pieces[-1] = (pieces[-1][0], number + 1)
        else:
            pieces.append((number, number + 1))


def gtid_of(event: bytes) -> Gtid:
    """The GTID that an event of the stream begins a group with."""
    code, body = event[4], event[HEADER:]
    if code == MARIADB_GTID and len(body) >= 12:
        return body[8:12] + event[5:9], "", int.from_bytes(body[:8], "little")
    if code == MYSQL_GTID and len(body) >= 25:
        return body[1:17], "", int.from_bytes(body[17:25], "little", signed=True)
    if code == MYSQL_TAGGED_GTID:
        return _tagged(body)
    raise DecodeError(f"an event of type {code} and {counted(len(event), 'byte')} begins no group")


def _tagged(body: bytes) -> Gtid:
    """The first fields of a GTID_TAGGED event: a message of numbered fields, after its version, size and last field."""
    at = 0

    def number() -> int:
        nonlocal at
        if at >= len(body):
            raise DecodeError("a GTID that ends too early")
        more = (~body[at] & (body[at] + 1)).bit_length() - 1  # its trailing ones: how many bytes follow
        size = min(more, 8) + 1
        value = int.from_bytes(body[at : at + size], "little") >> (size if more < 8 else 8)
        at += size
        return value

    sid, tag, gno = b"", "", 0
    for _ in range(3):
        number()
    for _ in range(TAG_FIELD + 1):
        field = number()
        if field == UUID_FIELD:
            sid = bytes(number() & 0xFF for _ in range(UUID_SIZE))
        elif field == GNO_FIELD:
            gno = number() >> 1  # the lowest bit is the sign
        elif field == TAG_FIELD:
            size = number()
            tag = body[at : at + size].decode("ascii", "replace")
            break
        else:
            number()
    return sid, tag, gno
