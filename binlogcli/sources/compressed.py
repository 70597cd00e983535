"""Compressed logs, read through: gzip, zstd, xz and bzip2, recognized by their first bytes.

Memory stays bounded whatever the data claims to hold. What can be decompressed before a cut or a damaged place is
delivered before `SourceError` names that place. Files of several members (`cat a.gz b.gz`) are one stream. The
libraries are imported when the first file of their kind is opened.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from binlogcli.errors import SourceError, counted
from binlogcli.sources.source import Source, Stream

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    # what opens a member, and what is raised for one that is damaged
    Library = tuple[Callable[[], "Decoder"], type[Exception]]

HEAD = 10  # bytes that tell the format

# Compressed bytes go in by pieces so small that the one library without a limit on its output (zstd: 4 bytes
# may hold a block of 128 KiB) cannot make more than 16 MiB of a piece; a larger one is hardly faster.
_PIECE = 512
_STEP = 1 << 14  # decompressed bytes a step may give
_READ = 1 << 16  # compressed bytes read at once
_KEEP = 1 << 20  # compressed bytes of a pipe kept, for reading the place of a damage once more
_LARGEST_WINDOW = 1 << 27  # what zstd itself takes without --long=N, and twice what xz -9 needs


class Decoder(Protocol):
    """Decompresses one member; has the methods of the decoders of `lzma` and `bz2`."""

    @property
    def eof(self) -> bool:
        """Whether the member has ended."""

    @property
    def needs_input(self) -> bool:
        """Whether nothing more can be had without further compressed bytes."""

    @property
    def unused_data(self) -> bytes:
        """The bytes after the end of the member."""

    def decompress(self, data: bytes, max_length: int) -> bytes:
        """Return at most `max_length` bytes out of `data` and what was left over before."""


class _Gzip:
    """`zlib` with the methods of a `Decoder`."""

    def __init__(self) -> None:
        import zlib  # only for compressed logs

        self._zlib = zlib.decompressobj(31)  # 15 bits of window, 16: a gzip header

    @property
    def eof(self) -> bool:
        return self._zlib.eof

    @property
    def needs_input(self) -> bool:
        return not self._zlib.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._zlib.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        return self._zlib.decompress(self._zlib.unconsumed_tail + data, max_length)


class _Zstd:
    """`zstandard` with the methods of a `Decoder`; keeps what a step gives beyond its limit."""

    def __init__(self) -> None:
        import zstandard  # only for compressed logs

        self._zstd = zstandard.ZstdDecompressor(max_window_size=_LARGEST_WINDOW).decompressobj()
        self._ready = b""
        self._given = 0

    @property
    def eof(self) -> bool:
        return self._zstd.eof and self._given == len(self._ready)

    @property
    def needs_input(self) -> bool:
        return self._given == len(self._ready)

    @property
    def unused_data(self) -> bytes:
        return self._zstd.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        if data:
            self._ready, self._given = self._zstd.decompress(data), 0
        piece = self._ready[self._given : self._given + max_length]
        self._given += len(piece)
        return piece


def _load_gzip() -> Library:
    import zlib  # only for compressed logs

    return _Gzip, zlib.error


def _load_zstd() -> Library:
    import zstandard  # only for compressed logs

    return _Zstd, zstandard.ZstdError


def _load_xz() -> Library:
    import lzma  # only for compressed logs

    return lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_LARGEST_WINDOW), lzma.LZMAError


def _load_bzip2() -> Library:
    import bz2  # only for compressed logs

    return bz2.BZ2Decompressor, OSError


_LIBRARIES = {"gzip": _load_gzip, "zstd": _load_zstd, "xz": _load_xz, "bzip2": _load_bzip2}


def compression_of(head: bytes) -> str | None:
    """Return the name of the compression that the first `HEAD` bytes show; None for none."""
    if head.startswith(b"\x1f\x8b"):
        return "gzip"
    # a zstd frame, or one that its readers skip (pzstd begins with such a frame)
    if head.startswith(b"\x28\xb5\x2f\xfd") or (head[1:4] == b"\x2a\x4d\x18" and head[0] & 0xF0 == 0x50):
        return "zstd"
    if head.startswith(b"\xfd7zXZ\0"):
        return "xz"
    # "BZh", the level, then the first block or, in an empty file, the end
    if head.startswith(b"BZh") and head[4:10] in {b"1AY&SY", b"\x17\x72\x45\x38\x50\x90"}:
        return "bzip2"
    return None


class CompressedSource(Stream):
    """The decompressed bytes of another source; offsets are those of the decompressed stream."""

    remark = "decompressed; bytes and offsets are those of the log inside"

    def __init__(self, raw: Source, compression: str) -> None:
        super().__init__(raw.name)
        self._raw = raw
        self._format = compression
        self._new_decoder, self._error = _LIBRARIES[compression]()
        self._input = _Input(raw)
        self._steps = self._decompressed()
        self._ready = bytearray()
        self._given = 0
        self._failure: SourceError | None = None

    def close(self) -> None:
        """Close the source below."""
        self._raw.close()

    def _pull(self, size: int) -> bytes:
        while len(self._ready) < size and self._failure is None:
            try:
                step = next(self._steps, b"")
            except SourceError as failure:
                self._failure = failure  # raised when all before it has been delivered, and from then on
                break
            if not step:
                break
            self._ready += step
        if not self._ready and self._failure is not None:
            raise self._failure
        data = bytes(self._ready[:size])
        del self._ready[:size]
        self._given += len(data)
        return data

    def _decompressed(self) -> Iterator[bytes]:
        while self._input.more():
            yield from self._member()

    def _member(self) -> Iterator[bytes]:
        self._input.mark()
        decoder = self._new_decoder()
        delivered = 0
        try:
            while not decoder.eof:
                starving = decoder.needs_input
                data = self._input.take(_PIECE) if starving else b""
                if step := decoder.decompress(data, _STEP):
                    delivered += len(step)
                    yield step
                elif starving and not data:
                    raise self._cut_off()
        except self._error as error:
            yield from self._salvaged(delivered)
            raise self._damaged(str(error)) from error
        self._input.give_back(len(decoder.unused_data))

    def _salvaged(self, delivered: int) -> Iterator[bytes]:
        """Yield what the failed step held before the damage: decompress the member again, its end byte by byte."""
        if not self._input.rewind():
            return
        decoder = self._new_decoder()
        try:
            while not decoder.eof:
                starving = decoder.needs_input
                data = self._input.take(_PIECE if delivered else 1) if starving else b""
                step = decoder.decompress(data, min(_STEP, delivered) or 1)
                if starving and not data and not step:
                    return
                if delivered:
                    delivered -= len(step)
                elif step:
                    yield step
        except self._error:
            return

    def _cut_off(self) -> SourceError:
        return SourceError(
            f"the {self._format} data is truncated after {counted(self._input.offset, 'compressed byte')}",
            file=self.name,
            offset=self._given + len(self._ready),
            hint="copy the file again if there is an intact copy",
        )

    def _damaged(self, reason: str) -> SourceError:
        place = f"at compressed byte {self._input.offset}"
        offset = self._given + len(self._ready)
        if "too much memory" in reason or "Memory usage limit" in reason:  # zstd's words, xz's words
            return SourceError(
                f"the {self._format} data {place} needs more than {_LARGEST_WINDOW >> 20} MiB of memory",
                file=self.name,
                offset=offset,
                hint="decompress it first (xz -d, zstd --long=31 -d) and pass the plain file",
            )
        return SourceError(
            f"the {self._format} data is damaged {place} ({reason.rpartition(': ')[2].lower()})",
            file=self.name,
            offset=offset,
            hint="copy the file again if there is an intact copy",
        )


class _Input:
    """The compressed bytes, which can be read again from the start of a member."""

    def __init__(self, raw: Source) -> None:
        self._raw = raw
        self._buffer = b""
        self._base = 0  # where the buffer starts in the compressed stream
        self._mark = 0
        self.offset = 0  # of the next piece

    def take(self, size: int) -> bytes:
        """Return the next `size` bytes, fewer only at the end."""
        while self._base + len(self._buffer) - self.offset < size and self._fill():
            pass
        start = self.offset - self._base  # only now: filling moves the base
        piece = self._buffer[start : start + size]
        self.offset += len(piece)
        return piece

    def give_back(self, count: int) -> None:
        """Take back the last `count` bytes, which belong to the next member."""
        self.offset -= count

    def more(self) -> bool:
        """Whether anything but zeros follows: tapes and some tools fill up a file with them."""
        while piece := self.take(_PIECE):
            if rest := piece.lstrip(b"\0"):
                self.give_back(len(rest))
                return True
        return False

    def mark(self) -> None:
        """Remember this place for `rewind`."""
        self._mark = self.offset

    def rewind(self) -> bool:
        """Go back to the mark; return False where a pipe has run too far past it."""
        if self._mark < self._base:
            if not self._raw.seekable:
                return False
            self._raw.seek(self._mark)
            self._buffer, self._base = b"", self._mark
        self.offset = self._mark
        return True

    def _fill(self) -> bool:
        """Read on; a stretch that may be wanted again stays, if it is not too long."""
        keep = self._mark if self.offset - self._mark <= _KEEP else self.offset
        more = self._raw.read(_READ)
        self._buffer = self._buffer[keep - self._base :] + more
        self._base = keep
        return bool(more)
