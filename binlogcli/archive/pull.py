"""Copies a server's logs into a directory, and continues after whatever breaks.

One attempt is one connection: check that it is the archive's server, compare the archive's end with the logs it has
(`plan`), request what follows the last whole event, and append what comes. A break of any kind ends the attempt; the
copy is then cut to whole events and made safe, and after a wait (`retries`) the next attempt finds its place
in this way. So there is no other state to restore than what is on the disk.

Invariants: the state file never counts a byte that is not on the disk, and an acknowledgement is sent only for what is.
Acknowledgements are put together for up to 20 ms, as each costs a sync of the file.
"""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass

from binlogcli.archive.archive import LogArchive
from binlogcli.archive.log_copy import LogCopy
from binlogcli.archive.plan import CLOSING, next_step
from binlogcli.archive.retries import Retries
from binlogcli.archive.stopping import StopNow, Stopping
from binlogcli.errors import OutputError, ServerError, WireError
from binlogcli.sources.protocol.packets import LOG_START
from binlogcli.sources.server.address import Address
from binlogcli.sources.server.connection import ServerConnection
from binlogcli.sources.server.logs import NO_PRIVILEGE, ServerLog, sensible, server_identity, server_logs, size_from
from binlogcli.sources.server.options import ServerOptions, account_of
from binlogcli.sources.server.replica import ACK_WANTED, ENDED, IDLE, ROTATED, WOKEN, Replica, same_log
from binlogcli.sources.server.request import Request
from binlogcli.sources.server.source import own_server_id
from binlogcli.sources.wire_figures import WireFigures

_QUIET_SECONDS = 1.0  # without anything new, after which all that came is made safe
_ACK_SECONDS = 0.02  # acknowledgements are put together for so long while more is coming in
_TRUNCATED = "truncated in the middle"  # the server's words for a log that a crash has left torn


@dataclass(frozen=True, slots=True)
class PullOptions:
    """The options of a run."""

    follow: bool = False
    semi_sync: bool = False
    retries: int = 5  # in a row and without progress, where nothing is followed; always for what cannot be right
    verify: bool = True  # whether events must fit their checksums


@dataclass(slots=True)
class _Owed:
    """An acknowledgement that is still to be sent; `since` is in seconds of the monotonic clock."""

    log: str
    position: int
    since: float


