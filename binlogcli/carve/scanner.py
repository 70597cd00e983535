"""Finds the events of binary logs in a file of any content, in one pass.

The idea: `shapes` names the places that look like events. One is an event if it proves so:
* with checksums by its own. A format description has one in any log since MySQL 5.6;
* without, by a chain: the two headers after it count its position on, and are of its server. The bytes of such an
  event are known to be whole only up to the header that follows, so the last one of a fragment, which may be cut off,
  does not count, unless it is a ROTATE or STOP event, or the file or the next log begins right behind it.
From a proven event on, the events that follow directly make a `Fragment`, which ends where the next header is none, a
checksum is wrong, or a position does not count on: there the fragment of another log begins. Inside of a fragment
nothing is looked for, such as logs that were stored in a table.

What holds:
* Memory is bounded by the window: of events that are longer, the checksum is computed part by part.
* The bytes of candidates that were no events are counted (`wasted`), and long ones are passed over where that is much
  for the size of the file, unless a header counts on from them: bytes that look like headers, or were made so, cannot
  make it take quadratic time.
* A log with checksums proves nothing by positions: overwritten events keep their headers. So a chain is dropped that
  counts on from events with checksums, or leads to one.
"""

from __future__ import annotations

from binlogcli.binary import kernel
from binlogcli.binary.cursor import Cursor
from binlogcli.carve import shapes
from binlogcli.carve.fragment import CHAIN, CHECKSUM, UNPROVEN, Fragment
from binlogcli.carve.window import (
    AHEAD,
    LARGEST,
    LINKED,
    LINKED_BY_STARTS,
    NO_LINK,
    SMALL,
    UNKNOWN_FLAGS,
    WINDOW,
    Window,
    link_of,
    number_at,
)
from binlogcli.errors import DecodeError
from binlogcli.log.format import CHECKSUM_SIZE, HEADER_SIZE, LogFormat, read_format_description, read_start_v3
from binlogcli.names.event_types import FORMAT_DESCRIPTION_EVENT, KNOWN_TYPES, ROTATE_EVENT, START_EVENT_V3, STOP_EVENT
from binlogcli.names.magics import MAGIC
from binlogcli.sources.image import Image

_BEFORE_HOLE_END = 64  # an event that begins with zero bytes may begin in a hole
_MASK32 = 0xFFFFFFFF
_ARTIFICIAL, _RELAY = 0x20, 0x40  # LOG_EVENT_ARTIFICIAL_F, LOG_EVENT_RELAY_LOG_F
_MAGIC_SIZE = 4
_PLAIN, _SUMMED = 1, 2  # as in `shapes`
_LED = 16  # events after a chain that may show that the log has checksums


