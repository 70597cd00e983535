"""Events in a text: the BINLOG statements of mysqlbinlog's text, or bytes of a log in base64 or hex.

A BINLOG statement holds whole events, which keep the positions that they had in their log (`BinlogStatements`). Other
base64 or hex is the beginning of a log, or some of its events (`DecodedText`). Both are decoded as they are read. What
cannot be decoded is reported with its line.
"""

from __future__ import annotations

import binascii
import re
from collections import deque

from binlogcli.errors import SourceError
from binlogcli.names.event_types import FORMAT_DESCRIPTION_EVENT, KNOWN_TYPES
from binlogcli.names.magics import LOG_MAGICS, MAGIC
from binlogcli.sources.source import LogPiece, PiecedSource, Source, Stream

_SNIFFED = 1 << 16  # first bytes in which a text is recognized
_CHUNK = 1 << 16
_HEADER = 19  # bytes of an event's header
_LOG_START = 4
# MariaDB writes a large event in two variables, of which a BINLOG statement is made
_STATEMENT = re.compile(rb"(?m)^#?(?:/\*!\d+ )?(?:BINLOG |SET @binlog_fragment_([01]) ?= ?)'")
_BASE64 = re.compile(rb"[A-Za-z0-9+/=\s]+")
_HEX = re.compile(rb"(?:0[xX])?[0-9A-Fa-f\s]+")
_GROUP = {"base64": 4, "hex": 2}  # characters that are decoded together


def decoded(source: Source) -> Source:
    """Return a source of the events in a text, which replaces `source`; `source` itself where it is no such text."""
    if source.head(_LOG_START) in LOG_MAGICS:
        return source
    head = source.head(_SNIFFED)
    if b"\0" in head:
        return source
    if _STATEMENT.search(head):
        return BinlogStatements(source)
    for encoding, form in (("hex", _HEX), ("base64", _BASE64)):
        if form.fullmatch(head) and _begins_log(head, encoding):
            return DecodedText(source, encoding)
    return source


