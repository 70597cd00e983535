"""One dump over one connection: sends the request, and receives log bytes, rotations, heartbeats and the end.

After the handshake the socket is read directly, into the buffer of `Incoming`. A connection counts as broken when
nothing useful (an event, 64 KiB of one, a heartbeat that is expected) has come for the length of the time-out, however
many bytes trickle in.
"""

from __future__ import annotations

import contextlib
import select
import ssl
import time
from collections.abc import Callable

from binlogcli.errors import ChecksumError, DecodeError, ServerError, WireError
from binlogcli.names.event_types import FORMAT_DESCRIPTION_EVENT, HEARTBEAT_EVENTS, ROTATE_EVENT
from binlogcli.sources.protocol import answers, packets, requests
from binlogcli.sources.server import incoming as taken_apart
from binlogcli.sources.server.checksums import MismatchError
from binlogcli.sources.server.connection import ServerConnection
from binlogcli.sources.server.groups import gtid_of
from binlogcli.sources.server.incoming import NEVER, Incoming
from binlogcli.sources.server.logs import NO_PRIVILEGE
from binlogcli.sources.server.request import Request
from binlogcli.sources.wire_figures import WireFigures

# the kinds of findings that `step` returns
DATA = 1  # bytes of the log, for `take`
ROTATED = 2  # the log is over, `next_log` follows once `begin_log` was called
ACK_WANTED = 3  # the log up to `boundary` is to be acknowledged
ENDED = 4  # there is no more
IDLE = 5  # nothing has come for `idle` seconds
WOKEN = 6  # `wake` can be read

_PROGRESS = 1 << 16  # bytes of a log that show that the other side is alive
_EMPTY_LOGS = 16  # logs without an event, in a row, that no server has
LONGEST_REASON = 500  # characters of a server's error that are shown
LARGEST_ANSWER = 1 << 12  # bytes of the answer to a registration
_FATAL_READ = 1236  # ER_MASTER_FATAL_ERROR_READING_BINLOG
_CHANGED = "the server's log is damaged there, or data was corrupted in transit"
_WHY = "see the server's error log"


