"""The GTIDs before a place in the logs: what a log written from there on says that came before it.

They are those that the log itself says came before it, and those read since, whether they are written or not. A
server that is given such a log, or a replica that reads it, then takes what was not written for known, not for missing.
"""

from __future__ import annotations

import struct

from binlogcli.events.event import Event
from binlogcli.events.mariadb import GtidList, MariadbGtid
from binlogcli.events.mysql import MysqlGtid, PreviousGtids
from binlogcli.gtids.encoding import encode_gtid_set
from binlogcli.gtids.intervals import Intervals
from binlogcli.gtids.parsing import MAX_MYSQL_GNO
from binlogcli.gtids.text import GtidSet, MysqlSource
from binlogcli.names.event_types import ANONYMOUS_GTID_LOG_EVENT, GTID_LIST_EVENT, PREVIOUS_GTIDS_LOG_EVENT

_IGNORABLE = 0x80  # LOG_EVENT_IGNORABLE_F, which PREVIOUS_GTIDS has
HeadEvent = tuple[int, int, bytes]  # type, flags and body of the event that says what came before
_EMPTY_LIST = bytes(6)  # a count of 0, and the two bytes that MariaDB pads it with


class History:
    """The GTIDs read so far. `has_gtids` says whether the log at hand is of a kind that records them."""

    def __init__(self) -> None:
        self._mysql: dict[MysqlSource, Intervals] = {}
        self._mariadb: dict[int, dict[int, int]] = {}  # domain: last number by server, the latest server last
        self.has_gtids = False
        self._at_head = True

    def begin_log(self) -> None:
        """Begin the next log, which may say itself what came before it."""
        self.has_gtids = False
        self._at_head = True

    def see(self, event: Event) -> None:
        """Take an event: what a log says of the GTIDs before it replaces what was known, at its head."""
        if isinstance(event, (PreviousGtids, GtidList)):
            self.has_gtids = True
            if self._at_head:
                self._mysql.clear()
                self._mariadb.clear()
        if isinstance(event, PreviousGtids):
            for source, pairs in event.gtid_set.entries:
                for first, last in pairs:
                    if 0 < first <= last <= MAX_MYSQL_GNO:  # others are damage that no checksum has shown
                        self._mysql.setdefault(source, Intervals()).add_all(first, last)
        elif isinstance(event, GtidList):
            for domain, server, number in event.list:
                self._reach(domain, server, number)
        elif isinstance(event, (MysqlGtid, MariadbGtid)):
            self._at_head = False

    def _reach(self, domain: int, server: int, number: int) -> None:
        servers = self._mariadb.setdefault(domain, {})
        servers.pop(server, None)
        servers[server] = number

    def add(self, event: Event) -> None:
        """Add the GTID of a transaction that is over."""
        if isinstance(event, MariadbGtid):
            self._reach(event.domain_id, event.server_id, event.seq_no)
        elif isinstance(event, MysqlGtid) and _is_named(event):
            self._mysql.setdefault((event.sid, event.tag), Intervals()).add(event.gno)

    def encoded(self, *, mariadb: bool) -> HeadEvent:
        """Return type, flags and body of the event that says what came before."""
        if not mariadb:
            return PREVIOUS_GTIDS_LOG_EVENT, _IGNORABLE, encode_gtid_set(self._mysql)
        numbers = [
            struct.pack("<IIQ", domain, server, number)
            for domain, servers in sorted(self._mariadb.items())
            for server, number in servers.items()
        ]
        return GTID_LIST_EVENT, 0, struct.pack("<I", len(numbers)) + b"".join(numbers) if numbers else _EMPTY_LIST


def add_gtid(gtids: GtidSet, event: Event) -> None:
    """Add the GTID that an event carries to a set."""
    if isinstance(event, MariadbGtid):
        gtids.setdefault((event.domain_id, event.server_id), Intervals()).add(event.seq_no)
    elif isinstance(event, MysqlGtid) and _is_named(event):
        gtids.setdefault((event.sid, event.tag), Intervals()).add(event.gno)


def _is_named(event: MysqlGtid) -> bool:
    """Return whether a transaction of MySQL has a GTID, and one that a server can have given it."""
    return event.type_code != ANONYMOUS_GTID_LOG_EVENT and 0 < event.gno <= MAX_MYSQL_GNO
