"""The compressed protocol: packets of zlib or zstd data, each by itself, that hold the bytes of one direction.

A compressed packet is: length in three bytes, sequence, length before compression in three bytes (0: the content is as
it is), content. After a hole the next one is known by decompressing to just the length that it says.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator

from binlogcli.sources.capture.flow import OrderedBytes

HEADER = 7
# data of either library after a header, or a short packet as it is
_CANDIDATE = re.compile(rb"(?s)(?=.{7}(?:\x78[\x01\x5e\x9c\xda]|\x28\xb5\x2f\xfd)|(?!\0\0\0).{4}\0\0\0(?!\0\0\0).{4})")
_LOOKED_AT = 11  # bytes of a packet that the pattern looks at
_PROBE = 256  # bytes that are decompressed of a packet that is not whole
SMALL = 1 << 16  # of a packet that is waited for before any other was found
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_LARGEST_WINDOW = 1 << 27


class CompressedStream:
    """Decompresses the bytes of one direction; they begin at a packet if `synced`."""

    def __init__(self, *, synced: bool) -> None:
        self.synced = synced
        self.found = synced  # whether there has ever been a compressed packet
        self.buffer = b""
        self.position = 0  # of the next byte that comes out
        self.missing = 0

    def feed(self, run: OrderedBytes) -> Iterator[OrderedBytes]:
        """Yield the content of the packets that are whole now; `missing` of the result counts compressed bytes."""
        if run.missing:
            self.lose(run.missing)
        self.buffer += run.data
        at = 0
        while True:
            if not self.synced:
                at = self.search(at)
                if not self.synced:
                    break
            content, size = self._content_at(at)
            if size == 0:
                break
            at += size
            if content is None:
                self.lose(size)
                continue
            if content:
                yield OrderedBytes(self.position, self.missing, content, run.number, run.time)
                self.position += len(content)
                self.missing = 0
        self.buffer = self.buffer[at:]

    def lose(self, missing: int) -> None:
        """Give up the bytes at hand, after `missing` bytes that were not captured, and search from here on."""
        self.missing += missing
        if self.synced:
            self.missing += len(self.buffer)
            self.buffer = b""
        self.synced = False

    def _content_at(self, at: int) -> tuple[bytes | None, int]:
        """Return the content of the packet at `at`, None if damaged, and the packet's size, 0 if it is not whole."""
        buffer = self.buffer
        if len(buffer) - at < HEADER:
            return None, 0
        size = HEADER + int.from_bytes(buffer[at : at + 3], "little")
        if len(buffer) - at < size:
            return None, 0
        return decompressed(buffer[at + HEADER : at + size], int.from_bytes(buffer[at + 4 : at + 7], "little")), size

    def search(self, at: int) -> int:
        """Return where the next packet begins, or how far was searched; count the bytes before it as missing."""
        buffer = self.buffer
        start = at
        for match in _CANDIDATE.finditer(buffer, at):
            verdict = self.proves(match.start())
            if verdict >= 0:
                self.synced = verdict > 0
                self.found = self.found or self.synced
                at = match.start()
                break
        else:
            at = max(at, len(buffer) - _LOOKED_AT + 1)
        self.missing += at - start
        return at

    def proves(self, at: int) -> int:
        """Return 1 when a packet begins at `at`, 0 when more bytes are needed to tell, -1 when none does."""
        buffer = self.buffer
        length = int.from_bytes(buffer[at : at + 3], "little")
        plain = int.from_bytes(buffer[at + 4 : at + 7], "little")
        if plain == 0:  # the packet that it holds must be whole too
            return 1 if int.from_bytes(buffer[at + 7 : at + 10], "little") == length - 4 else -1
        if length >= plain:
            return -1
        content, size = self._content_at(at)
        if size:
            return 1 if content is not None else -1
        if length > SMALL and not self.found:
            return -1
        return 0 if _begins_well(buffer[at + HEADER : at + HEADER + _PROBE]) else -1


def _begins_well(content: bytes) -> bool:
    """Whether the first bytes of data decompress; those of zstd are recognized by their magic number alone."""
    if content.startswith(_ZSTD_MAGIC):
        return True
    try:
        zlib.decompressobj().decompress(content)
    except zlib.error:
        return False
    return True


def decompressed(content: bytes, size: int) -> bytes | None:
    """Return the content of a packet that was `size` bytes before compression; None where that is not its size."""
    if size == 0:
        return content
    if content.startswith(_ZSTD_MAGIC):
        return _zstd_content(content, size)
    try:
        plain = zlib.decompressobj().decompress(content, size + 1)
    except zlib.error:
        return None
    return plain if len(plain) == size else None


def _zstd_content(content: bytes, size: int) -> bytes | None:
    """Return the content of a packet of zstd data; None where it has not `size` bytes."""
    import zstandard  # only for connections that use it

    try:
        if zstandard.frame_content_size(content) not in (-1, size):
            return None
        plain = zstandard.ZstdDecompressor(max_window_size=_LARGEST_WINDOW).decompress(content, max_output_size=size)
    except zstandard.ZstdError:
        return None
    return plain if len(plain) == size else None
