"""A request for a dump: the variables that are set before it, and the command that begins it."""

from __future__ import annotations

from dataclasses import dataclass

from binlogcli.sources.protocol import packets, requests
from binlogcli.sources.server.groups import Groups

_SHORT_POSITION = (1 << 32) - 1  # the largest that a dump can be asked to begin at
HEARTBEATS = 4  # in a time-out
MAX_EVENT_SIZE = (1 << 30) + 64


@dataclass(frozen=True, slots=True)
class Request:
    """The log or groups to request, and how. The first `known` bytes of the log are not wanted again."""

    log: str
    position: int = packets.LOG_START
    known: int = 0
    follow: bool = False
    groups: Groups | None = None  # instead of log and position
    server_id: int = 0
    semi_sync: bool = False
    register: bool = False
    timeout: float = 60.0
    max_event_size: int = MAX_EVENT_SIZE
    verify: bool = False  # whether events must fit their checksums

    @property
    def start(self) -> int:
        """The position to request: that of the log, or its beginning where the position has more than 32 bits."""
        if self.groups is not None or self.position > _SHORT_POSITION:
            return packets.LOG_START
        return self.position

    def variables(self, *, mariadb: bool) -> str:
        """Return the statement that sets a replica's variables, those of all server versions."""
        values = {"master_binlog_checksum": "'NONE'", "source_binlog_checksum": "'NONE'"}
        if mariadb:
            values["mariadb_slave_capability"] = "4"
        if self.follow:
            period = max(int(self.timeout / HEARTBEATS * 1e9), 1_000_000)
            values |= {"master_heartbeat_period": str(period), "source_heartbeat_period": str(period)}
        if self.semi_sync:
            values |= {"rpl_semi_sync_slave": "1", "rpl_semi_sync_replica": "1"}
        if self.groups is not None and mariadb:
            values["slave_connect_state"] = f"'{self.groups.connect_state()}'"
            values |= {"slave_gtid_strict_mode": "0", "slave_gtid_ignore_duplicates": "0"}
        return "SET " + ", ".join(f"@{name}={value}" for name, value in values.items())

    def command(self, *, mariadb: bool) -> bytes:
        """Return the payload of the dump request."""
        flags = 0 if self.follow else packets.BINLOG_DUMP_NON_BLOCK
        if mariadb:
            flags |= packets.BINLOG_SEND_ANNOTATE_ROWS_EVENT
        elif self.groups is not None:
            known = self.groups.known_set()
            return requests.BinlogDumpGtid(flags, self.server_id, "", packets.LOG_START, known).pack()
        return requests.BinlogDump(self.start, flags, self.server_id, self.log).pack()