class Scanner(Window):
    """Scans one image; `scan` returns its fragments. With `unproven`, also what looks like events without proof."""

    def __init__(self, image: Image, *, unproven: bool = False) -> None:
        super().__init__(image)
        self.unproven = unproven
        self.known = KNOWN_TYPES
        self.fragments: list[Fragment] = []
        self.guesses: list[Fragment] = []
        self.summed_end = -1  # the end of the last fragment with checksums, or of overwritten events after it,
        self.summed_pos = 0  # and the position there
        self.forget()

    def forget(self) -> None:
        """Begin a run of events."""
        self.offset = -1
        self.shift = 0  # from positions to offsets
        self.placed = False  # whether that is known
        self.anchored = False  # whether a format description with a right checksum began the run
        self.chained = False  # whether an event is proven by positions alone
        self.over = False  # whether the last event is one that ends a log
        self.relay = self.summed = self.starts = self.begins = self.retracted = False
        self.count = self.first_time = self.last_time = self.last_type = self.last_pos = 0
        self.server = -1
        self.servers: dict[int, None] = {}
        self.types = bytearray(256)
        self.log_format: LogFormat | None = None

    # the pass -------------------------------------------------------------------------------------------------------

    def scan(self) -> list[Fragment]:
        """Return the fragments in the order of the file."""
        offset = 0
        while offset < self.file_size:
            data = self.image.next_data(offset)
            offset = max(offset, data - _BEFORE_HOLE_END)
            if data >= self.file_size:
                break
            self.load(offset)
            offset = self.sweep()
        return merge_guesses(self.fragments, self.guesses)

    def sweep(self) -> int:
        """Try all places of the window, which moves on with the events found; return where to continue."""
        while True:
            last = self.base + self.size >= self.file_size or self.size < WINDOW
            stop = self.size - HEADER_SIZE + 1 if last else self.size - AHEAD
            found = -1
            if self.at < stop:
                left = self.file_size - self.base - self.at
                found = shapes.find_shape(self.view, self.at, stop, self.size, left)
            if found < 0:
                return self.file_size if last else self.base + max(stop, self.at)
            self.at = found
            if not self.take_run():
                self.at += 1

    def take_run(self) -> bool:
        """Take the events from the place at hand on as a fragment; return whether there is any."""
        self.forget()
        offset = self.base + self.at
        if not self.begin_run():
            return self.miss(offset)
        self.offset = offset
        while self.take_event():
            pass
        self.retracted = self.retracted or (self.chained and not self.anchored and self.leads_to_sums())
        if self.count == 0 or self.retracted:
            return self.count > 0 or self.miss(offset)
        self.keep_run()
        return True

    def miss(self, offset: int) -> bool:
        """Return False, at the place where no event was proven; keep what looks like one, where it is wanted."""
        if self.base + self.at != offset:
            self.load(offset)
        if self.unproven:
            self.guess(offset)
        return False

    def keep_run(self) -> None:
        """Keep the run as a fragment."""
        end = self.base + self.at
        position = max(self.offset - self.shift, _MAGIC_SIZE) if self.placed else _MAGIC_SIZE
        self.fragments.append(
            Fragment(
                self.offset, end, position, self.count, self.first_time, self.last_time, tuple(self.servers),
                bytes(self.types), self.last_type, CHAIN if self.chained else CHECKSUM, self.summed, self.begins,
                self.log_format,
            )
        )  # fmt: skip
        if self.summed:
            self.summed_end, self.summed_pos = end, self.last_pos

    # the first event of a run ---------------------------------------------------------------------------------------

    def begin_run(self) -> bool:
        """Return whether the event at hand proves itself, and set how those after it are read."""
        code = self.view[self.at + 4]
        length = kernel.little(self.view, self.at + 9, 4)
        if self.is_sound(length):
            self.summed = True
            return True
        offset = self.base + self.at
        if code in (FORMAT_DESCRIPTION_EVENT, START_EVENT_V3) and self.has_magic(offset):
            return True
        return not self.counts_on_from_sums(offset) and self.is_chain(offset)

    def counts_on_from_sums(self, offset: int) -> bool:
        """Whether an event whose checksum is wrong counts on from events with right ones: it was overwritten."""
        header = self.header_at(offset)
        length, position = number_at(header, 9), number_at(header, 13)
        if offset != self.summed_end or position != (self.summed_pos + length) & _MASK32:
            return False
        self.summed_end, self.summed_pos = offset + length, position
        return True

    def leads_to_sums(self) -> bool:
        """Whether headers that count on from the place at hand lead to an event with a right checksum."""
        offset = self.base + self.at
        header = self.header_at(offset)
        for _ in range(_LED):
            length = number_at(header, 9)
            if len(header) < HEADER_SIZE or not HEADER_SIZE <= length <= min(SMALL, self.file_size - offset):
                return False
            size = length - CHECKSUM_SIZE
            if self.image.crc32(offset, size) == number_at(self.image.read(offset + size, CHECKSUM_SIZE), 0):
                return True
            offset += length
            following = self.header_at(offset)
            if self.link(header, following) != LINKED:
                return False
            header = following
        return False

    def is_chain(self, offset: int) -> bool:
        """Whether two headers count on from the event at an offset, which has no checksum."""
        header = self.header_at(offset)
        if not self.shape_at(offset) & _PLAIN:
            return False
        for at in range(2):
            offset += number_at(header, 9)
            following = self.header_at(offset)
            if self.link(header, following) != LINKED or header[5:9] != following[5:9]:
                return False
            shape = self.shape_at(offset)
            if shape == _SUMMED or (at == 0 and shape == 0):  # the second one may be cut off
                return False
            header = following
        return True

    def link(self, header: bytes, following: bytes) -> int:
        """Return how a header counts on, as `link_of` does; note where positions are those of starts."""
        found = link_of(header, following, self.relay)
        if found == LINKED_BY_STARTS:
            self.starts = True
            return LINKED
        return found

    def guess(self, offset: int) -> None:
        """Keep what looks like an event without being one for certain."""
        header = self.header_at(offset)
        length = number_at(header, 9)
        types = bytearray(256)
        types[header[4]] = 1
        time, position = number_at(header, 0), number_at(header, 13)
        start = position - length if position >= length + _MAGIC_SIZE else _MAGIC_SIZE
        shape = self.shape_at(offset)
        self.guesses.append(
            Fragment(
                offset, offset + length, start, 1, time, time, (number_at(header, 5),), bytes(types), header[4],
                UNPROVEN, shape == _SUMMED,
            )
        )  # fmt: skip

    # the events of a run --------------------------------------------------------------------------------------------

    def take_event(self) -> bool:
        """Take the event at hand if it is part of the run, and go on behind it."""
        if not self.need(HEADER_SIZE):
            return False
        at = self.at
        code = self.view[at + 4]
        length = kernel.little(self.view, at + 9, 4)
        if length < HEADER_SIZE or length > LARGEST or length > self.file_size - self.base - at:
            return False
        if self.view[at + 18] & (UNKNOWN_FLAGS >> 8):
            return False
        if code in (FORMAT_DESCRIPTION_EVENT, START_EVENT_V3):
            if not self.take_format(code, length):
                return False
        elif self.summed:
            if not self.is_sound(length) or not self.continues(length):
                return False
        elif not self.is_linked(length):
            return False
        self.note(length)
        self.pass_over(length)
        return True

    def continues(self, length: int) -> bool:
        """Whether the position of the event at hand counts on; the first one sets it."""
        log_pos = kernel.little(self.view, self.at + 13, 4)
        end = self.base + self.at + length
        if log_pos == 0:
            return True
        if not self.placed:
            self.placed = True
            self.shift = end - log_pos
            if self.starts:
                self.shift -= length
            return True
        if ((end - self.shift) & _MASK32) == log_pos or self.starts:
            return True
        return self.relay and (not self.over or self.view[self.at + 4] == ROTATE_EVENT)

    def is_linked(self, length: int) -> bool:
        """Whether the event at hand, which has no checksum, is followed by one that counts on, or ends its log."""
        offset = self.base + self.at
        shape = self.shape_at(offset)
        if shape & _SUMMED and not self.anchored and self.is_sound(length):
            self.retracted = True  # the log has checksums: those before it were overwritten
            return False
        if not shape & _PLAIN:
            return False
        if self.links_at_hand(length):
            self.chained = True
            return self.continues(length)
        end = offset + length
        header, following = self.header_at(offset), self.header_at(end)
        ends = end == self.file_size or header[4] in (ROTATE_EVENT, STOP_EVENT) or following[:_MAGIC_SIZE] == MAGIC
        if not ends and self.link(header, following) == NO_LINK:
            return False
        if self.base + self.at != offset:
            self.load(offset)
        self.chained = True
        return self.continues(length)

    def links_at_hand(self, length: int) -> bool:
        """Whether the header after the event at hand is in the window and counts on; False where `link` has to tell."""
        view, at = self.view, self.at
        end = at + length
        if end + HEADER_SIZE > self.size or not self.known[view[end + 4]] or view[end + 18] & (UNKNOWN_FLAGS >> 8):
            return False
        position, next_length = kernel.little(view, at + 13, 4), kernel.little(view, end + 9, 4)
        linked = kernel.little(view, end + 13, 4) == (position + next_length) & _MASK32
        return linked and position != 0 and HEADER_SIZE <= next_length <= LARGEST

    def take_format(self, code: int, length: int) -> bool:
        """Take a format description, which begins a log, or follows where its position counts on; use its format."""
        offset = self.base + self.at
        log_format = self.read_format(code, length)
        if log_format is None or (self.count > 0 and not self.relay and not self.continues(length)):
            return False
        if self.count == 0:
            self.begins = self.has_magic(offset)
            self.relay = self.begins and self.view[self.at + 17] & _RELAY > 0
            self.starts = self.starts or log_format.binlog_version == 3
            if self.begins:
                self.shift = offset - _MAGIC_SIZE
                self.placed = True
            else:
                self.continues(length)
            self.log_format = log_format
            self.anchored = self.is_sound(length)
        self.summed = log_format.checksum == 1
        self.chained = self.chained or not self.is_sound(length)
        return True

    def read_format(self, code: int, length: int) -> LogFormat | None:
        """Return what the format description at hand says; None where it is not one."""
        event = self.image.read(self.base + self.at, min(length, SMALL))
        body = Cursor(event, HEADER_SIZE)
        sound = self.is_sound(length)
        try:
            if code == START_EVENT_V3:
                return read_start_v3(body) if self.is_followed(length) else None
            found = read_format_description(body, CHECKSUM_SIZE, proven=sound)
        except DecodeError:
            return None
        if sound:
            return found if found.checksum in (None, 0, 1) else None
        return found if found.checksum in (None, 0) and self.is_followed(length) else None

    def is_followed(self, length: int) -> bool:
        """Whether an event without checksum follows the one at hand and counts on from it, or the file ends there."""
        offset = self.base + self.at
        end = offset + length
        if end == self.file_size:
            return True
        following = self.header_at(end)
        if self.link(self.header_at(offset), following) != LINKED:
            return False
        size = number_at(following, 9) - CHECKSUM_SIZE
        stored = number_at(self.image.read(end + size, CHECKSUM_SIZE), 0)
        return size > SMALL or self.image.crc32(end, size) != stored

    def note(self, length: int) -> None:
        """Count the event at hand."""
        at = self.at
        self.count += 1
        self.last_type = self.view[at + 4]
        self.types[self.last_type] = 1
        self.last_pos = kernel.little(self.view, at + 13, 4)
        own = self.last_pos > 0 and self.view[at + 17] & _ARTIFICIAL == 0
        self.over = own and self.last_type in (ROTATE_EVENT, STOP_EVENT)
        time = kernel.little(self.view, at, 4)
        if time > 0:
            self.last_time = time
            if self.first_time == 0:
                self.first_time = time
        server = kernel.little(self.view, at + 5, 4)
        if server != self.server:
            self.server = server
            self.servers[server] = None


def merge_guesses(fragments: list[Fragment], guesses: list[Fragment]) -> list[Fragment]:
    """Return the fragments with those guesses that overlap none of them, nor a guess before them."""
    found: list[Fragment] = []
    end = at = 0
    for guess in guesses:
        while at < len(fragments) and fragments[at].end <= guess.offset:
            at += 1
        if guess.offset < end or (at < len(fragments) and fragments[at].offset < guess.end):
            continue
        found.append(guess)
        end = guess.end
    return sorted(fragments + found, key=lambda fragment: fragment.offset)


def find_in(data: bytes, at: int, stop: int, left: int) -> int:
    """Return the first place in data[at:stop] that has a shape, or -1, as `scan` finds it; for tests of its C form."""
    return shapes.find_shape(data, at, stop, len(data), left)


def shape_in(data: bytes, at: int, left: int) -> int:
    """Return the shape of what is in data at `at`, as `scan` sees it; for tests of its C form."""
    return shapes.shape_of(data, at, len(data), left)
