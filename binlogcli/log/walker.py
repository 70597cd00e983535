"""Walks from event to event: sans-I/O, fed with chunks, never raising for what is in them.

`advance` steps to the next whole event, whose header then is in the attributes and whose body `point` shows to a
cursor. It returns False when it wants more bytes (`hungry`, then `feed`), when a stretch without events was passed
(`take_gap`), at the end (`done`), or when it is to be called once more. `framer` finds a lost place again.

The idea: an event's length leads to the next one, so that in a sound log an event takes one comparison of `state` and a
few reads of its header. All else is a state that `recover` leaves: BEGINNING (before the magic), LOST, ZEROS, SEALED
(encrypted), DONE.

What holds:
* The cursor has the bytes from `base` on in the file, `pos` is where the next event begins in them. Bytes move to the
  front of the buffer only when more are wanted, at most one event's worth of them.
* An event is shown only if it is whole, its length possible, and its checksum right, where the log has checksums and
  `verify` is set. One without checksum is to stand where its `log_pos` says (plus `delta`, for logs that were moved),
  or to be followed by what looks like a header.
* What is read does not depend on the chunks in which it comes.
* A format description changes how all that follows is read: header size, checksums, numbers of types.
"""

from __future__ import annotations

from io import BytesIO

from binlogcli.binary import kernel
from binlogcli.binary.cursor import Cursor
from binlogcli.errors import counted
from binlogcli.log.format import FORMAT_HEAD, NAMELESS_MARIADB, LogFormat, early_type
from binlogcli.log.gaps import Damage, Padding
from binlogcli.names.event_types import (
    ANNOTATE_ROWS_EVENT,
    FORMAT_DESCRIPTION_EVENT,
    KNOWN_TYPES,
    ROTATE_EVENT,
    START_ENCRYPTION_EVENT,
    START_EVENT_V3,
)

_FORMAT_HEAD_END = 19 + FORMAT_HEAD
_IGNORABLE_FLAG = 0x80  # LOG_EVENT_IGNORABLE_F
WALKING = 0  # an event begins at `pos`
BEGINNING = 1  # of the log
LOST = 2  # no event is known to begin at `pos`
ZEROS = 3  # zero bytes stand at `pos`
SEALED = 4  # what follows is encrypted
DONE = 5
_MASK32 = 0xFFFFFFFF


