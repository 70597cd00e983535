"""A server's logs as sources of the bytes that the files have; a connection that breaks is replaced by another."""

from __future__ import annotations

import contextlib
import secrets
import time
from collections.abc import Callable, Iterator

from binlogcli.errors import ServerError
from binlogcli.sources.files import ON_OPEN
from binlogcli.sources.protocol.packets import LOG_START
from binlogcli.sources.server.address import Address
from binlogcli.sources.server.backoff import Backoff
from binlogcli.sources.server.connection import ServerConnection
from binlogcli.sources.server.groups import Groups
from binlogcli.sources.server.logs import first_log, newest_log, server_identity
from binlogcli.sources.server.options import ServerOptions, account_of
from binlogcli.sources.server.replica import ENDED, ROTATED, Replica, same_log
from binlogcli.sources.server.request import Request
from binlogcli.sources.source import WireSource
from binlogcli.sources.wire_figures import WireFigures

MAGIC = b"\xfebin"
HEAD = 256  # bytes of a log that tell it from others
TRIES = 3
_LOWEST_OWN_ID = 1 << 31  # below are the numbers that people give to servers


def own_server_id() -> int:
    """Return a random id that no replica is likely to have; a server ends an older dump of an equal id."""
    return _LOWEST_OWN_ID + secrets.randbelow(_LOWEST_OWN_ID - 1)


class Feed:
    """The logs that one SOURCE stands for, one after another, over as many connections as it takes."""

    def __init__(self, address: Address, options: ServerOptions) -> None:
        self.address = address
        self.options = options
        self.account, self.warnings = account_of(address, options)
        self.figures = WireFigures()
        self.on_wait: Callable[[], None] | None = None
        self.log = address.log
        self.newest = ""  # of all logs, where that is worth asking
        self.several = options.to_last_log or options.stop_never or address.from_first or address.gtid is not None
        self._backoff = Backoff(tries=None if options.stop_never else TRIES)
        server_id = options.connection_server_id
        self._server_id = own_server_id() if server_id is None and options.stop_never else server_id or 0
        self._replica: Replica | None = None
        self._failure: ServerError | None = None
        self._head = b""
        self.identity: dict[str, str] = {}  # what a manifest says of the server
        self._groups: Groups | None = None  # where logs are asked for by GTIDs
        self._outcome = 0  # the kind of the first step's finding, until it is handled
        self._over = False
        self._next_log: str | None = None

    def open(self) -> None:
        """Connect, and find out which log comes first."""
        connection = ServerConnection(self.account, self.options.timeout)
        try:
            if self.address.gtid is None and not self.log:
                self.log = first_log(connection) if self.address.from_first else newest_log(connection)
            if ON_OPEN.get() is not None:
                self.identity = self._identity_of(connection)
            if self.several and not self.options.stop_never:
                with contextlib.suppress(ServerError):
                    self.newest = newest_log(connection)
            self._connect(connection, self.log, LOG_START, 0)
        except BaseException:
            connection.close()
            raise
        if not self.log:
            self._first_log()

    def _identity_of(self, connection: ServerConnection) -> dict[str, str]:
        server_id, uuid = server_identity(connection)
        found = {"address": self.account.place, "version": connection.version, "server_id": server_id}
        return found | {"server_uuid": uuid} if uuid else found

    def read(self) -> bytes:
        """Return the next bytes of the log; b"" at its end."""
        while not self._over:
            replica = self._replica
            if replica is None:
                raise ServerError("the connection is closed", file=self.account.place, hint="open it again")
            try:
                data = self._step(replica)
            except ServerError as error:
                self._failure = error
                data = replica.take()
                if not data:
                    self._resume(replica)
                    continue
            if data:
                if len(self._head) < HEAD:
                    self._head += data[: HEAD - len(self._head)]
                return data
        return b""

    def next_log(self) -> str | None:
        """Return the name of the log after the one that has ended; None where it is not wanted."""
        following, self._next_log = self._next_log, None
        if following is not None and self._replica is not None:
            self.log = following
            self._head = b""
            self._over = False
            self._replica.begin_log()
        return following

    def close(self) -> None:
        """Close the connection."""
        replica, self._replica = self._replica, None
        if replica is not None:
            replica.close()

    def _first_log(self) -> None:
        """Take the first log's name from the packet that the server sends before all events."""
        replica = self._replica
        if replica is not None:
            self._outcome = replica.step()
            self.log = replica.log

    def _step(self, replica: Replica) -> bytes:
        if self._failure is not None:
            raise self._failure
        outcome, self._outcome = self._outcome or replica.step(), 0
        if replica.head and self._head and not same_log(self._head, replica.head):
            reason = f"now has a different log named {self.log!r}"
            raise ServerError(reason, file=self.account.place, hint="its logs were reset: read them again")
        if outcome == ROTATED:
            self._over = True
            self._next_log = replica.next_log if self.several else None
        elif outcome == ENDED:
            self._over = True
        data = replica.take()
        if data:
            self._backoff.progress()
        return data

    def _resume(self, broken: Replica) -> None:
        """Connect again, and go on where the connection broke."""
        error, self._failure = self._failure, None
        broken.keep_place()
        broken.close()
        while error is not None:
            wait = self._backoff.next() if error.passing else None
            if wait is None:
                raise error
            time.sleep(wait)
            self.figures.reconnects += 1
            try:
                connection = ServerConnection(self.account, self.options.timeout)
                self._connect(connection, self.log, broken.boundary, broken.offset)
                error = None
            except ServerError as again:
                error = again

    def _connect(self, connection: ServerConnection, log: str, position: int, known: int) -> None:
        if self._groups is None and self.address.gtid is not None:
            self._groups = Groups(self.address.gtid, mariadb=connection.mariadb)
        request = Request(
            log,
            position,
            known,
            follow=self.options.stop_never,
            groups=self._groups,
            server_id=self._server_id,
            timeout=self.options.timeout,
        )
        self._replica = Replica(connection, request, self.figures)
        self._replica.on_wait = self._before_waiting

    def _before_waiting(self) -> None:
        if self.on_wait is not None:
            self.on_wait()


