"""Cuts an SQL file into statements and yields those that may describe tables, in bounded memory.

The text is read in windows. Only what decides where a statement ends is looked at: quotes, escapes, comments and
DELIMITER; what a statement means is for `schema.replay`. Dumps are mostly INSERTs, so everything between two
marks that need a decision is passed by one regular expression, whole strings included: 300 MB of INSERTs take 1.8 s,
and 10 s string by string. Its groups are possessive, so hostile text costs no more than its length.
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
_KEPT = re.compile(rb"(?:create|alter|drop|rename)(?![a-z])", re.IGNORECASE)
_VERSIONED = re.compile(rb"/\*M?!\d*")
_DASHES = re.compile(rb"--(?=[\x00-\x20]|\Z)")
_DELIMITER = re.compile(rb"delimiter[ \t]+([^\s\\'\"`]{1,16})", re.IGNORECASE)
_USE = re.compile(rb"use[\x00-\x20]+(?:`(?:[^`]|``)+`|[0-9A-Za-z_$\x80-\xff]+)", re.IGNORECASE)
_INSIDE = {quote: re.compile(rb"[^%b\\]*(?:\\.[^%b\\]*)*" % (quote, quote), re.DOTALL) for quote in (b"'", b'"')} | {
    b"`": re.compile(rb"[^`]*")
}
# Any text without a delimiter or comment: strings and names with their quotes, and single dashes and slashes. What the
# end of the window cuts off is left for the next one.
_PLAIN = re.compile(
    rb"""(?>[^'"`;#/-]++|'[^'\\]*+(?:\\.[^'\\]*+)*+'|"[^"\\]*+(?:\\.[^"\\]*+)*+"|`[^`]*+`|-(?=[^-])|/(?=[^*]))++""",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class SqlStatement:
    """A statement that may describe tables, from its first word to before its delimiter."""

    start: int  # offset in the uncompressed text
    text: bytes
    whole: bool  # False when it was too long to keep


@contextmanager
def open_text(path: str) -> Iterator[Read]:
    """Open a file for reading, decompressed where its first bytes call for it; it need not be seekable."""
    try:
        source = open_source(path)
    except SourceError as error:
        raise SchemaError(
            f"cannot be opened: {error.reason}", file=path, hint="pass a readable SQL file to --schema"
        ) from error
    with source:
        yield source.read


class StatementReader:
    """Iterates over the statements of one file that begin with CREATE, ALTER, DROP, RENAME or USE."""

    def __init__(self, read: Read, name: str) -> None:
        self._read = read
        self._name = name
        self._buffer = b""
        self._at = 0
        self._base = 0  # offset of the buffer's first byte
        self._ended = False
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
            elif _KEPT.match(self._buffer, self._at):
                start, kept = self._base + self._at, _KeptText()
                self._to_end(kept)
                yield SqlStatement(start, kept.text(), whole=not kept.over)
            else:
                self._to_end(None)

    def _set_delimiter(self, delimiter: bytes) -> None:
        self._delimiter = delimiter
        self._stop = re.compile(re.escape(delimiter) + rb"|['\"`#]|/\*|--")

    def _fill(self) -> bool:
        """Drop what was read and append a window; False at the end of the file."""
        self._base += self._at
        rest, self._at = self._buffer[self._at :], 0
        try:
            window = self._read(WINDOW)
        except SourceError as error:
            raise SchemaError(
                f"cannot be read: {error.reason}",
                file=self._name,
                hint="the file is damaged or truncated: create the dump again",
            ) from error
        self._buffer = rest + window
        self._ended = not window
        return not self._ended

    def _need(self, count: int) -> bool:
        """Read on until `count` bytes are ahead; False where the file ends before."""
        while len(self._buffer) - self._at < count and not self._ended:
            self._fill()
        return len(self._buffer) - self._at >= count

    def _gap(self) -> bool:
        """Go to the first word of the next statement; False if there is none."""
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
        """Skip the comment that begins here; False where none does. Versioned comments count as text."""
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
        """Go past the statement's delimiter, or to the end of the file; add what is passed to `kept`."""
        while self._need(32) or self._at < len(self._buffer):
            if self._delimiter == b";" and (found := _PLAIN.match(self._buffer, self._at)):
                self._keep(kept, found.end())
            # The last bytes of a window may be half of a mark: they wait for the next window.
            limit = len(self._buffer) - (0 if self._ended else 16)
            if self._at >= limit:
                continue
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
        """Go past the quote that closes the string or name around the current position."""
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


class _KeptText:
    """The bytes of a statement, cut off at `LONGEST`."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0
        self.over = False

    def add(self, part: bytes) -> None:
        if not self.over:
            self._parts.append(part[: LONGEST - self._size])
        self._size += len(part)
        self.over = self._size > LONGEST

    def text(self) -> bytes:
        return b"".join(self._parts)
