"""The frames of a network capture: pcap and pcapng files of either byte order, as tcpdump and Wireshark write them.

`dpkt` knows the layouts; the loops are our own, because a capture may be hostile, cut off, or damaged in its middle:
lengths are checked before anything is read, and after a broken record the next sound one is looked for.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator
from typing import NamedTuple

import dpkt
from dpkt import pcap, pcapng

from binlogcli.errors import SourceError
from binlogcli.names.magics import PCAP_MAGICS, PCAPNG_MAGIC
from binlogcli.sources.source import Source

_LARGEST_FRAME = 1 << 18  # tcpdump's largest; a file that asks for more in its head may have up to
_LARGEST_SNAPLEN = 1 << 24
_LARGEST_BLOCK = 1 << 25  # blocks of pcapng that hold no frame, such as names and comments
DAY = 86400
READ = 1 << 16
CUT_OFF = "the capture is truncated within a frame"
NANOSECONDS = 1_000_000_000
_BROKEN_OPTIONS = (dpkt.Error, struct.error, ValueError, IndexError)


class Frame(NamedTuple):
    """One frame as it was captured."""

    number: int  # as tcpdump and Wireshark count, from 1
    time: int  # nanoseconds since the epoch
    link: int  # the link type
    data: bytes


class BrokenRecord(NamedTuple):
    """A place of the file where no sound record begins."""

    offset: int
    reason: str


def read_frames(window: Window) -> Iterator[Frame | BrokenRecord]:
    """Yield all frames of a capture and its broken places, in the order of the file."""
    if window.peek(4) == PCAPNG_MAGIC:
        return _PcapngReader(window).frames()
    return _PcapReader(window).frames()


class Window:
    """The next bytes of a source, which may be looked at before they are taken."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.on_wait: Callable[[], None] | None = None  # called before bytes are read that may not be there yet
        self.buffer = b""
        self.at = 0
        self.offset = 0  # of the next byte, in the file

    def left(self) -> int:
        """Return how many bytes are at hand."""
        return len(self.buffer) - self.at

    def peek(self, size: int, after: int = 0) -> bytes:
        """Return the `size` bytes that stand `after` bytes ahead, fewer at the end of the file."""
        if len(self.buffer) - self.at < after + size:
            self.fill(after + size)
        return self.buffer[self.at + after : self.at + after + size]

    def fill(self, size: int) -> None:
        """Read until `size` bytes are ahead, or the file is at its end."""
        parts = [self.buffer[self.at :]]
        have = len(parts[0])
        while have < size:
            if self.on_wait is not None and not self.source.seekable:
                self.on_wait()
            more = self.source.read(max(READ, size - have))
            if not more:
                break
            parts.append(more)
            have += len(more)
        self.buffer = b"".join(parts)
        self.at = 0

    def skip(self, size: int) -> None:
        """Take `size` bytes that were looked at."""
        self.at += size
        self.offset += size


class _PcapReader:
    """Reads a pcap file: one head, then records of head and frame."""

    def __init__(self, window: Window) -> None:
        self.window = window
        head = window.peek(pcap.FileHdr.__hdr_len__)
        if len(head) < pcap.FileHdr.__hdr_len__:
            reason = "the capture is truncated in its first bytes"
            raise SourceError(reason, file=window.source.name, offset=len(head), hint="capture it again")
        self.little = head[:4] in (PCAP_MAGICS[0], PCAP_MAGICS[2])
        file_header = (pcap.LEFileHdr if self.little else pcap.FileHdr)(head)
        self.header = pcap.LEPktHdr if self.little else pcap.PktHdr
        self.scale = 1 if file_header.magic == pcap.TCPDUMP_MAGIC_NANO else 1000
        self.link = file_header.linktype & 0xFFFFFFF  # above stands the length of checksums
        self.limit = min(max(file_header.snaplen, _LARGEST_FRAME), _LARGEST_SNAPLEN)
        self.second = -1
        window.skip(len(head))

    def frames(self) -> Iterator[Frame | BrokenRecord]:
        """Yield frames and broken places."""
        window = self.window
        size = self.header.__hdr_len__
        number = 0
        while head := window.peek(size):
            record = self.record(head)
            if record is None:
                yield BrokenRecord(window.offset, CUT_OFF if len(head) < size else "no frame starts here")
                if not self.search():
                    return
                continue
            whole = window.peek(size + record.caplen)
            if len(whole) < size + record.caplen:
                yield BrokenRecord(window.offset, CUT_OFF)
                return
            window.skip(len(whole))
            number += 1
            self.second = record.tv_sec
            yield Frame(number, record.tv_sec * NANOSECONDS + record.tv_usec * self.scale, self.link, whole[size:])

    def record(self, head: bytes) -> pcap.PktHdr | None:
        """Return the head of a record; None where it cannot be one."""
        if len(head) < self.header.__hdr_len__:
            return None
        record = self.header(head)
        if record.caplen > self.limit or record.tv_usec * self.scale >= NANOSECONDS:
            return None
        return record

    def search(self) -> bool:
        """Go to the next record that is followed by another one; return False if there is none.

        The upper half of a record's seconds is that of the frame before, or within a day of it.
        """
        window = self.window
        window.skip(1)
        size = self.header.__hdr_len__
        while len(window.peek(size)) == size:
            at = self.candidate()
            if at < 0:
                window.skip(max(window.left() - size + 1, 1))
                continue
            window.skip(at)
            record = self.record(window.peek(size))
            if record is not None and self.near(record) and self.followed(size + record.caplen):
                return True
            window.skip(1)
        window.skip(window.left())
        return False

    def candidate(self) -> int:
        """Return how far ahead, among the bytes at hand, a record may stand by its time; -1 for none."""
        if self.second < 0:
            return 0
        days = {(self.second + days * DAY) >> 16 & 0xFFFF for days in (-1, 0, 1)}
        pattern = b"|".join(re.escape(high.to_bytes(2, "little" if self.little else "big")) for high in sorted(days))
        found = re.compile(pattern, re.DOTALL).search(self.window.buffer, self.window.at + (2 if self.little else 0))
        return -1 if found is None else found.start() - self.window.at - (2 if self.little else 0)

    def near(self, record: pcap.PktHdr) -> bool:
        """Whether the frame is no smaller than what was kept of it, and of about the time of those before."""
        if not 0 < record.caplen <= min(record.len, _LARGEST_FRAME):
            return False
        return self.second < 0 or abs(record.tv_sec - self.second) < DAY

    def followed(self, size: int) -> bool:
        """Whether a record or the end of the file stands `size` bytes ahead."""
        header = self.header.__hdr_len__
        ahead = self.window.peek(header, size)
        if not ahead:
            return self.window.left() == size
        record = self.record(ahead)
        return record is not None and self.near(record)