class ServerSource(WireSource):
    """One log of a server; made by `ServerLogs`."""

    def __init__(self, name: str, feed: Feed) -> None:
        super().__init__(name)
        self._feed = feed
        self._ready = MAGIC
        self._given = 0
        self.figures = feed.figures
        self.identity = feed.identity
        self.on_read: Callable[[bytes], None] | None = None  # called with each piece read
        self.wire_name = feed.account.place if feed.several else name  # what has these figures
        self.last = not feed.several or feed.log == feed.newest
        on_open = ON_OPEN.get()
        if on_open is not None:
            on_open(self)

    def call_before_waiting(self, call: Callable[[], None]) -> None:
        """Have `call` called before the server is waited for."""
        self._feed.on_wait = call

    def head(self, size: int) -> bytes:
        """Return the first bytes that are there; a log that is just being written may not get more for hours."""
        if not self._ahead:
            self._ahead = self._pull(size)
            self._ahead += self._pull(size)
        return self._ahead[:size]

    def close(self) -> None:
        """Do nothing: the connection continues to the next log."""

    def _pull(self, size: int) -> bytes:
        if not self._ready:
            try:
                self._ready = self._feed.read()
            except ServerError as error:
                error.file = self.name
                error.offset = self._given if self._given > len(MAGIC) else None
                raise
        data, self._ready = self._ready[:size], self._ready[size:]
        self._given += len(data)
        if self.on_read is not None:
            self.on_read(data)
        return data


class ServerLogs:
    """The sources that one address stands for, in order, over a connection that they share."""

    def __init__(self, address: Address, options: ServerOptions, *, named: bool = True) -> None:
        self.feed = Feed(address, options)
        self._named = named  # by the whole address, not by the log alone

    def __iter__(self) -> Iterator[ServerSource]:
        log: str | None = ""
        while log is not None:
            if not log:
                self.feed.open()
                log = self.feed.log
            yield ServerSource(self._name(log), self.feed)
            log = self.feed.next_log()

    def _name(self, log: str) -> str:
        return self.feed.address.url(log) if self._named else log

    def close(self) -> None:
        """Close the connection."""
        self.feed.close()


def open_server(address: Address) -> ServerSource:
    """Return the first log that an address stands for."""
    return next(iter(ServerLogs(address, ServerOptions())))
