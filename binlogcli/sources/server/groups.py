"""How far a stream that was requested by GTIDs has come, so that another connection can go on where one broke.

Such a stream leaves groups out, so that its bytes have no positions to request. The new request names the groups that
came whole; the server sends the group that was on its way again from its beginning, and the bytes of it that came
before are skipped.
"""

from __future__ import annotations

from binlogcli.binary.cursor import Cursor
from binlogcli.errors import DecodeError, SourceError, counted
from binlogcli.gtids.encoding import encode_gtid_set
from binlogcli.gtids.intervals import Intervals
from binlogcli.gtids.parsing import MAX_MYSQL_GNO, GtidError, items, read_mariadb_item, read_mysql_item
from binlogcli.gtids.tagged import read_message
from binlogcli.gtids.text import MysqlSource, Source, mariadb_gtid, uuid_text
from binlogcli.names.event_types import GTID_EVENT, GTID_LOG_EVENT, GTID_TAGGED_LOG_EVENT
from binlogcli.sources.protocol.packets import EVENT_HEADER

Gtid = tuple[Source, int]
Position = dict[int, tuple[int, int]]  # by domain of MariaDB, server and number of its last GTID


class Groups:
    """The groups of one stream: those that came whole, and the one on its way."""

    def __init__(self, asked: str, *, mariadb: bool) -> None:
        self.mariadb = mariadb
        self.log = ""  # that is being sent
        self.current: Gtid | None = None  # the group on its way; None before the first one of a log
        self.given = 0  # bytes that came since it began, or since the log began
        self._domains = _mariadb_position(asked) if mariadb else {}
        self._sets = {} if mariadb else _mysql_set(asked)

    def connect_state(self) -> str:
        """Return the GTIDs that MariaDB continues after, as the value of @slave_connect_state."""
        return ",".join(mariadb_gtid(domain, *last) for domain, last in self._domains.items())

    def known_set(self) -> bytes:
        """Return the encoded GTID set that MySQL leaves out."""
        return encode_gtid_set(self._sets)

    def begin(self, gtid: Gtid) -> None:
        """Begin a group; the one before is whole."""
        self._end_group()
        self.current = gtid

    def begin_log(self, log: str) -> None:
        """Begin a log; the last group of the one before is whole, as no group runs over a log's end."""
        self._end_group()
        self.log = log
        self.given = 0

    def _end_group(self) -> None:
        if self.current is None:
            return
        (first, second), number = self.current
        self.current = None
        if isinstance(first, int):
            self._domains[first] = (int(second), number)
        else:
            self._sets.setdefault((first, str(second)), Intervals()).add(number)


def _mariadb_position(text: str) -> Position:
    position: Position = {}
    compact = "".join(text.split())
    for item in compact.split(",") if compact else ():
        try:
            known = None if ".." in item else read_mariadb_item(item)
        except GtidError:
            known = None
        if known is None:
            hint = "write 0-1-100, for several domains 0-1-100,1-1-7"
            raise SourceError(f"{text!r} is not a MariaDB GTID position", hint=hint)
        (domain, server), (number, _) = known
        position[domain] = (server, number)
    return position


def _mysql_set(text: str) -> dict[MysqlSource, Intervals]:
    found: dict[MysqlSource, Intervals] = {}
    for item in items(text):
        try:
            for source, (first, last) in read_mysql_item(item):
                found.setdefault(source, Intervals()).add_all(first, last)
        except GtidError:
            hint = "write UUID:1-5:7, several with commas"
            raise SourceError(f"{item!r} is not a MySQL GTID set", hint=hint) from None
    return found


def gtid_of(event: bytes) -> Gtid:
    """Return the GTID of an event that begins a group; raise `DecodeError` for other events."""
    code, body = event[4], event[EVENT_HEADER:]
    if code == GTID_EVENT and len(body) >= 12:
        source = int.from_bytes(body[8:12], "little"), int.from_bytes(event[5:9], "little")
        return source, int.from_bytes(body[:8], "little")
    if code == GTID_LOG_EVENT and len(body) >= 25:
        return (uuid_text(body[1:17]), ""), _gno(int.from_bytes(body[17:25], "little", signed=True))
    if code == GTID_TAGGED_LOG_EVENT:
        found = read_message(Cursor(body))
        return (uuid_text(found.uuid), found.tag), _gno(found.numbers.get("gno", 0))
    raise DecodeError(f"an event of type {code} and {counted(len(event), 'byte')} does not start a group")


def _gno(number: int) -> int:
    """Return a number of MySQL's; raise `DecodeError` for one that no transaction can have."""
    if not 1 <= number <= MAX_MYSQL_GNO:
        raise DecodeError(f"the GTID of a group has the number {number}")
    return number