class _Interface(NamedTuple):
    """Where frames of a pcapng file were captured, and the unit of their times."""

    link: int
    units: int  # of time in a second
    offset: int  # seconds to be added
    snaplen: int


class _PcapngReader:
    """Reads a pcapng file: blocks of all kinds, in sections that may differ in byte order."""

    def __init__(self, window: Window) -> None:
        self.window = window
        self.little = True
        self.interfaces: list[_Interface] = []
        self.number = 0

    def frames(self) -> Iterator[Frame | BrokenRecord]:
        """Yield frames and broken places."""
        window = self.window
        while head := window.peek(12):
            size = self._block_size(head)
            if size == 0:
                yield BrokenRecord(window.offset, CUT_OFF if len(head) < 12 else "no block starts here")
                if not self.search():
                    return
                continue
            block = window.peek(size)
            if len(block) < size:
                yield BrokenRecord(window.offset, CUT_OFF)
                return
            window.skip(size)
            frame = self._frame_of(block)
            if frame is not None:
                yield frame

    def _block_size(self, head: bytes) -> int:
        """Return the size of the block that begins with `head`, or 0; take the byte order of a new section."""
        if len(head) < 12:
            return 0
        if head[:4] == PCAPNG_MAGIC:
            if head[8:12] not in (b"\x4d\x3c\x2b\x1a", b"\x1a\x2b\x3c\x4d"):
                return 0
            self.little = head[8] == 0x4D
        size = int(struct.unpack_from(self.order("I"), head, 4)[0])
        return size if 12 <= size <= _LARGEST_BLOCK and size % 4 == 0 else 0

    def order(self, layout: str) -> str:
        """Return a layout of `struct` in the section's byte order."""
        return ("<" if self.little else ">") + layout

    def search(self) -> bool:
        """Go to the next block that has its size at both ends; return False if there is none."""
        window = self.window
        window.skip(4)
        while len(head := window.peek(12)) == 12:
            size = self._block_size(head)
            if 0 < size <= _LARGEST_FRAME and window.peek(4, size - 4) == head[4:8]:
                return True
            window.skip(4)
        window.skip(len(head))
        return False

    def _frame_of(self, block: bytes) -> Frame | None:
        """Return the frame in a block; None where it holds none."""
        kind = struct.unpack_from(self.order("I"), block)[0]
        if kind == pcapng.PCAPNG_BT_SHB:
            self.interfaces.clear()
        elif kind == pcapng.PCAPNG_BT_IDB:
            self.interfaces.append(self._interface_of(block))
        elif kind in (pcapng.PCAPNG_BT_EPB, pcapng.PCAPNG_BT_PB):
            return self._enhanced(block, old=kind == pcapng.PCAPNG_BT_PB)
        elif kind == pcapng.PCAPNG_BT_SPB and self.interfaces and len(block) >= 16:
            self.number += 1
            size = min(struct.unpack_from(self.order("I"), block, 8)[0], self.interfaces[0].snaplen or _LARGEST_SNAPLEN)
            return Frame(self.number, 0, self.interfaces[0].link, block[12 : min(12 + size, len(block) - 4)])
        return None

    def _interface_of(self, block: bytes) -> _Interface:
        """Return the interface that a description block describes, as far as its options can be read."""
        units, offset = 1_000_000, 0
        description = (pcapng.InterfaceDescriptionBlockLE if self.little else pcapng.InterfaceDescriptionBlock)()
        try:
            description.unpack_hdr(block)
            description.unpack(block)
            for option in description.opts:
                if option.code == pcapng.PCAPNG_OPT_IF_TSRESOL:
                    resolution = option.data[0]
                    units = (2 if resolution & 0x80 else 10) ** min(resolution & 0x7F, 63)
                elif option.code == pcapng.PCAPNG_OPT_IF_TSOFFSET:
                    offset = struct.unpack(self.order("q"), option.data)[0]
        except _BROKEN_OPTIONS:  # what could be read of it holds
            pass
        return _Interface(description.linktype, units, offset, description.snaplen)

    def _enhanced(self, block: bytes, *, old: bool) -> Frame | None:
        """Return the frame of an enhanced packet block, or of the older packet block (`old`)."""
        if len(block) < 32:
            return None
        # interface (with a count of lost frames beside it in the old form), time, length kept, length
        index, high, low, kept = struct.unpack_from(self.order("H2xIII" if old else "IIII"), block, 8)
        self.number += 1
        if index >= len(self.interfaces) or kept > len(block) - 32:
            return None
        interface = self.interfaces[index]
        time = (high << 32 | low) * NANOSECONDS // interface.units + interface.offset * NANOSECONDS
        return Frame(self.number, time, interface.link, block[28 : 28 + kept])