class LogPull:
    """One run of `pull`."""

    def __init__(
        self, address: Address, server: ServerOptions, options: PullOptions, archive: LogArchive, stopping: Stopping
    ) -> None:
        self.address = address
        self.server = server
        self.options = options
        self.archive = archive
        self.stopping = stopping
        self.tell = archive.tell
        self.figures = WireFigures()
        self.received = 0  # bytes of logs
        self.expected: int | None = None  # bytes of logs in the end; None where the server does not say
        self._account, warnings = account_of(address, server)
        for warning in warnings:
            self.tell(warning)
        self._retries = Retries(None if options.follow else options.retries, self.tell)
        archive.on_progress = lambda: self._retries.over(self._account.place)
        self._owed: _Owed | None = None
        self._mariadb = True
        self._wrong: tuple[str, int] | None = None  # where what came could not be right, and how often it was in a row
        self._wrong_count = 0
        self._torn = ""  # the log whose end a crash has torn off on the server
        self._reached = False

    def run(self) -> None:
        """Copy logs until all are there or a signal comes."""
        try:
            while not self._attempt():
                pass
        except StopNow:
            pass
        finally:
            with contextlib.suppress(OutputError):
                self.archive.settle()
            self.archive.close()

    def _attempt(self) -> bool:
        """Use one connection; return whether it was the last."""
        try:
            try:
                self._one_connection()
            except WireError as error:
                self.archive.settle()
                self._wait_after(error, passing=self._may_come_right(error))
                return False
            except ServerError as error:
                self.archive.settle()
                self._wait_after(error, passing=error.passing and (self._reached or self.options.follow))
                return False
        except OutputError as error:
            with contextlib.suppress(OutputError):
                self.archive.forget_copy()
            self._wait_after(error, passing=error.passing and self.options.follow)
            return False
        return True

    def _may_come_right(self, error: WireError) -> bool:
        """Whether to ask again for what cannot be right: in one place as often as the options say, whatever follows."""
        place = (error.log, self.archive.end)
        self._wrong_count = self._wrong_count + 1 if place == self._wrong else 1
        self._wrong = place
        return self._wrong_count <= self.options.retries

    def _wait_after(self, error: ServerError | OutputError, *, passing: bool) -> None:
        self._owed = None
        wait = self._retries.wait_after(error, passing=passing)
        self.figures.reconnects += 1
        self.stopping.wait(wait)

    @property
    def place(self) -> str:
        """The server, as messages name it."""
        return self._account.place

    # one connection -------------------------------------------------------------------------------------------

    def _one_connection(self) -> None:
        self._retries.asked = ""
        with self.stopping.at_once():
            connection = ServerConnection(self._account, self.server.timeout)
        with contextlib.closing(connection):
            with self.stopping.at_once():
                self._mariadb = connection.mariadb
                with sensible(connection):
                    self._check_identity(connection)
                    self._check_semi_sync(connection)
                has = self._logs(connection)
            log, position = self._place(has)
            self.expected = self.received + size_from(has, log, position) if has else None
            self._retries.asked = f"{log or 'the first log'} from {position} on"
            replica = Replica(connection, self._request(log, position), self.figures)
            self._reached = True
            self._receive(replica)

    def _request(self, log: str, position: int) -> Request:
        return Request(
            log,
            position,
            follow=self.options.follow,
            server_id=self._server_id(),
            semi_sync=self.options.semi_sync,
            register=self.options.follow,
            timeout=self.server.timeout,
            verify=self.options.verify,
        )

    def _server_id(self) -> int:
        """Return the id to register with, a new one for each connection unless it was given.

        A server ends the dump of a client that has an id in use. MariaDB (10.11.19) then hangs with all its connections
        where the older client was semi-synchronous and does not hang up by itself, as after a break of the network.
        """
        given = self.server.connection_server_id
        if given is not None:
            return given
        return own_server_id() if self.options.follow else 0

    def _check_identity(self, connection: ServerConnection) -> None:
        """Raise `ServerError` unless this is the archive's server: logs of another may have equal names.

        A server is known by its UUID where it has one, as its id can be changed while it runs.
        """
        server_id, uuid = server_identity(connection)
        state = self.archive.state
        known, is_now = (state.server_uuid, uuid) if uuid else (str(state.server_id), server_id)
        if state.log and is_now != known:
            what = "server UUID" if uuid else "server id"
            raise ServerError(
                f"is not the server of this archive: {what} {is_now}, not {known}",
                file=connection.place,
                hint="choose another directory",
            )
        state.server_id, state.server_uuid = int(server_id), uuid

    def _check_semi_sync(self, connection: ServerConnection) -> None:
        """Warn where semi-sync is off: the server sends its bytes even so, but never wants an acknowledgement."""
        if self.options.semi_sync and not self._reached:
            rows = connection.rows("SHOW VARIABLES LIKE 'rpl_semi_sync_%_enabled'")
            if not any(str(value) == "ON" for name, value in rows if "slave" not in name and "replica" not in name):
                self.tell(f"{connection.place}: semi-sync is disabled on the server: nothing is acknowledged")

    def _logs(self, connection: ServerConnection) -> list[ServerLog]:
        """Return the server's logs; none where the account may not see them."""
        try:
            return server_logs(connection)
        except ServerError as error:
            if error.code not in NO_PRIVILEGE:
                raise
            return []

    def _place(self, has: list[ServerLog]) -> tuple[str, int]:
        """Return the log to request and the position; make the copy ready for it."""
        archive = self.archive
        log = archive.state.log
        if not log:
            return self.address.log or (has[0].name if has else ""), LOG_START
        copy = archive.open_copy()
        if not has:
            return log, max(copy.end, LOG_START)
        step = next_step(log, copy.end, copy.last_type, has, torn=self._torn == log)
        if step.gap:
            archive.note_gap(step.log, step.gap)
        if step.position is None:
            archive.finish_copy(closed=self._closed(copy) and (not step.gap or copy.last_type in CLOSING))
            archive.begin_copy(step.log)
            return step.log, LOG_START
        if step.cut is not None:
            archive.take_back(step.cut)
        return step.log, max(copy.end, LOG_START)

    # what comes -----------------------------------------------------------------------------------------------

    def _receive(self, replica: Replica) -> None:
        replica.idle, replica.wake = _QUIET_SECONDS, self.stopping.fd
        replica.on_wait = lambda: self._acknowledge(replica)
        while True:
            try:
                outcome = replica.step()
            except ServerError as error:
                self._keep(replica)
                if isinstance(error, WireError) or not self.options.semi_sync:  # what was acknowledged has to stay
                    self._drop_unproven(replica)
                if _TRUNCATED in error.reason and self._torn != replica.log:
                    self._torn = replica.log  # where later logs follow, they can still be had
                    error.passing = True
                raise
            self._keep(replica)
            if outcome == ROTATED:
                self._next_copy(replica)
            elif outcome == ACK_WANTED:
                self._owe(replica)
            elif outcome == ENDED:
                self.archive.make_safe()
                if self.options.follow:
                    hint = "see the server's error log"
                    raise ServerError("the server ended the stream", file=self._account.place, hint=hint, passing=True)
                return
            elif outcome == WOKEN or self.stopping.signal:  # where more and more is there, nothing is waited for
                raise StopNow
            self.archive.make_safe_in_time(idle=outcome == IDLE)

    def _keep(self, replica: Replica) -> None:
        """Append what has come of the log."""
        copy = self.archive.copy
        if replica.head and copy is not None and not same_log(copy.head(), replica.head):
            raise ServerError(
                f"now has a different log named {replica.log}", file=self._account.place, hint="choose a new directory"
            )
        replica.head = b""
        data = replica.take()
        if data:
            self.archive.append(replica.log, data, replica.boundary, replica.last_type)
            self.received += len(data)

    def _drop_unproven(self, replica: Replica) -> None:
        """Cut the copy to what is known to be right, where other bytes may have been taken for an event of the log."""
        copy = self.archive.copy
        if copy is not None and replica.proven < copy.end:
            copy.cut(replica.proven)
            copy.last_type = 0

    def _next_copy(self, replica: Replica) -> None:
        """Finish the copy of the log that is over, and begin the next."""
        self._acknowledge(replica)
        copy = self.archive.copy
        if copy is not None:
            self.archive.finish_copy(closed=self._closed(copy))
        self.archive.begin_copy(replica.next_log)
        replica.begin_log()

    def _closed(self, copy: LogCopy) -> bool:
        """Whether the server has cleared the IN_USE flag in its own file: MySQL does so after a crash, too."""
        return copy.last_type in CLOSING or not self._mariadb

    def _owe(self, replica: Replica) -> None:
        """Note that the log up to here is to be acknowledged; do it now if one has waited too long."""
        now = time.monotonic()
        since = self._owed.since if self._owed is not None else now
        self._owed = _Owed(replica.log, replica.boundary, since)
        if now - since > _ACK_SECONDS:
            self._acknowledge(replica)

    def _acknowledge(self, replica: Replica) -> None:
        """Sync the copy, then send the acknowledgement that is owed."""
        owed, self._owed = self._owed, None
        copy = self.archive.copy
        if owed is None or copy is None:
            return
        copy.sync()
        replica.acknowledge(owed.log, owed.position)
        self.figures.acknowledged(time.monotonic() - owed.since)
