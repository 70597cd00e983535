"""How the servers' command line clients read a statement of a script, which is not how the servers read it.

A client cuts a script into lines and statements before it sends any: it looks for its delimiter, for quotes, for
comments, and for commands of its own, also where a server sees a comment (`/*!99999 \\! ... */` runs a shell). Double
quotes are a string's to it, whatever the SQL mode. A statement that a server ran may so be sent in pieces, or take what
follows it for a part of itself. `StatementReader` finds such statements, and writes them so that clients send all of
them at once.

After `add_line` and `find_command` of client/mysql.cc.
"""

from __future__ import annotations

import re

from binlogcli.render import client_scan

NO_BACKSLASH_ESCAPES = 1 << 20  # of sql_mode, in both families
_BACKSLASH, _STAR, _SLASH, _HASH, _MINUS = 92, 42, 47, 35, 45
_SINGLE_QUOTE, _DOUBLE_QUOTE, _BACKTICK, _N = 39, 34, 96, 78
_SPACES = bytes(byte in b" \t\n\v\f\r" for byte in range(256))
_CONDITIONAL, _HINT = 1, 2  # the kinds of comments that are sent to the server: /*! and /*+
# Commands by name, which end with their line; those in the second set take no arguments
_WITH_ARGUMENTS = frozenset(
    b"? connect delimiter edit help pager query_attributes source system tee use charset".split()
)
_ALONE = frozenset(
    b"clear ego exit go nopager notee nowarning print prompt quit rehash resetconnection "
    b"ssl_session_data_print status warnings costs".split()
)

_FIRST_WORD = re.compile(rb"\s*+(\S{1,32})(?!\S)\s*+(\S?)")  # of a line; no name of a command is longer

_SHORT = 32  # of a name of three letters


def _letters(name: bytes) -> int:
    """Return the first three letters of a name as a number of 15 bits, alike in capitals."""
    return (name[0] & 31) << 10 | (name[1] & 31) << 5 | name[2] & 31


def _fourth_letters() -> bytes:
    """Return the fourth letter of the command that begins with each three, _SHORT without one, 0 for no command."""
    table = bytearray(1 << 15)
    for name in _WITH_ARGUMENTS | _ALONE:
        if len(name) > 2:
            table[_letters(name)] = name[3] & 31 if len(name) > 3 else _SHORT
    return bytes(table)


_FOURTH_LETTERS = _fourth_letters()
_LEADS = {  # first bytes of characters of which the second may be a backslash or a backtick
    "big5": range(0xA1, 0xFA),
    "gbk": range(0x81, 0xFF),
    "gb18030": range(0x81, 0xFF),
    "sjis": (*range(0x81, 0xA0), *range(0xE0, 0xFD)),
    "cp932": (*range(0x81, 0xA0), *range(0xE0, 0xFD)),
}
_APART = b"/*!*/ "  # empty for servers, and in the way of a command
SPLIT = "contains the delimiter: a different delimiter is used for it"
COMMAND = "contains a client command (\\! runs a shell): its backslash is replaced by a space"
NAMED = "starts like a client command: an empty comment is put before it"
OPEN = "ends, as clients parse it, within an open quote or comment: a comment line that closes it is added"


def leads_of(charset: str) -> bytes:
    """Return a table of the bytes that begin such a character in a character set; empty if there are none."""
    leads = _LEADS.get(charset)
    return b"" if leads is None else bytes(byte in leads for byte in range(256))


