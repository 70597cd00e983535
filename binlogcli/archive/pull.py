"""Copies a server's logs into a directory, and goes on after whatever breaks.

A byte counts when it is on the disk and the state file says so; after a break the copy is cut to its last whole event
and the server asked for what follows. An acknowledgement is sent only for what is on the disk.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass

from binlogcli.archive.directory import Directory, Gap, State
from binlogcli.archive.log_copy import LogCopy
from binlogcli.archive.plan import CLOSING, next_step
from binlogcli.archive.stopping import StopNow, Stopping
from binlogcli.errors import OutputError, ServerError
from binlogcli.sources.figures import WireFigures
from binlogcli.sources.packets import LOG_START
from binlogcli.sources.server.address import Address
from binlogcli.sources.server.backoff import Backoff
from binlogcli.sources.server.logs import NO_PRIVILEGE, ServerLog, sensible, server_logs
from binlogcli.sources.server.options import ServerOptions, account_of
from binlogcli.sources.server.replica import ACK_WANTED, ENDED, IDLE, ROTATED, WOKEN, Replica, Request, same_log
from binlogcli.sources.server.session import Session
from binlogcli.sources.server.source import own_server_id

QUIET_SECONDS = 1.0  # without anything new, after which all that came is made safe
SAFE_SECONDS = 5.0  # and at the latest after so long,
SAFE_BYTES = 64 << 20  # or so much
ACK_SECONDS = 0.02  # acknowledgements are put together for so long while more is coming in
TRUNCATED = "truncated in the middle"  # the server's words for a log that a crash has left torn


@dataclass(frozen=True, slots=True)
class PullOptions:
    """How logs are pulled."""

    follow: bool = False
    semi_sync: bool = False
    retries: int = 5  # in a row and without progress, where nothing is followed


@dataclass(slots=True)
class _Owed:
    """An acknowledgement that is still to be sent."""

    log: str
    position: int
    since: float


class Pull:
    """One run. `tell` receives what the user should know."""

    def __init__(
        self,
        address: Address,
        server: ServerOptions,
        options: PullOptions,
        directory: Directory,
        stopping: Stopping,
        tell: Callable[[str], None],
    ) -> None:
        self.address = address
        self.server = server
        self.options = options
        self.directory = directory
        self.stopping = stopping
        self.tell = tell
        self.figures = WireFigures()
        self.touched: dict[str, int] = {}  # logs that grew, and their sizes
        self.missing = False
        self._account, warnings = account_of(address, server)
        for warning in warnings:
            tell(warning)
        given = server.connection_server_id
        self._server_id = given if given is not None else own_server_id() if options.follow else 0
        self._known = directory.read_state()
        self._state = self._known or State()
        self._copy: LogCopy | None = None
        self._backoff = Backoff(tries=None if options.follow else options.retries)
        self._owed: _Owed | None = None
        self._synced_at = time.monotonic()
        self._unsynced = 0
        self._trouble = ""
        self._mariadb = True
        self._torn = ""  # the log whose end a crash has torn off on the server
        self._reached = False

    def run(self) -> None:
        """Pull, until all is there or a signal comes."""
        try:
            while not self._attempt():
                pass
        except StopNow:
            pass
        finally:
            with contextlib.suppress(OutputError):
                self._settle()
            if self._copy is not None:
                self._copy.close()

    def _attempt(self) -> bool:
        """One connection; whether it was the last."""
        try:
            self._one_connection()
        except ServerError as error:
            self._settle()
            self._give_up_or_wait(error, passing=error.passing and (self._reached or self.options.follow))
        except OutputError as error:
            with contextlib.suppress(OutputError):
                self._forget_copy()
            self._give_up_or_wait(error, passing=self.options.follow)
        else:
            return True
        return False

    def _give_up_or_wait(self, error: ServerError | OutputError, *, passing: bool) -> None:
        wait = self._backoff.next() if passing else None
        if wait is None:
            raise error
        if error.reason != self._trouble:  # the same again is no news
            self.tell(f"{error.line()}; trying again")
        self._trouble = error.reason
        self.figures.reconnects += 1
        self.stopping.wait(wait)

    # one connection -------------------------------------------------------------------------------------------

    def _one_connection(self) -> None:
        with self.stopping.at_once():
            session = Session(self._account, self.server.timeout)
        with contextlib.closing(session):
            with self.stopping.at_once():
                self._mariadb = session.mariadb
                with sensible(session):
                    self._check_identity(session)
                    self._check_semi_sync(session)
                has = self._logs(session)
            log, position = self._place(has)
            replica = Replica(session, self._request(log, position), self.figures)
            self._reached = True
            self._receive(replica)

    def _request(self, log: str, position: int) -> Request:
        return Request(
            log,
            position,
            follow=self.options.follow,
            server_id=self._server_id,
            semi_sync=self.options.semi_sync,
            register=self.options.follow,
            timeout=self.server.timeout,
        )

    def _check_identity(self, session: Session) -> None:
        """An archive is of one server: another one's logs may have the same names."""
        question = "SELECT @@server_id" if session.mariadb else "SELECT @@server_id, @@server_uuid"
        server_id, uuid = (*(str(value) for value in session.rows(question)[0]), "")[:2]
        state = self._state
        if state.log and (state.server_id, state.server_uuid) != (int(server_id), uuid):
            raise ServerError(
                f"is not the server of this archive: server id {server_id}, not {state.server_id}",
                file=session.place,
                hint="choose another directory",
            )
        state.server_id, state.server_uuid = int(server_id), uuid

    def _check_semi_sync(self, session: Session) -> None:
        """The server sends the semi-sync bytes without ever wanting an acknowledgement where this is off."""
        if self.options.semi_sync and not self._reached:
            rows = session.rows("SHOW VARIABLES LIKE 'rpl_semi_sync_%_enabled'")
            if not any(str(value) == "ON" for name, value in rows if "slave" not in name and "replica" not in name):
                self.tell(f"{session.place}: semi-sync is off there: nothing is acknowledged")

    def _logs(self, session: Session) -> list[ServerLog]:
        """What the server has; nothing where it does not tell this account."""
        try:
            return server_logs(session)
        except ServerError as error:
            if error.code not in NO_PRIVILEGE:
                raise
            return []

    def _place(self, has: list[ServerLog]) -> tuple[str, int]:
        """The log to ask for, and from where on; the copy is made ready for it."""
        if not self._state.log:
            return self.address.log or (has[0].name if has else ""), LOG_START
        copy = self._open_copy()
        if not has:
            return self._state.log, max(copy.end, LOG_START)
        step = next_step(self._state.log, copy.end, copy.last_type, has, torn=self._torn == self._state.log)
        if step.gap:
            self._note_gap(step.log, step.gap)
        if step.position is None:
            copy.finish(closed=self._closed(copy) and (not step.gap or copy.last_type in CLOSING))
            self._begin_copy(step.log)
            return step.log, LOG_START
        if step.cut is not None:
            self._take_back(copy, step.cut)
        return step.log, max(copy.end, LOG_START)

    def _take_back(self, copy: LogCopy, end: int) -> None:
        """The server has lost the end of a log in a crash; the copy follows, and what it had more is kept aside."""
        aside = self.directory.set_aside(copy, self._state.log, end, copy.end)
        self.tell(
            f"{copy.name}: at {end}: the server lost the last {copy.end - end} bytes of this log in a crash;"
            f" they are kept in {aside}"
        )
        copy.cut(end)
        copy.recover(LOG_START, 0)
        self._make_safe()

    def _note_gap(self, next_log: str, reason: str) -> None:
        """Say what is missing, and keep it in the state for good."""
        state = self._state
        gap = Gap(state.log, self._copy.end if self._copy is not None else state.position, next_log, reason)
        self.missing = True
        if gap not in state.gaps:
            state.gaps.append(gap)
            self.tell(f"{self._copy.name if self._copy is not None else gap.log}: at {gap.position}: {reason}")

    # what comes -----------------------------------------------------------------------------------------------

    def _receive(self, replica: Replica) -> None:
        replica.idle, replica.wake = QUIET_SECONDS, self.stopping.fd
        replica.on_wait = lambda: self._acknowledge(replica)
        while True:
            try:
                told = replica.step()
            except ServerError as error:
                self._keep(replica)
                if TRUNCATED in error.reason and self._torn != replica.log:
                    self._torn = replica.log  # where later logs follow, they can still be had
                    error.passing = True
                raise
            self._keep(replica)
            if told == ROTATED:
                self._next_copy(replica)
            elif told == ACK_WANTED:
                self._owe(replica)
            elif told == ENDED:
                self._make_safe()
                if self.options.follow:
                    hint = "its error log says why"
                    raise ServerError("the server ended the stream", file=self._account.place, hint=hint, passing=True)
                return
            elif told == WOKEN:
                raise StopNow
            self._make_safe_in_time(idle=told == IDLE)

    def _keep(self, replica: Replica) -> None:
        """Append what has come of the log."""
        if replica.head and self._copy is not None and not same_log(self._copy.head(), replica.head):
            raise ServerError(
                f"has another log of the name {replica.log} now",
                file=self._account.place,
                hint="choose a new directory",
            )
        data = replica.take()
        if not data:
            return
        copy = self._copy
        if copy is None:
            copy = self._begin_copy(replica.log)
        copy.write(data)
        copy.end = replica.boundary
        copy.last_type = replica.last_type or copy.last_type
        self._unsynced += len(data)

    def _next_copy(self, replica: Replica) -> None:
        """The log is over: its copy is finished before the next one begins."""
        self._acknowledge(replica)
        copy = self._copy
        if copy is not None:
            copy.finish(closed=self._closed(copy))
            self.touched[self._state.log] = copy.end
            self._note_progress()
        self._begin_copy(replica.next_log)
        replica.begin_log()

    def _closed(self, copy: LogCopy) -> bool:
        """Whether the server has cleared the flag in its own file: MySQL does it after a crash, too."""
        return copy.last_type in CLOSING or not self._mariadb

    def _owe(self, replica: Replica) -> None:
        """An event is to be acknowledged, and all before it with it."""
        now = time.monotonic()
        since = self._owed.since if self._owed is not None else now
        self._owed = _Owed(replica.log, replica.boundary, since)
        if now - since > ACK_SECONDS:
            self._acknowledge(replica)

    def _acknowledge(self, replica: Replica) -> None:
        """Have it on the disk, then say so."""
        owed, self._owed = self._owed, None
        if owed is None or self._copy is None:
            return
        self._copy.sync()
        replica.acknowledge(owed.log, owed.position)
        self.figures.acknowledged(time.monotonic() - owed.since)

    # copies ---------------------------------------------------------------------------------------------------

    def _open_copy(self) -> LogCopy:
        """The copy that the archive ends in, up to its last whole event."""
        if self._copy is None:
            state = self._state
            copy = self.directory.open_log(state.log)
            if not copy.recover(state.position, state.last_event):
                self.tell(
                    f"{copy.name}: is shorter than it was made safe, {state.position} bytes; its end is fetched again"
                )
            self._copy = copy
        return self._copy

    def _begin_copy(self, log: str) -> LogCopy:
        """A new log. The state names it before anything in it counts."""
        if self._copy is not None:
            self._copy.close()
            self._copy = None
        copy = self.directory.create_log(log)
        self._copy = copy
        state = self._state
        state.log, state.position, state.last_event = log, copy.end, 0
        self.directory.write_state(state)
        return copy

    def _forget_copy(self) -> None:
        """What the disk has refused is opened anew, and recovered."""
        copy, self._copy = self._copy, None
        self._owed = None
        if copy is not None:
            try:
                copy.cut(copy.safe)
            finally:
                copy.close()

    def _settle(self) -> None:
        """Between two connections: whole events alone, and all of them safe."""
        self._owed = None
        if self._copy is not None:
            self._copy.cut()
            self._make_safe()

    def _note_progress(self) -> None:
        """More is safe than before: what was wrong is over."""
        self._backoff.progress()
        if self._trouble:
            self.tell(f"{self._account.place}: going on again")
            self._trouble = ""

    def _make_safe_in_time(self, *, idle: bool) -> None:
        late = time.monotonic() - self._synced_at > SAFE_SECONDS
        if idle or late or self._unsynced > SAFE_BYTES:
            self._make_safe()

    def _make_safe(self) -> None:
        """Bytes on the disk first, then the state that counts them."""
        copy = self._copy
        self._synced_at = time.monotonic()
        self._unsynced = 0
        if copy is None:
            return
        state = self._state
        copy.sync()
        if copy.safe != state.position:
            self.touched[state.log] = copy.safe
            self._note_progress()
        state.position, state.last_event = copy.safe, copy.last_type
        self.directory.write_state(state)
