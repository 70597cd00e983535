"""The tokens of one SQL statement of either server, and a cursor over them.

One regular expression cuts the text: what decides where a token ends is small (quotes, escapes, comments), and its
quantifiers are possessive, so hostile text costs no more than its length. sqlglot, which did this before, costs 0.1 s
of import: more than the start of the whole program, for every log that holds one CREATE TABLE. Its parser is no help
either: it keeps 5 of the corpus's 12 ALTER TABLE statements as opaque commands.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

MOST_TOKENS = 400_000  # 4,096 columns with twenty tokens each are 82,000
_ANY_OF = r"""[\s\x00]++|--(?=[\s\x00]|\Z)[^\n]*+|\#[^\n]*+
    |/\*(?!M?!)(?s:.*?)\*/
    |(?P<versioned>/\*M?!(?:\d{5,6})?+)
    |(?P<close>\*/)
    |(?P<name>`(?:[^`]|``)*+`)
    |(?P<string>[nN]?(?:{string}))
    |(?P<word>[0-9A-Za-z_$\x80-\U0010ffff]++)
    |(?P<mark>(?!/\*)[^'"`])"""
_STRINGS = {  # whether a backslash stands for itself
    False: r"""'(?:[^'\\]|''|\\(?s:.))*+'|"(?:[^"\\]|""|\\(?s:.))*+\"""",
    True: r"""'(?:[^']|'')*+'|"(?:[^"]|"")*+\"""",
}
_TOKENS = {plain: re.compile(_ANY_OF.replace("{string}", string), re.VERBOSE) for plain, string in _STRINGS.items()}
_COMMENT_END = re.compile(r"(?:[^*/]|\*(?!/)|/(?!\*)|/\*(?:[^*]|\*(?!/))*+\*/)*+\*/")
_ESCAPES = {quote: re.compile(rf"\\(.)|{quote}{quote}", re.DOTALL) for quote in "'\""}
_ESCAPED = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a", "%": "\\%", "_": "\\_"}
_MYSQL_ONLY = range(50700, 100000)  # versions in comments that MariaDB does not execute


class Unreadable(Exception):  # noqa: N818 - becomes a warning, not an error
    """A statement does not give a table; the message says why.

    `read` has the tokens before what cannot be read, `tables` the names of the tables that are unknown by that.
    """

    def __init__(self, reason: str, read: list[SqlToken] | None = None) -> None:
        super().__init__(reason)
        self.read = read or []
        self.tables: list[tuple[str, str]] = []


class SqlToken(NamedTuple):
    """One token of a statement; numbers count as words."""

    kind: str  # "word", "name", "string" or "mark"
    text: str


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a server reads the text of a statement: its family and version, and what its sql_mode changes."""

    mariadb: bool | None = None  # None: a file of unknown origin, in which every versioned comment counts
    version: int = 0  # 80406, 101114; 0 where it is not known
    ansi_quotes: bool = False
    no_backslash_escapes: bool = False

    def executes(self, opening: str) -> bool:
        """Whether the server executes the comment that begins with `opening`, such as /*!50100 or /*M!100200."""
        wanted = int(opening.lstrip("/*M!") or 0)
        if self.mariadb is None:
            return True
        if "M" in opening and not self.mariadb:
            return False
        if self.mariadb and "M" not in opening and wanted in _MYSQL_ONLY:
            return False
        return not self.version or wanted <= self.version


_FROM_FILE = Dialect()


def tokens(statement: bytes | str, dialect: Dialect = _FROM_FILE) -> list[SqlToken]:
    """Return the tokens of a statement without its comments, with the content of the comments that are executed.

    Raises `Unreadable` where a quote or comment is not closed.
    """
    return _Tokenizer(_decoded(statement) if isinstance(statement, bytes) else statement, dialect).read()


def _decoded(statement: bytes) -> str:
    try:
        return statement.decode()
    except UnicodeDecodeError:
        return statement.decode("latin-1")  # a dump made for an old character set


class _Tokenizer:
    """Reads the tokens of one statement."""

    def __init__(self, text: str, dialect: Dialect) -> None:
        self._text = text
        self._dialect = dialect
        self._token = _TOKENS[dialect.no_backslash_escapes]
        self._tokens: list[SqlToken] = []
        self._readers: dict[str, Callable[[str], None]] = {
            "word": lambda raw: self._add("word", raw),
            "mark": lambda raw: self._add("mark", raw),
            "name": lambda raw: self._add("name", raw[1:-1].replace("``", "`")),
            "string": self._string,
        }

    def read(self) -> list[SqlToken]:
        """Return the tokens of the text."""
        at = 0
        while at < len(self._text):
            found = self._match(at)
            kind = found.lastgroup
            at = found.end()
            if kind == "versioned" and not self._dialect.executes(found[0]):
                at = self._after_comment(at)
            elif kind in self._readers:
                self._readers[kind](found[0])
        return self._tokens

    def _match(self, at: int) -> re.Match[str]:
        found = self._token.match(self._text, at)
        if found is None:
            raise Unreadable("a quote or a comment is not closed", self._tokens)
        return found

    def _after_comment(self, at: int) -> int:
        found = _COMMENT_END.match(self._text, at)
        if found is None:
            raise Unreadable("a comment is not closed", self._tokens)
        return found.end()

    def _add(self, kind: str, text: str) -> None:
        if len(self._tokens) == MOST_TOKENS:
            raise Unreadable("it is too long", self._tokens)
        self._tokens.append(SqlToken(kind, text))

    def _string(self, raw: str) -> None:
        quote, inside = raw[-1], raw[raw.index(raw[-1]) + 1 : -1]
        if quote == '"' and self._dialect.ansi_quotes:
            self._add("name", inside.replace('""', '"'))
        elif self._dialect.no_backslash_escapes:
            self._add("string", inside.replace(quote * 2, quote))
        else:
            self._add("string", _unescape(inside, quote))


def _unescape(text: str, quote: str) -> str:
    escape = _ESCAPES[quote]
    return escape.sub(lambda found: _ESCAPED.get(found[1], found[1]) if found[1] else quote, text)


class TokenCursor:
    """A position in a list of tokens; past the end every token is the empty mark."""

    def __init__(self, items: list[SqlToken], at: int = 0) -> None:
        self._items = items
        self._at = at

    def copy(self) -> TokenCursor:
        """Return a cursor at this position that moves by itself."""
        return TokenCursor(self._items, self._at)

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

    def accept_any(self, *phrases: str) -> bool:
        """Pass the first of these phrases that is next."""
        return any(self.accept(phrase) for phrase in phrases)

    def rest(self) -> list[SqlToken]:
        """Pass all that is left and return it."""
        rest = self._items[self._at :]
        self._at = len(self._items)
        return rest

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