class Replica:
    """A connection that receives logs; `close` ends it."""

    def __init__(self, connection: ServerConnection, request: Request, figures: WireFigures) -> None:
        self.connection = connection
        self.request = request
        self.figures = figures
        self.log = request.log  # whose bytes come
        self.next_log = ""
        self.idle: float | None = None
        self.wake = -1
        self.on_wait: Callable[[], None] | None = None
        self.head = b""  # the format description that the log was gone on with
        self._began = False
        connection.rows(request.variables(mariadb=connection.mariadb))
        self.groups = request.groups
        start = request.start
        placed = self.groups is None
        self.incoming = Incoming(start, request.max_event_size, placed=placed, verify=request.verify)
        # what an earlier connection gave by GTIDs is found again when it comes
        self._searching = self.groups is not None and self.groups.log != ""
        self._group_start = start
        self.incoming.begin(start, NEVER if self._searching else max(start, request.position, request.known))
        self._socket = connection.wire
        self._ask()
        self._alive = self._left = time.monotonic()
        self._progress = (0, 0)  # events and bytes of the log when that was looked at last
        self._empty_logs = 0
        self._beaten = 0  # position of the last heartbeat
        self._before = (figures.events, figures.delay_sum)

    @property
    def offset(self) -> int:
        """The position after the last log byte that came."""
        return self.incoming.offset

    @property
    def boundary(self) -> int:
        """The position after the last whole event."""
        return self.incoming.boundary

    @property
    def proven(self) -> int:
        """The position after the last event that is known to be right."""
        return self.incoming.proven()

    @property
    def last_type(self) -> int:
        """The type of the event that ends at `boundary`; 0 where none has come yet."""
        return self.incoming.last_type

    def take(self) -> bytes:
        """Return the log bytes that came since the last call."""
        return self.incoming.take()

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()

    # the request ----------------------------------------------------------------------------------------------

    def _ask(self) -> None:
        self._socket.settimeout(self.request.timeout)
        if self.request.register:
            self._register()
            self._socket.settimeout(self.request.timeout)
        self._send(packets.frame(self.request.command(mariadb=self.connection.mariadb), 0))
        self._socket.setblocking(False)

    def _register(self) -> None:
        """Register, so that the server lists this client among its replicas."""
        self._send(packets.frame(requests.RegisterSlave(self.request.server_id, "binlogcli").pack(), 0))
        reader = packets.PacketReader(LARGEST_ANSWER)
        deadline = time.monotonic() + self.request.timeout
        try:
            while (packet := reader.next()) is None:
                self._socket.settimeout(max(deadline - time.monotonic(), 0.001))
                data = self._socket.recv(LARGEST_ANSWER)
                if not data:
                    raise self._broken("the server closed the connection")
                reader.feed(data)
        except TimeoutError as error:
            raise self._silent() from error
        except DecodeError as error:
            raise self._nonsense(error) from error
        except OSError as error:
            raise self._broken(str(error)) from error
        if packet.payload[:1] == bytes([packets.ERR]):
            raise self._refused(packet.payload)

    def acknowledge(self, log: str, position: int) -> None:
        """Tell a semi-synchronous server that the log is on the disk up to `position`."""
        self._socket.settimeout(self.request.timeout)
        self._send(packets.frame(requests.Acknowledgement(position, log).pack(), 0))
        self._socket.setblocking(False)

    def _send(self, data: bytes) -> None:
        try:
            self._socket.sendall(data)
        except OSError as error:
            raise self._broken(error.strerror or str(error)) from error

    # what comes -----------------------------------------------------------------------------------------------

    def step(self) -> int:
        """Wait for the next finding, and return its kind (DATA and following)."""
        self._alive += time.monotonic() - self._left  # while others worked, nothing was waited for
        try:
            return self._next()
        finally:
            self._left = time.monotonic()

    def _next(self) -> int:
        incoming = self.incoming
        while True:
            try:
                found = incoming.advance()
                outcome = self._see(found)
            except MismatchError as error:
                raise self._mismatch(error) from error
            except DecodeError as error:
                raise self._nonsense(error) from error
            if outcome:
                return outcome
            if found == taken_apart.MORE:
                outcome = self._receive()
                if outcome:
                    return outcome

    def _see(self, found: int) -> int:
        """Return what to tell of a finding of `Incoming`; 0 for nothing."""
        incoming = self.incoming
        self._count()
        if found == taken_apart.MORE:
            return DATA if incoming.ready else 0
        if found == taken_apart.MARK:
            return self._see_mark(incoming.mark())
        if found == taken_apart.REFUSED:
            raise self._refused(incoming.mark())
        if found == taken_apart.GROUP:
            self._begin_group(incoming.mark())
            return 0
        if found == taken_apart.END and self._searching:
            raise self._lost_group()
        return {taken_apart.ACK: ACK_WANTED, taken_apart.END: ENDED}[found]

    def _see_mark(self, mark: bytes) -> int:
        code = mark[4]
        if code in HEARTBEAT_EVENTS:
            self.figures.heartbeats += 1
            beat = answers.read_heartbeat(mark)
            if self.request.follow or beat.position > self._beaten:
                self._alive = time.monotonic()
                self._beaten = beat.position
            return IDLE if self.idle is not None else 0
        if code == ROTATE_EVENT:
            return self._rotate(answers.read_fake_rotate(mark).log_name)
        if code == FORMAT_DESCRIPTION_EVENT:
            self.head = mark
        return 0

    def _rotate(self, name: str) -> int:
        first, self._began = not self._began, True
        if name == self.log and not first:
            return 0
        self._empty_logs = self._empty_logs + 1 if self.incoming.offset == packets.LOG_START else 0
        if self._empty_logs > _EMPTY_LOGS:
            raise DecodeError("too many logs in a row without an event")
        if self.groups is not None and (first or self._searching):
            self._begin_log_of_groups(name)
            return 0
        if first and self.log in {"", name}:
            self.log = name
            return 0
        if first:
            raise ServerError(f"sends the log {name!r} instead of {self.log!r}", file=self.connection.place, hint=_WHY)
        self.next_log = name
        return ROTATED

    def begin_log(self) -> None:
        """Begin the next log at its first event."""
        self.log = self.next_log
        self.incoming.begin(packets.LOG_START, packets.LOG_START)
        self._beaten = 0
        self.head = b""
        self._group_start = packets.LOG_START
        if self.groups is not None:
            self.groups.begin_log(self.log)

    # groups: where a stream by GTIDs goes on ------------------------------------------------------------------

    def _begin_log_of_groups(self, name: str) -> None:
        """Begin the log that the server chose; it may be one before that in which the connection broke."""
        groups = self.groups
        if groups is None:
            return
        self.log = name
        if not self._searching:
            groups.begin_log(name)
            return
        self.incoming.begin(packets.LOG_START, NEVER)
        if name == groups.log and groups.current is None:  # nothing of this log had come but its head
            self.incoming.know(groups.given)
            self._searching = False

    def _begin_group(self, event: bytes) -> None:
        """Note the group that a GTID begins; skip the bytes of it that an earlier connection gave."""
        groups, incoming = self.groups, self.incoming
        if groups is None:
            return
        gtid = gtid_of(event)
        if not self._searching:
            groups.begin(gtid)
            incoming.know(0)
        elif gtid != groups.current or self.log != groups.log:
            raise self._lost_group()
        else:
            self._searching = False
            incoming.know(groups.given)
        self._group_start = incoming.offset

    def _lost_group(self) -> ServerError:
        log = self.log if self.groups is None else self.groups.log
        reason = f"does not continue where the connection broke, in {log}: it may have lost transactions in a crash"
        return ServerError(reason, file=self.connection.place, hint=_WHY)

    def keep_place(self) -> None:
        """Note how much of the group on its way has come, for the next connection."""
        if self.groups is not None and not self._searching:
            self.groups.given = max(self.incoming.offset, self.incoming.skip_to) - self._group_start

    def _receive(self) -> int:
        space = self.incoming.space()
        while True:
            try:
                count = self._socket.recv_into(space)
            except (BlockingIOError, ssl.SSLWantReadError):
                outcome = self._wait(select.POLLIN)
            except ssl.SSLWantWriteError:
                outcome = self._wait(select.POLLOUT)
            except OSError as error:
                raise self._broken((error.strerror or str(error)).lower()) from error
            else:
                if count == 0:
                    raise self._broken("the server closed the connection")
                self.incoming.filled(count, int(time.time()))
                self._measure()
                return 0
            if outcome:
                return outcome

    def _measure(self) -> None:
        """Whether what comes is more than a trickle, or than packets that say nothing."""
        events, offset = self._progress
        now = time.monotonic()
        if self.incoming.events > events or abs(self.incoming.offset - offset) >= _PROGRESS:
            self._alive = now
            self._progress = (self.incoming.events, self.incoming.offset)
        elif now - self._alive > self.request.timeout:
            raise self._silent()

    def _count(self) -> None:
        incoming = self.incoming
        figures = self.figures
        figures.events = self._before[0] + incoming.events
        figures.delay_sum = self._before[1] + incoming.delay_sum
        figures.delay_max = max(figures.delay_max, incoming.delay_max)

    def _wait(self, wanted: int) -> int:
        """Wait until the socket is ready, there is something to report, or the time is over."""
        left = self._alive + self.request.timeout - time.monotonic()
        if left <= 0:
            raise self._silent()
        if self.on_wait is not None:
            self.on_wait()
        poll = select.poll()
        poll.register(self._socket, wanted)
        if self.wake >= 0:
            poll.register(self.wake, select.POLLIN)
        ready = poll.poll(1000 * (left if self.idle is None else min(left, self.idle)))
        if any(fd == self.wake for fd, _ in ready):
            return WOKEN
        return IDLE if not ready and self.idle is not None else 0

    # what goes wrong ------------------------------------------------------------------------------------------

    def _broken(self, reason: str) -> ServerError:
        return ServerError(f"the connection broke: {reason}", file=self.connection.place, hint=_WHY, passing=True)

    def _nonsense(self, error: DecodeError) -> WireError:
        reason = f"sends invalid data: {error}"
        return WireError(reason, file=self.connection.place, hint=_WHY, log=self.log)

    def _mismatch(self, error: MismatchError) -> ChecksumError:
        place = f"{self.connection.place}: {self.log}"
        return ChecksumError(str(error), file=place, hint=_CHANGED, log=self.log, offset=error.place)

    def _silent(self) -> ServerError:
        return ServerError(
            f"no data for {self.request.timeout:g} s: the connection is considered broken",
            file=self.connection.place,
            hint="use --server-timeout to wait longer",
            passing=True,
        )

    def _refused(self, payload: bytes) -> ServerError:
        with contextlib.suppress(DecodeError):
            error = answers.Err.parse(payload)
            passing = error.code not in {_FATAL_READ, *NO_PRIVILEGE}
            return ServerError(
                error.message[:LONGEST_REASON], file=self.connection.place, code=error.code, passing=passing
            )
        return ServerError("refuses the request without giving a reason", file=self.connection.place, hint=_WHY)


def same_log(head: bytes, mark: bytes) -> bool:
    """Whether a log's first event is the one that the server continues with.

    `head` is what is after the magic, as much as is known of it; `mark` the sender's copy. Its position, flags,
    creation time and checksum are of its own.
    """
    end = min(len(head), len(mark) - 4)
    # timestamp, type, server_id, length; binlog_version and server_version; from common_header_len on
    return head[:13] == mark[:13] and head[19:71] == mark[19:71] and head[75:end] == mark[75:end]
