"""Cuts SQL files into statements and keeps the few that describe tables, in bounded memory.

Knows quotes, escapes, comments and DELIMITER; what a statement means is for `schema_table`. Dumps are mostly
INSERTs: a run of them is skipped by string operations on whole windows, and byte by byte only where those
cannot be sure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from binlogcli.errors import SchemaError, SourceError
from binlogcli.sources.opening import open_source

Read = Callable[[int], bytes]

WINDOW = 1 << 20
LOOKAHEAD = 2048  # enough for the words that tell what begins here: a comment's start, DELIMITER, USE and a name
LONGEST = 4 << 20  # a statement that is kept: 4096 columns with a comment each fit
_SPACE = re.compile(rb"(?:[\x00-\x20]|\xef\xbb\xbf)+")
_WORD = re.compile(rb"[A-Za-z]+")
_VERSIONED = re.compile(rb"/\*M?!\d*")
_DASHES = re.compile(rb"--(?=[\x00-\x20]|\Z)")
_DELIMITER = re.compile(rb"delimiter[ \t]+([^\s\\'\"`]{1,16})", re.IGNORECASE)
_USE = re.compile(rb"use[\x00-\x20]+(?:`(?:[^`]|``)+`|[0-9A-Za-z_$\x80-\xff]+)", re.IGNORECASE)
_INSIDE = {quote: re.compile(rb"[^%b\\]*(?:\\.[^%b\\]*)*" % (quote, quote), re.DOTALL) for quote in (b"'", b'"')} | {
    b"`": re.compile(rb"[^`]*")
}
_INSERTS_END = re.compile(rb";\r?\n(?!INSERT |REPLACE )")
_STRAY_END = re.compile(rb";(?!\r?\n)")
_BARE_NAME = re.compile(rb"`[^`'\"]*`")
_COMMENT = re.compile(rb"/\*|--|#")
_DULL = bytes(byte for byte in range(256) if byte not in b"'\"`;#-/*,")
_WORDS = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_MARKS = bytes(byte for byte in range(256) if byte not in _WORDS)
_ESCAPES = (b"\\\\", b"\\'", b'\\"')


@dataclass(frozen=True, slots=True)
class SqlStatement:
    """A statement that may describe tables, from its first word to before its delimiter."""

    start: int  # offset in the uncompressed text
    text: bytes
    whole: bool  # False when it was too long to keep


@contextmanager
def open_text(path: str) -> Iterator[Read]:
    """Opens a file for reading, decompressed when its first bytes say so; it need not be seekable."""
    try:
        source = open_source(path)
    except SourceError as error:
        raise SchemaError(
            f"cannot be opened: {error.reason}",
            file=path,
            hint="give --schema a readable SQL file",
        ) from error
    with source:
        yield source.read


class StatementReader:
    """Iterates over the statements of one file that begin with CREATE, ALTER or USE."""

    def __init__(self, read: Read, name: str) -> None:
        self._read = read
        self._name = name
        self._buffer = b""
        self._at = 0
        self._base = 0  # offset of the buffer's first byte
        self._ended = False
        self._slow_until = 0  # offset up to which INSERTs are read byte by byte
        self._set_delimiter(b";")
        self._fill()
        self.head = self._buffer[:65536]

    def __iter__(self) -> Iterator[SqlStatement]:
        while self._gap():
            if found := _DELIMITER.match(self._buffer, self._at):
                self._set_delimiter(found[1])
                self._skip_past(b"\n")
            elif found := _USE.match(self._buffer, self._at):  # clients take it without a delimiter
                yield SqlStatement(self._base + self._at, found[0], whole=True)
                self._at = found.end()
            else:
                word = _WORD.match(self._buffer, self._at)
                yield from self._statement(word[0].upper() if word else b"")

    def _statement(self, word: bytes) -> Iterator[SqlStatement]:
        if word in {b"CREATE", b"ALTER"}:
            start, kept = self._base + self._at, _KeptText()
            self._to_end(kept)
            yield SqlStatement(start, kept.text(), whole=not kept.over)
        elif word in {b"INSERT", b"REPLACE"} and self._delimiter == b";" and self._offset >= self._slow_until:
            self._inserts()
        else:
            self._to_end(None)

    @property
    def _offset(self) -> int:
        return self._base + self._at

    def _set_delimiter(self, delimiter: bytes) -> None:
        self._delimiter = delimiter
        self._stop = re.compile(re.escape(delimiter) + rb"|['\"`#]|/\*|--")

    def _fill(self) -> bool:
        """Drops what was read and appends a window; False at the end of the file."""
        self._base += self._at
        rest, self._at = self._buffer[self._at :], 0
        try:
            window = self._read(WINDOW)
        except SourceError as error:
            raise SchemaError(
                f"cannot be read: {error.reason}",
                file=self._name,
                hint="the file is damaged or cut off: make the dump again",
            ) from error
        self._buffer = rest + window
        self._ended = not window
        return not self._ended

    def _need(self, count: int) -> bool:
        """Whether `count` bytes lie ahead, reading on when they do not."""
        while len(self._buffer) - self._at < count and not self._ended:
            self._fill()
        return len(self._buffer) - self._at >= count

    def _gap(self) -> bool:
        """Goes to the first word of the next statement; False when there is none."""
        while self._need(LOOKAHEAD) or self._at < len(self._buffer):
            if found := _SPACE.match(self._buffer, self._at):
                self._at = found.end()
            elif self._buffer.startswith(self._delimiter, self._at):
                self._at += len(self._delimiter)
            elif self._buffer.startswith(b"*/", self._at):  # the end of a versioned comment
                self._at += 2
            elif found := _VERSIONED.match(self._buffer, self._at):
                self._at = found.end()
                if self._buffer.startswith(b"\\", self._at):  # mariadb-dump's sandbox line, a client command
                    self._skip_past(b"\n")
            elif not self._comment():
                return True
        return False

    def _comment(self) -> bool:
        """Skips the comment that begins here; False when none does. Versioned comments are no comments."""
        if self._buffer.startswith(b"#", self._at) or _DASHES.match(self._buffer, self._at):
            self._skip_past(b"\n")
        elif self._buffer.startswith(b"/*", self._at) and not _VERSIONED.match(self._buffer, self._at):
            self._at += 2
            self._skip_past(b"*/")
        else:
            return False
        return True

    def _skip_past(self, mark: bytes) -> None:
        while (found := self._buffer.find(mark, self._at)) < 0:
            self._at = max(self._at, len(self._buffer) - len(mark) + 1)
            if not self._fill():
                self._at = len(self._buffer)
                return
        self._at = found + len(mark)

    def _to_end(self, kept: _KeptText | None) -> None:
        """Reads to behind the statement's delimiter, or to the end of the file."""
        while self._need(32) or self._at < len(self._buffer):
            # The last bytes of a window may be half of a mark: they wait for the next window.
            limit = len(self._buffer) - (0 if self._ended else 16)
            found = self._stop.search(self._buffer, self._at)
            stop = found.start() if found and found.start() < limit else limit
            self._keep(kept, stop)
            if found is None or stop == limit:
                continue
            if found[0] == self._delimiter:
                self._at = found.end()
                return
            if found[0] in _INSIDE:
                self._keep(kept, found.end())
                self._quoted(found[0], kept)
            elif self._comment():
                self._keep(kept, self._at, b" ")
            else:
                self._keep(kept, found.end())

    def _keep(self, kept: _KeptText | None, end: int, instead: bytes = b"") -> None:
        if kept:
            kept.add(instead or self._buffer[self._at : end])
        self._at = end

    def _quoted(self, quote: bytes, kept: _KeptText | None) -> None:
        """Reads to behind the quote that closes the one inside of which we stand."""
        while True:
            found = _INSIDE[quote].match(self._buffer, self._at)
            end = found.end() if found else self._at
            self._keep(kept, end)
            if self._buffer.startswith(quote, end):
                self._keep(kept, end + 1)
                return
            if not self._fill():  # at most a lone backslash is left
                self._keep(kept, len(self._buffer))
                return

    def _inserts(self) -> None:
        """Skips the run of INSERTs that begins here as far as it is plain."""
        quote = b""  # the quote inside of which the last piece ended
        while self._need(LOOKAHEAD) or self._at < len(self._buffer):
            end, whole = self._inserts_end()
            open_quote = _last_quote(self._buffer[self._at : end], quote) if end > self._at else None
            if open_quote is None:
                self._slow_until = self._base + len(self._buffer) if end <= self._at else self._base + end
                if quote:
                    self._quoted(quote, None)
                self._to_end(None)
                return
            quote, self._at = open_quote, end
            if whole and not quote:
                return

    def _inserts_end(self) -> tuple[int, bool]:
        """Up to where the buffer can be judged at once, and whether a statement may end there."""
        if found := _INSERTS_END.search(self._buffer, self._at):
            return found.end(), True
        if self._ended:
            return len(self._buffer), True
        if (end := self._buffer.rfind(b";\n", self._at)) >= 0:
            return end + 2, False
        # Behind a letter or digit no escape, comment mark or delimiter is cut in two.
        return len(self._buffer.rstrip(_MARKS)), False


