"""Fingerprints of statements: literals become `?`, lists of them `?, ...`, comments and runs of blanks are dropped.

Statements with one fingerprint differ in values alone. Names keep their case. The text is read as bytes, in one pass,
token by token; the fingerprint may be wrong, and no more than that, for a text in a character set whose letters can
contain the byte of a quote. A group in parentheses that equals the group before it is taken back once it is closed.
"""

from __future__ import annotations

_FINGERPRINT_SIZE = 1024  # bytes; what follows in a statement is ignored
_DEEPEST = 16  # levels of parentheses in which groups are compared
_SPACE, _WORD, _DIGIT, _QUOTE, _OTHER = range(5)
_BLANKS = b" \t\r\n\f\v"
_MORE = b", ..."


def _kind_of(byte: int) -> int:
    """Return the kind of token that a byte begins."""
    if byte in _BLANKS:
        return _SPACE
    if 48 <= byte <= 57:
        return _DIGIT
    if byte in b"'\"":
        return _QUOTE
    if 65 <= byte <= 90 or 97 <= byte <= 122 or byte >= 0x80 or byte in b"_$@":
        return _WORD
    return _OTHER


_KINDS = bytes(_kind_of(byte) for byte in range(256))


class Fingerprinter:
    """Makes fingerprints, one statement after another; it keeps no state between them."""

    def __init__(self) -> None:
        self.kinds = _KINDS
        self.buffer = bytearray(_FINGERPRINT_SIZE + 64)
        self.out = self.buffer
        self.size = 0
        self.text = b""
        self.view = self.text
        self.at = 0
        self.end = 0
        self.blank = False  # whether a blank is due before the next token
        self.depth = 0
        self.starts = [0] * (_DEEPEST + 1)  # by depth: where the group begins that is open
        self.group_start = [0] * (_DEEPEST + 1)  # and the one before it, up to its `)`,
        self.group_end = [0] * (_DEEPEST + 1)
        self.group_tail = [0] * (_DEEPEST + 1)  # or up to the `, ...` after it

    def fingerprint(self, text: bytes) -> bytes:
        """Return a statement's fingerprint, of _FINGERPRINT_SIZE bytes at most."""
        self.text = text
        self.view = text
        self.at = 0
        self.end = len(text)
        self.size = 0
        self.blank = False
        self.depth = 0
        self.group_end[0] = 0
        while self.at < self.end and self.size < _FINGERPRINT_SIZE:
            self.token()
        while self.size > 0 and self.out[self.size - 1] == 59:  # ;
            self.size -= 1
        return bytes(self.buffer[: self.size])

    def token(self) -> None:
        """Read one token."""
        byte = self.view[self.at]
        kind = self.kinds[byte]
        if kind == _SPACE:
            self.blank = True
            self.at += 1
        elif kind == _WORD:
            self.word()
        elif kind == _DIGIT:
            self.skip_number()
            self.literal()
        elif kind == _QUOTE:
            self.skip_quoted(byte)
            self.literal()
        else:
            self.other(byte)

    def other(self, byte: int) -> None:
        """Read a comment, a name in backticks, a parenthesis or another character."""
        following = self.view[self.at + 1] if self.at + 1 < self.end else 0
        if byte == 35 or (byte == 45 and following == 45 and self.is_dash_comment()):  # #, --
            self.skip_line()
        elif byte == 47 and following == 42:  # /*
            self.skip_comment()
        elif byte == 96:
            self.name()
        elif byte == 40:
            self.put(byte)
            self.open()
        elif byte == 41:
            self.blank = False
            self.put(byte)
            self.close()
        elif byte == 46 and self.kinds[following] == _DIGIT and not self.after_name():
            self.skip_number()
            self.literal()
        elif (byte == 45 or byte == 43) and self.kinds[following] == _DIGIT and self.after_operator():
            self.at += 1
        else:
            if byte == 44:
                self.blank = False
            self.put(byte)

    def is_dash_comment(self) -> bool:
        """Return whether a blank follows two dashes, as in a comment."""
        return self.at + 2 >= self.end or self.kinds[self.view[self.at + 2]] == _SPACE

    def after_operator(self) -> bool:
        """Return whether the last token needs a value after it: a sign is then part of that."""
        return self.size > 0 and self.out[self.size - 1] in b"(,=<>+-*/%|&"

    def after_name(self) -> bool:
        """Return whether a dot stands directly after a name."""
        return self.size > 0 and not self.blank and (self.out[self.size - 1] == 96 or self.is_word(self.size - 1))

    def is_word(self, at: int) -> bool:
        """Return whether the output has a letter or digit at this index."""
        kind = self.kinds[self.out[at]]
        return kind in (_WORD, _DIGIT)

    # output ---------------------------------------------------------------------------------------------------

    def put(self, byte: int) -> None:
        """Copy a byte to the output, after a blank where one is due."""
        self.space()
        if self.size < _FINGERPRINT_SIZE:
            self.out[self.size] = byte
            self.size += 1
        self.at += 1

    def space(self) -> None:
        """Put the blank that is due, except at the beginning and after `(`."""
        comma = self.size > 0 and self.out[self.size - 1] == 44
        due = self.blank or comma
        self.blank = False
        if due and 0 < self.size < _FINGERPRINT_SIZE and self.out[self.size - 1] != 40:
            self.out[self.size] = 32
            self.size += 1

    def literal(self) -> None:
        """Put `?`; `...` for the second literal of a list, and nothing for those after it."""
        size = self.size
        if size >= 2 and self.out[size - 1] == 44 and self.out[size - 2] == 63:
            self.blank = False
            if size + 4 <= _FINGERPRINT_SIZE:
                self.out[size] = 32
                self.out[size + 1] = self.out[size + 2] = self.out[size + 3] = 46
                self.size = size + 4
        elif size >= 4 and self.out[size - 1] == 44 and self.out[size - 2] == 46 and self.out[size - 3] == 46:
            self.blank = False
            self.size = size - 1
        else:
            self.space()
            if self.size < _FINGERPRINT_SIZE:
                self.out[self.size] = 63
                self.size += 1

    def open(self) -> None:
        """Begin a group in parentheses."""
        if self.depth < _DEEPEST:
            self.starts[self.depth] = self.size - 1
        self.depth += 1
        if self.depth <= _DEEPEST:
            self.group_end[self.depth] = 0

    def close(self) -> None:
        """End a group; drop it if it equals the group before it, and put `, ...` for the first that is dropped."""
        if self.depth == 0:
            return
        self.depth -= 1
        depth = self.depth
        if depth >= _DEEPEST or self.size >= _FINGERPRINT_SIZE:
            return
        start = self.starts[depth]
        length = self.size - start
        before = self.group_start[depth]
        tail = self.group_tail[depth]
        repeats = (
            self.group_end[depth] - before == length
            and self.group_end[depth] > 0
            and start == tail + 2
            and self.out[tail] == 44
            and self.same(before, start, length)
        )
        if not repeats:
            self.group_start[depth] = start
            self.group_end[depth] = self.group_tail[depth] = self.size
            return
        self.size = tail
        if tail == self.group_end[depth] and tail + len(_MORE) < _FINGERPRINT_SIZE:
            for byte in _MORE:
                self.out[self.size] = byte
                self.size += 1
            self.group_tail[depth] = self.size

    def same(self, one: int, other: int, length: int) -> bool:
        """Return whether two ranges of the output are equal."""
        at = 0
        while at < length:
            if self.out[one + at] != self.out[other + at]:
                return False
            at += 1
        return True

    # input ----------------------------------------------------------------------------------------------------

    def word(self) -> None:
        """Read a keyword or name; NULL where a value may stand, and the prefix of a string, belong to the value."""
        start = self.at
        at = start
        while at < self.end and (self.kinds[self.view[at]] == _WORD or self.kinds[self.view[at]] == _DIGIT):
            at += 1
        length = at - start
        if at < self.end and self.view[at] == 39 and self.introduces(start, length):
            self.at = at
            return
        if length == 4 and self.is_null(start) and self.size > 0 and self.out[self.size - 1] in b"(,=":
            self.at = at
            self.literal()
            return
        self.space()
        while start < at and self.size < _FINGERPRINT_SIZE:
            self.out[self.size] = self.view[start]
            self.size += 1
            start += 1
        self.at = at

    def introduces(self, start: int, length: int) -> bool:
        """Return whether the word before a quote is part of the literal: x'', b'', n'', _utf8''."""
        first = self.view[start]
        return first == 95 or (length == 1 and first in b"xXbBnN")

    def is_null(self, start: int) -> bool:
        """Return whether NULL is there, in any case."""
        return self.text[start : start + 4].upper() == b"NULL"

    def name(self) -> None:
        """Copy a name in backticks."""
        self.put(96)
        while self.at < self.end:
            byte = self.view[self.at]
            if self.size < _FINGERPRINT_SIZE:
                self.out[self.size] = byte
                self.size += 1
            self.at += 1
            if byte == 96:
                return

    def skip_number(self) -> None:
        """Read a number: digits, a point, an exponent, or hexadecimal digits."""
        at = self.at + 1
        while at < self.end:
            byte = self.view[at]
            kind = self.kinds[byte]
            signed = (byte == 43 or byte == 45) and (self.view[at - 1] == 101 or self.view[at - 1] == 69)
            if kind != _DIGIT and kind != _WORD and byte != 46 and not signed:
                break
            at += 1
        self.at = at

    def skip_quoted(self, quote: int) -> None:
        """Read a string, in which a backslash escapes a character and two quotes stand for one."""
        at = self.at + 1
        while at < self.end:
            byte = self.view[at]
            at += 1
            if byte == 92:
                at += 1
            elif byte == quote:
                if at >= self.end or self.view[at] != quote:
                    break
                at += 1
        self.at = min(at, self.end)

    def skip_line(self) -> None:
        """Read a comment that ends with its line."""
        found = self.text.find(b"\n", self.at)
        self.at = self.end if found < 0 else found
        self.blank = True

    def skip_comment(self) -> None:
        """Read a comment between /* and */, also one with code for some server versions."""
        found = self.text.find(b"*/", self.at + 2)
        self.at = self.end if found < 0 else found + 2
        self.blank = True
