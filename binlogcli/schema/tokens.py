"""The tokens of one CREATE statement, as sqlglot's MySQL tokenizer cuts them, and a cursor over them.

sqlglot's parser is not used: it knows neither all column types nor all attributes of both servers, and its trees
differ from version to version. The tokenizer handles names, quotes and escapes; its import takes 0.1 s.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import sqlglot

_VERSIONED_OR_QUOTED = re.compile(
    r"""(?P<text>'[^'\\]*(?:\\.[^'\\]*)*(?:'|\\?\Z)|"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)|`[^`]*(?:`|\Z))"""
    r"""|/\*M?!\d*|\*/""",
    re.DOTALL,
)
_WORD = re.compile(r"[\w$]")
_TEXT = re.compile(r"[nN]?(['\"])(.*)\1", re.DOTALL)
_ESCAPES = {quote: re.compile(rf"\\(.)|{quote}{quote}", re.DOTALL) for quote in "'\""}
_ESCAPED = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a", "%": "\\%", "_": "\\_"}


class Unreadable(Exception):  # noqa: N818 - becomes a warning, not an error
    """A statement does not give a table; the message says why."""


class SqlToken(NamedTuple):
    """One token; numbers count as words. "x" is a string, though ANSI dumps mean a name by it."""

    kind: str  # "word", "name", "string" or "mark"
    text: str


def tokens(statement: bytes) -> list[SqlToken]:
    """Return the tokens of a statement without its comments; the content of versioned comments is included.

    Raises `sqlglot.errors.TokenError` for text that is not SQL.
    """
    try:
        text = statement.decode()
    except UnicodeDecodeError:
        text = statement.decode("latin-1")  # a dump made for an old character set
    plain = _VERSIONED_OR_QUOTED.sub(lambda found: found["text"] or " ", text)
    result: list[SqlToken] = []
    for token in sqlglot.tokenize(plain, read="mysql"):
        # Names and strings are taken as they stand: what sqlglot makes of escapes depends on its version.
        raw = plain[token.start : token.end + 1]
        if raw.startswith("`"):
            result.append(SqlToken("name", raw[1:-1].replace("``", "`")))
        elif found := _TEXT.fullmatch(raw):
            result.append(SqlToken("string", _unescape(found[2], found[1])))
        elif _WORD.match(raw):  # sqlglot joins words that often go together, as CHARACTER SET
            result += [SqlToken("word", word) for word in raw.split()]
        else:
            result.append(SqlToken("mark", raw))
    return result


def _unescape(text: str, quote: str) -> str:
    escape = _ESCAPES[quote]
    return escape.sub(lambda found: _ESCAPED.get(found[1], found[1]) if found[1] else quote, text)


class TokenCursor:
    """A position in a list of tokens; past the end every token is the empty mark."""

    def __init__(self, items: list[SqlToken]) -> None:
        self._items = items
        self._at = 0

    def more(self) -> bool:
        """Whether a token is left."""
        return self._at < len(self._items)

    def peek(self, ahead: int = 0) -> SqlToken:
        """Return a token ahead without passing it."""
        at = self._at + ahead
        return self._items[at] if at < len(self._items) else SqlToken("mark", "")

    def next(self) -> SqlToken:
        """Pass a token and return it."""
        token = self.peek()
        self._at += 1
        return token

    def word(self, ahead: int = 0) -> str:
        """Return a word ahead in lower case, or "" for a token of another kind."""
        token = self.peek(ahead)
        return token.text.lower() if token.kind == "word" else ""

    def accept(self, phrase: str) -> bool:
        """Pass these words if they are next."""
        words = phrase.split()
        if any(self.word(index) != word for index, word in enumerate(words)):
            return False
        self._at += len(words)
        return True

    def accept_mark(self, mark: str) -> bool:
        """Pass this mark if it is next."""
        if self.peek() != ("mark", mark):
            return False
        self._at += 1
        return True

    def group(self) -> list[SqlToken] | None:
        """Pass a pair of parentheses and return the tokens inside; None where none open here."""
        if not self.accept_mark("("):
            return None
        start, depth = self._at, 1
        while self.more():
            token = self.next()
            if token.kind == "mark" and token.text in "()":
                depth += 1 if token.text == "(" else -1
                if not depth:
                    return self._items[start : self._at - 1]
        raise Unreadable("a parenthesis is not closed")


def split(items: list[SqlToken]) -> list[list[SqlToken]]:
    """Return the parts between the commas that are outside of parentheses."""
    parts: list[list[SqlToken]] = [[]]
    depth = 0
    for token in items:
        if token.kind == "mark":
            depth += {"(": 1, ")": -1}.get(token.text, 0)
            if token.text == "," and not depth:
                parts.append([])
                continue
        parts[-1].append(token)
    return [part for part in parts if part]