class _KeptText:
    """The bytes of a statement, up to the size that is worth keeping."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0
        self.over = False

    def add(self, part: bytes) -> None:
        self._size += len(part)
        self.over = self._size > LONGEST
        if not self.over:
            self._parts.append(part)

    def text(self) -> bytes:
        return b"".join(self._parts)


def _last_quote(piece: bytes, quote: bytes) -> bytes | None:
    """The quote that is open behind `piece`, if `quote` was before: b"" for none, None if it is not plain.

    Without escapes, every other part between quotes is outside of them. As long as no outside part opens
    anything else (another kind of quote, a comment, a statement of another kind), that holds for the piece.
    """
    if b"\\" in piece:
        for escape in _ESCAPES:
            piece = piece.replace(escape, b"")
    one_kind = not _STRAY_END.search(piece)
    if one_kind:  # then the marks alone tell
        piece = piece.translate(None, _DULL)
    mark = quote or _first_quote(piece)
    parts = piece.split(mark)
    outside = mark.join(parts[1 if quote else 0 :: 2]).replace(b"``", b"")
    if b"`" in outside:
        outside = _BARE_NAME.sub(b"", outside)
    other = b'"' if mark == b"'" else b"'"
    if other in outside or b"`" in outside or _COMMENT.search(outside):
        return None
    if not one_kind and _STRAY_END.search(outside):
        return None
    return mark if len(parts) % 2 == (1 if quote else 0) else b""


def _first_quote(piece: bytes) -> bytes:
    single, double = piece.find(b"'"), piece.find(b'"')
    return b'"' if double >= 0 and (single < 0 or double < single) else b"'"