class Walker:
    """The current event's header and place, and the buffer. Framer, its subclass, has `recover` and `plausible`."""

    def __init__(self, *, verify: bool = True, max_event_size: int = 1 << 30, nested: bool = False) -> None:
        self.cursor = Cursor()
        self.gathered = BytesIO()  # grows in place: a large event is in memory once
        self.held = 0
        self.wanted = 0
        self.pos = 0
        self.base = 0
        self.ended = False
        self.stream_size = -1
        self.state = WALKING if nested else BEGINNING
        self.nested = nested
        self.verify = verify
        self.trusted = False  # no checksum is verified for now
        self.max_event_size = max_event_size
        self.gap: Damage | Padding | None = None
        self.headless = True  # no format description was read yet
        self.known = KNOWN_TYPES
        self.in_use = False
        self.doubted = self.doubted_end = -1  # a format description that the next event may contradict (`settle`)
        self.delta = 0
        self.start = self.end = 0
        self.timestamp = self.type_code = self.server_id = self.length = self.log_pos = self.flags = 0
        self.at = self.body_start = self.body_end = 0
        self.crc = -1
        self.keep = 0  # bytes that `lost_bytes` can show of a stretch without events
        self.saved = b""
        self.saved_at = -1
        self.lost_at = 0
        self.effort = 0
        self.lost_reason = self.lost_hint = ""
        self.next_try = -1
        self.use(LogFormat(checksum=None))

    def use(self, log_format: LogFormat) -> None:
        """Read the events that follow by this format."""
        self.format = log_format
        self.header_size = log_format.header_size
        self.trailer = 4 if log_format.checksum == 1 else 0
        self.checking = self.verify and self.trailer > 0 and not self.trusted
        self.positions_are_starts = log_format.binlog_version == 3
        self.early_types = log_format.early_types

    def trust(self, trusted: bool) -> None:
        """Leave checksums unread from here on, or verify them again, as `verify` says."""
        self.trusted = trusted
        self.checking = self.verify and self.trailer > 0 and not trusted

    # bytes in -------------------------------------------------------------------------------------------------

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes of the log; b"" says that it ends here."""
        if chunk:
            if self.held > 0:
                self.gathered.write(chunk)
            else:
                self.gathered = BytesIO(chunk)  # not copied
                self.gathered.seek(len(chunk))
            self.held += len(chunk)
        else:
            self.ended = True
        if self.ended or self.held >= self.wanted:
            self.cursor.load(self.gathered.getvalue())
            self.gathered = BytesIO()
            self.held = self.wanted = 0

    def starve(self, wanted: int) -> bool:
        """Wait until `wanted` bytes are available at `pos`; return False, as `advance` then does."""
        if self.keep > 0 and self.state:
            self.save()
        left = self.cursor.data[self.pos : self.cursor.size]
        self.base += self.pos
        self.pos = 0
        self.wanted = wanted
        self.held = len(left)
        self.gathered = BytesIO(left)
        self.gathered.seek(self.held)
        self.cursor.load(b"")
        return False

    def save(self) -> None:
        """Copy up to `keep` bytes from the beginning of the stretch without events that is being passed."""
        if self.saved_at != self.lost_at:
            self.saved = b""
            self.saved_at = self.lost_at
        start = self.lost_at + len(self.saved) - self.base
        if 0 <= start < self.pos and len(self.saved) < self.keep:
            self.saved += self.cursor.data[start : min(self.pos, start + self.keep - len(self.saved))]

    def lost_bytes(self, start: int, end: int) -> bytes:
        """Return the first bytes of the stretch [start, end) that was passed last, at most `keep` of them."""
        found = self.saved if self.saved_at == start else b""
        first = start + len(found) - self.base
        last = min(end - self.base, first + self.keep - len(found), self.cursor.size)
        return found + self.cursor.data[first:last] if 0 <= first < last else found

    def hungry(self) -> bool:
        """Return whether bytes are to be fed."""
        return not self.ended and (self.wanted > 0 or self.cursor.size == 0)

    def missing(self) -> int:
        """Return how many bytes are wanted at least."""
        return max(self.wanted - self.held, 0)

    def done(self) -> bool:
        """Return whether the log was read to its end and no gap is left to take."""
        return self.state == DONE and self.gap is None

    def take_gap(self) -> Damage | Padding | None:
        """Return the stretch without events that was passed last, and forget it."""
        gap = self.gap
        self.gap = None
        return gap

    def jump(self, offset: int) -> None:
        """Continue at an event that begins at file offset `offset`; the bytes fed next are those from then on."""
        self.cursor.load(b"")
        self.gathered = BytesIO()
        self.held = self.wanted = self.pos = 0
        self.base = offset
        self.ended = False
        self.gap = None
        self.state = WALKING

    def finish(self) -> None:
        """End here, whatever bytes are left."""
        self.gap = None
        self.state = DONE

    # events out -----------------------------------------------------------------------------------------------

    def advance(self) -> bool:
        """Step to the next event; False when there is none to show yet."""
        if self.gap is not None or (self.wanted > 0 and not self.ended):
            return False
        if self.state and not self.recover():
            return False
        cursor = self.cursor
        at = self.pos
        left = cursor.size - at
        if left < self.header_size:
            return self.run_dry(left)
        length = cursor.little(at + 9, 4)
        if length > left or length < self.header_size + self.trailer or length > self.max_event_size:
            return self.misfit(length, left)
        self.take_header(at, length)
        if self.type_code == FORMAT_DESCRIPTION_EVENT or self.type_code == START_EVENT_V3:
            if not self.meet_format():
                return False
        elif self.checking:
            if kernel.crc32_range(cursor.view, at, at + length - 4) != self.crc:
                return self.mismatch()
        elif not self.nested and not self.coherent():
            return False
        self.pos = at + length
        if self.log_pos != 0:
            self.delta = (self.log_pos - self.end) & _MASK32
        if self.headless or self.type_code == START_ENCRYPTION_EVENT:
            self.remark()
        return True

    def take_header(self, at: int, length: int) -> None:
        """Set the attributes from the header at `at` in the buffer, of an event of `length` bytes."""
        cursor = self.cursor
        self.at = at
        self.start = self.base + at
        self.end = self.start + length
        self.timestamp = cursor.little(at, 4)
        self.type_code = cursor.view[at + 4]
        if self.early_types:
            self.type_code = early_type(self.type_code)
        self.server_id = cursor.little(at + 5, 4)
        self.length = length
        self.body_start = at + (self.header_size if self.type_code != ROTATE_EVENT else min(self.header_size, 19))
        self.body_end = at + length - self.trailer
        if self.header_size < 19:
            self.log_pos = self.flags = 0
        else:
            self.log_pos = cursor.little(at + 13, 4)
            self.flags = cursor.little(at + 17, 2)
            if self.positions_are_starts and self.log_pos != 0:
                self.log_pos = (self.log_pos + length) & _MASK32
        self.crc = cursor.little(self.body_end, 4) if self.trailer > 0 else -1

    def point(self, cursor: Cursor) -> None:
        """Set a cursor to the event's body."""
        if cursor.data is not self.cursor.data:
            cursor.load(self.cursor.data)
        cursor.point(self.body_start, self.body_end)

    def remark(self) -> None:
        """Learn from an event that those after it are encrypted, or MariaDB's in a log without its head."""
        if self.type_code == START_ENCRYPTION_EVENT:
            if not self.flags & _IGNORABLE_FLAG:
                self.state = SEALED
        elif self.type_code >= ANNOTATE_ROWS_EVENT and not self.format.mariadb:
            self.use(self.format._replace(server_version=NAMELESS_MARIADB))

    # format descriptions: in FormatWalker ----------------------------------------------------------------------

    def meet_format(self) -> bool:
        """Read a FORMAT_DESCRIPTION or START_V3 event, and use its format; False where it is damaged."""
        raise NotImplementedError

    def settle(self) -> bool:
        """Return False if the event at hand has a checksum though the log seemed to have none: read it again."""
        raise NotImplementedError

    def mismatch(self) -> bool:
        """Report an event whose checksum is wrong as damage."""
        raise NotImplementedError

    def assume_format(self, at: int) -> bool:
        """Read what follows with what is known of a damaged format description at `at`; False if there is none."""
        raise NotImplementedError

    def fits(self, at: int, length: int) -> bool:
        """Return whether an event of `length` bytes at `at` ends where its `log_pos` says."""
        raise NotImplementedError

    def follows(self, at: int, end: int) -> bool:
        """Return whether what is at `end` can be the next event, padding, or the end of the log."""
        raise NotImplementedError

    # where events end -----------------------------------------------------------------------------------------

    def run_dry(self, left: int) -> bool:
        """Handle fewer bytes than a header takes: wait, end, or report damage."""
        if not self.ended:
            return self.starve(self.header_size)
        if left == 0:
            self.state = DONE
            return False
        if not any(self.cursor.data[self.pos : self.cursor.size]):
            self.state = ZEROS
            self.lost_at = self.base + self.pos
            return False
        return self.spoil(f"the log ends inside an event header, after {left} of its {self.header_size} bytes", 0)

    def misfit(self, length: int, left: int) -> bool:
        """Handle a length in the header at `pos` that does not fit the bytes there: wait, or report damage or zeros."""
        at = self.pos
        if length == 0 and not any(self.cursor.data[at : at + self.header_size]):
            self.state = ZEROS
            self.lost_at = self.base + at
            return False
        if length < self.header_size + self.trailer:
            return self.spoil(f"an event of {counted(length, 'byte')} is smaller than any event", 0)
        if length > self.max_event_size:
            return self.spoil(f"an event of {length} bytes exceeds the maximum of {self.max_event_size}", 0)
        if self.ended or 0 <= self.stream_size < self.base + at + length:
            if left < _FORMAT_HEAD_END and not self.ended and self.cursor.view[at + 4] == FORMAT_DESCRIPTION_EVENT:
                return self.starve(_FORMAT_HEAD_END)  # `spoil` looks at that much of it
            return self.spoil(f"the event's {length} bytes extend past the end of the log or into other events", 0)
        return self.starve(length)

    def coherent(self) -> bool:
        """Return whether an event without checksum is where its position says, or a likely header follows it."""
        if (self.doubted >= 0 or (self.headless and self.trailer == 0)) and not self.settle():
            return False
        if self.known[self.type_code] and (self.log_pos == 0 or self.log_pos == (self.end + self.delta) & _MASK32):
            return True
        following = self.at + self.length
        if following + self.header_size > self.cursor.size:
            return self.ended or self.end == self.stream_size or self.starve(self.length + self.header_size)
        return self.plausible(following) or self.spoil("no event starts here", self.length)

    def spoil(self, reason: str, length: int, hint: str = "") -> bool:
        """Report damage from `pos` on, and search on: first at the end of the damaged event, if it has a `length`."""
        self.state = LOST
        self.lost_at = self.base + self.pos
        self.lost_reason = reason
        self.lost_hint = hint
        self.next_try = self.lost_at + length if length > 0 else -1
        self.assume_format(self.pos)
        return False

    def recover(self) -> bool:
        """Do what `state` asks for; return whether an event begins at `pos` now."""
        raise NotImplementedError

    def plausible(self, at: int) -> bool:
        """Return whether the bytes at `at` look like an event header."""
        raise NotImplementedError
