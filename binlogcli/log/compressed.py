"""Decompresses what events hold: MariaDB's zlib container, and MySQL's zstd payloads in windows."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from io import BytesIO

from binlogcli.binary.cursor import Cursor
from binlogcli.errors import DecodeError, counted

WINDOW = 1 << 16
_AT_ONCE = 1 << 20  # bytes that zlib makes in one call, which holds them twice for a moment


def inflate(
    body: Cursor, name: str, limit: int, known: bytes, note: Callable[[Cursor, bytes], None] | None = None
) -> bytes:
    """Return the content of a zlib container that continues to the cursor's end, `limit` bytes at most.

    `known` is the content where it was decompressed before, else empty. With notes wanted, `note` reads the content's
    fields from a cursor; without it the content is one field `name`.
    Raises DecodeError if the content is damaged or larger.

    First byte: 0x80, bits 4-6 the algorithm (0, zlib), bits 0-2 how many bytes of original length follow (big-endian).
    """
    start = body.pos
    body.enter(name)
    if body.notes is not None:
        body.notes.expect(body.end)
    head = body.u1("compression")
    size = head & 7
    if head & 0xE0 != 0x80 or not 1 <= size <= 4:
        raise DecodeError(f"{name}: 0x{head:02x} is not the start of compressed content")
    if head & 0x70:
        raise DecodeError(f"{name}: unknown compression algorithm {head >> 4 & 7}")
    at = body.need("original_length", size)
    length = body.big(at, size)
    body.note("original_length", at, length)
    at = body.need("zlib", body.left())
    packed = memoryview(body.data)[at : body.pos]
    body.note("zlib", at, packed)
    content = known or unzip(packed, length, name, limit)
    if body.notes is not None:
        body.notes.enter_content("content", content)
        if note is None:
            body.notes.leaf(name, 0, len(content), content)
        else:
            note(body, content)
        body.notes.leave_content()
    body.leave()
    if body.pos <= start:
        raise DecodeError(f"{name}: empty")
    return content


def unzip(packed: bytes | memoryview, length: int, name: str, limit: int, wbits: int = zlib.MAX_WBITS) -> bytes:
    """Return the `length` bytes of a zlib or raw deflate stream; DecodeError for a longer or shorter content."""
    if length > limit:
        raise DecodeError(f"{name}: {length} decompressed bytes exceed the maximum of {limit}")
    stream = zlib.decompressobj(wbits)
    try:
        content = stream.decompress(packed, length + 1) if length < _AT_ONCE else _first(length + 1, stream, packed)
    except zlib.error as error:
        raise DecodeError(f"{name}: {error}") from error
    if len(content) != length:
        raise DecodeError(f"{name}: decompresses to {counted(len(content), 'byte')} or more instead of {length}")
    if not stream.eof:
        raise DecodeError(f"{name}: the compressed stream is truncated")
    return content


def _first(count: int, stream: zlib._Decompress, packed: bytes | memoryview) -> bytes:
    """Return the first `count` bytes of what a stream decompresses to, which are in memory once at any time."""
    content = BytesIO()
    for at in range(0, len(packed), WINDOW):
        piece = bytes(packed[at : at + WINDOW])
        made = room = 1
        while (piece or made == room) and not stream.eof and content.tell() < count:
            room = min(_AT_ONCE, count - content.tell())
            made = content.write(stream.decompress(piece, room))
            piece = stream.unconsumed_tail
    return content.getvalue()


def zstd_windows(payload: bytes, limit: int) -> Iterator[bytes]:
    """Yield the content of a zstd payload (one or more frames) in pieces up to WINDOW; DecodeError beyond `limit`."""
    import zstandard  # only logs with compressed transactions need it

    total = 0
    try:
        with zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(
            payload, read_across_frames=True
        ) as stream:
            while window := stream.read(WINDOW):
                total += len(window)
                if total > limit:
                    raise DecodeError(f"the payload decompresses to more than the maximum of {limit} bytes")
                yield window
    except zstandard.ZstdError as error:
        raise DecodeError(f"zstd: {error}") from error