class StatementReader:
    """Reads statements as clients do whose delimiter is `delimiter`. `escapes`: a backslash escapes within strings."""

    def __init__(self, delimiter: bytes, *, mariadb: bool) -> None:
        self.delimiter = delimiter
        self.mariadb = mariadb
        self.escapes = True
        self.leads = b""
        self.text = b""
        self.splits = self.comment = self.begun = False
        self.commands: list[int] = []  # places of backslashes
        self.named: list[int] = []  # places of lines
        self.quote = self.sent_comment = 0

    def plain(self, text: bytes) -> bool:
        """Whether a quick look tells that clients read a statement as it is; it does for most of them."""
        if len(text) < 4 or text[0] < 64 or self.leads:
            return False
        fourth = _FOURTH_LETTERS[_letters(text)]
        if fourth != 0 and fourth in (_SHORT, text[3] & 31):
            return False
        return client_scan.reads_plainly(text, self.escapes)

    def troubles(self, text: bytes) -> list[str]:
        """Return what clients misread in a statement, as ends of a sentence."""
        self.text = text
        self.walk(text)
        has_commands = bool(self.commands)
        if has_commands:
            body = bytearray(text)
            for at in self.commands:
                body[at] = 0x20
            self.text = bytes(body)
            self.walk(self.text)
        found = ((SPLIT, self.splits), (COMMAND, has_commands), (NAMED, self.named))
        is_open = self.quote or self.comment
        return [what for what, holds in (*found, (OPEN, is_open)) if holds]

    def whole(self) -> tuple[bytes, bytes]:
        """Return the statement that `troubles` has read as clients send it in one piece, and a delimiter for it."""
        body = bytearray(self.text)
        for at in reversed(self.named):
            body[at:at] = _APART
        if self.quote:
            body += b"\n-- " + bytes([self.quote])
        elif self.comment:
            body += b"\n-- */"
        delimiter = self.delimiter
        while delimiter in self.text:
            delimiter = delimiter.replace(b"!", b"!0")
        return bytes(body), delimiter

    def lines(self) -> bytes:
        """Return the statement of `whole` as lines of the script, with another delimiter where it needs one."""
        body, delimiter = self.whole()
        text = body + b"\n" + delimiter + b"\n"
        if delimiter == self.delimiter:
            return text
        return b"DELIMITER " + delimiter + b"\n" + text + b"DELIMITER " + self.delimiter + b"\n"

    def walk(self, text: bytes) -> None:
        """Read a statement, line by line."""
        self.splits = self.comment = self.begun = False
        self.commands = []
        self.named = []
        self.quote = 0
        at = 0
        while at < len(text):
            self.sent_comment = 0
            if not self.begun and self.quote == 0 and not self.comment and self._is_named(text, at):
                self.named.append(at)
            end = text.find(b"\n", at)
            end = len(text) if end < 0 else end
            while at < end:
                at = self._step(text, at, end)
            at = end + 1

    def _step(self, text: bytes, at: int, end: int) -> int:
        """Read the character at `at`; return the place of the next."""
        byte = text[at]
        after = text[at + 1] if at + 1 < end else 0
        if self.leads and self.leads[byte] and after >= 64:
            return at + 2
        if self.comment:
            return self._in_comment(text, at)
        if byte == _BACKSLASH and (self.escapes or self.quote == 0):
            return self._backslash(at, after)
        if self.quote != 0:
            if byte == self.quote:
                self.quote = 0
            return at + 1
        return self._code(text, at, end)

    def _in_comment(self, text: bytes, at: int) -> int:
        """Read a character of a comment that is not sent; the end of one within it that is sent ends that alone."""
        if text.startswith(b"*/", at):
            self.comment = self.sent_comment != 0
            self.sent_comment = 0
            return at + 1 if self.comment else at + 2
        if not text.startswith(b"/*", at):
            return at + 1
        kind = self._kind_of(text, at)
        if kind == 0 and self.sent_comment != _HINT:
            return at + 2
        self.sent_comment = kind or self.sent_comment
        return at + 1

    def _kind_of(self, text: bytes, at: int) -> int:
        """Return the kind of comment that begins here, if it is one that is sent to the server; otherwise 0."""
        if text.startswith(b"/*+", at):
            return _HINT
        is_sent = text.startswith(b"/*!", at) or (self.mariadb and text.startswith(b"/*M!", at))
        return _CONDITIONAL if is_sent else 0

    def _backslash(self, at: int, after: int) -> int:
        """Read a backslash, which begins a command outside of quotes, except for \\N."""
        if self.quote == 0 and after != _N:
            self.commands.append(at)
            return at + 1
        return at + 1 if self.quote == _BACKTICK and after == _BACKTICK else at + 2

    def _code(self, text: bytes, at: int, end: int) -> int:
        """Read a character outside of quotes and of comments that are not sent."""
        byte = text[at]
        after = text[at + 1] if at + 1 < end else 0
        third = text[at + 2] if at + 2 < end else 0
        if self.sent_comment != _HINT and byte == self.delimiter[0] and text.startswith(self.delimiter, at):
            self.splits = True
            return at + len(self.delimiter)
        if byte == _HASH or (byte == _MINUS and after == _MINUS and (third == 0 or _SPACES[third])):
            return end
        if byte == _SLASH and after == _STAR:
            kind = self._kind_of(text, at)
            if kind == 0 and self.sent_comment != _HINT:
                self.comment = True
                return at + 2
            self.sent_comment = kind or self.sent_comment
        elif byte == _STAR and after == _SLASH:
            self.sent_comment = 0
        elif self.sent_comment != _HINT and byte in (_SINGLE_QUOTE, _DOUBLE_QUOTE, _BACKTICK):
            self.quote = byte
        self.begun = self.begun or not _SPACES[byte]
        return at + 1

    def _is_named(self, text: bytes, at: int) -> bool:
        """Whether a line is a client's command. One with the delimiter in it is read as a statement first."""
        end = text.find(b"\n", at)
        found = _FIRST_WORD.match(text, at, len(text) if end < 0 else end)
        if found is None:
            return False
        name = found[1].lower()
        return name in _WITH_ARGUMENTS or (name in _ALONE and not found[2])