def _begins_log(head: bytes, encoding: str) -> bool:
    """Whether a text stands for bytes that begin as a log or as an event."""
    text = b"".join(head.split()).removeprefix(b"0x").removeprefix(b"0X")[:64]
    try:
        data = _bytes_of(text[: len(text) // 4 * 4], encoding)
    except ValueError:
        return False
    if data.startswith(MAGIC):
        return True
    length = int.from_bytes(data[9:13], "little")
    return len(data) >= _HEADER and data[4] > 0 and KNOWN_TYPES[data[4]] > 0 and _HEADER <= length <= len(head)


def _bytes_of(text: bytes, encoding: str) -> bytes:
    """Return the bytes that a text stands for; ValueError where it stands for none."""
    return binascii.unhexlify(text) if encoding == "hex" else binascii.a2b_base64(text, strict_mode=True)


class _Lines:
    """The lines of a text, without their ends; a very long one comes in parts."""

    def __init__(self, source: Source) -> None:
        self.number = 0  # of the last line, from 1 on
        self._source = source
        self._parts: deque[bytes] = deque()  # lines that were read
        self._rest = b""  # the beginning of the next one
        self._begins = True  # whether that is so
        self._ended = False

    def next(self) -> tuple[bytes, bool] | None:
        """Return the next part of the text and whether it begins a line; None at the end."""
        while not self._parts:
            if self._ended or len(self._rest) >= _CHUNK:
                if not self._rest:
                    return None
                part, self._rest = self._rest, b""
                return self._numbered(part, ends=False)
            more = self._source.read(_CHUNK)
            self._ended = not more
            *lines, self._rest = (self._rest + more).split(b"\n")
            self._parts.extend(lines)
        return self._numbered(self._parts.popleft(), ends=True)

    def _numbered(self, part: bytes, *, ends: bool) -> tuple[bytes, bool]:
        """Return a part and whether it begins a line, and count that; `ends`: the line ends with it."""
        begins, self._begins = self._begins, ends
        self.number += begins
        return part.rstrip(b"\r"), begins


class _Decoder:
    """Decodes parts of base64 or hex that follow one another."""

    def __init__(self, encoding: str) -> None:
        self.encoding = encoding
        self.rest = b""  # characters that wait for others

    def decode(self, part: bytes) -> bytes:
        """Return the bytes of a part; ValueError where it has other characters. Padding may end each line."""
        text = self.rest + b"".join(part.split())
        whole = len(text) // _GROUP[self.encoding] * _GROUP[self.encoding]
        self.rest = text[whole:]
        return _bytes_of(text[:whole], self.encoding) if whole else b""


class DecodedText(Stream):
    """The bytes that a text in base64 or hex stands for."""

    def __init__(self, source: Source, encoding: str) -> None:
        super().__init__(source.name)
        self.remark = f"decoded from {encoding}"
        self._source = source
        self._lines = _Lines(source)
        self._decoder = _Decoder(encoding)
        self._given = 0

    def close(self) -> None:
        """Close the text."""
        self._source.close()

    def _pull(self, size: int) -> bytes:
        while (found := self._lines.next()) is not None:
            part, _ = found
            if self._lines.number == 1:
                part = re.sub(rb"\A\s*0[xX]", b"", part)
            try:
                data = self._decoder.decode(part)
            except ValueError:
                raise self._error("cannot be decoded") from None
            if data:
                self._given += len(data)
                return data
        if self._decoder.rest:
            self._decoder.rest = b""
            raise self._error("ends in the middle of a byte")
        return b""

    def _error(self, what: str) -> SourceError:
        reason = f"line {self._lines.number} of the {self._decoder.encoding} {what}"
        return SourceError(reason, file=self.name, offset=self._given, hint="copy the text again")


class BinlogStatements(PiecedSource):
    """The events in the BINLOG statements of a text, at the places that they had in their log."""

    remark = "decoded from the BINLOG statements of a text"

    def __init__(self, source: Source) -> None:
        super().__init__(source.name)
        self._source = source
        self._lines = _Lines(source)
        self._decoder: _Decoder | None = None  # of the statement that was begun
        self._data = bytearray()  # of it, that is not given yet
        self._first_half = False  # whether it is the first half of an event
        self._pieces: deque[LogPiece] = deque()
        self._end = _LOG_START  # of the last event
        self._lost = ""  # why events before the next one are missing

    def close(self) -> None:
        """Close the text."""
        self._source.close()

    def next_piece(self) -> LogPiece | None:
        """Return the next event; None at the end of the text."""
        while not self._pieces:
            found = self._lines.next()
            if found is None:
                if self._decoder is not None:
                    self._lose("the text ends inside a BINLOG statement")
                if not self._lost:
                    return None
                lost, self._lost = self._lost, ""
                return LogPiece(self._end, b"", lost, self._end)
            self._take(*found)
        return self._pieces.popleft()

    def _take(self, part: bytes, begins: bool) -> None:
        """Take a part of the text."""
        if self._decoder is None:
            known = _STATEMENT.match(part) if begins else None
            if known is None:
                return
            self._decoder = _Decoder("base64")
            self._first_half = known[1] == b"0"
            part = part.partition(b"'")[2]
        part, quote, _ = part.removeprefix(b"#").partition(b"'")
        try:
            self._data += self._decoder.decode(part)
        except ValueError:
            self._lose(f"line {self._lines.number} is not base64")
            return
        self._cut()
        if quote:
            if self._decoder.rest or (self._data and not self._first_half):
                self._lose(f"the BINLOG statement up to line {self._lines.number} ends inside an event")
            self._decoder = None

    def _lose(self, why: str) -> None:
        """Drop the rest of a statement."""
        self._lost = self._lost or why
        self._decoder = None
        self._data.clear()

    def _cut(self) -> None:
        """Make a piece of each whole event."""
        while len(self._data) >= _HEADER:
            size = int.from_bytes(self._data[9:13], "little")
            if size < _HEADER:
                self._lose(f"line {self._lines.number} does not belong to an event")
                return
            if len(self._data) < size:
                return
            event = bytes(self._data[:size])
            del self._data[:size]
            start = self._place_of(event)
            self._pieces.append(LogPiece(start, event, self._lost, min(self._end, start)))
            self._lost = ""
            self._end = start + size

    def _place_of(self, event: bytes) -> int:
        """Return where an event stood in its log, by the end position in its header."""
        place = int.from_bytes(event[13:17], "little") - len(event)
        if event[4] == FORMAT_DESCRIPTION_EVENT:
            return max(place, _LOG_START)
        return place if place >= _LOG_START else self._end
