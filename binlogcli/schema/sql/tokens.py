"""The tokens of one SQL statement of either server, and a cursor over them.

One regular expression cuts the text: what decides where a token ends is small (quotes, escapes, comments), and its
quantifiers are possessive, so hostile text costs no more than its length. sqlglot, which did this before, costs 0.1 s
of import: more than the start of the whole program, for every log that holds one CREATE TABLE. Its parser is no help
either: it keeps 5 of 12 ALTER TABLE statements of a first collection of logs as opaque commands. Of the 1,552
statements on tables, databases and indexes in the logs that the tests use, 1,540 are read with what is made of these
tokens. The others have the columns of a query, build on a table that their log does not define, or contradict its
definition.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

# of a word: [0-9A-Za-z_$\x80-\U0010ffff], said the other way round, which compiles in a hundredth of the time
WORD_CHARACTER = r"[^\x00-\x23\x25-\x2f\x3a-\x40\x5b-\x5e\x60\x7b-\x7f]"
MOST_TOKENS = 400_000  # 4,096 columns with twenty tokens each are 82,000
_ANY_OF = r"""[\s\x00]++|--(?=[\s\x00]|\Z)[^\n]*+|\#[^\n]*+
    |/\*(?!M?!)(?s:.*?)\*/
    |(?P<versioned>/\*M?!(?:\d{5,6})?)
    |(?P<close>\*/)
    |(?P<name>`(?:[^`]|``)*+`)
    |(?P<string>[nN]?(?:{string}))
    |(?P<word>{word}++)
    |(?P<mark>(?!/\*)[^'"`])"""
# For a text without /*: all tokens come from one call, and `bad` is the rest after an open quote.
_ANY_OF_PLAIN = r"""(?>[\s\x00]++|--(?=[\s\x00]|\Z)[^\n]*+|\#[^\n]*+)*+
    (?:(?P<name>`(?:[^`]|``)*+`)
    |(?P<string>[nN]?(?:{string}))
    |(?P<word>{word}++)
    |(?P<mark>[^'"`])
    |(?P<bad>['"`](?s:.*))
    )?"""
_STRINGS = {  # whether a backslash stands for itself
    False: r"""'(?:[^'\\]|''|\\(?s:.))*+'|"(?:[^"\\]|""|\\(?s:.))*+\"""",
    True: r"""'(?:[^']|'')*+'|"(?:[^"]|"")*+\"""",
}
_LONG = 1 << 20  # a text from which tokens are taken one by one, and no more than MOST_TOKENS
_COMMENT_END = r"(?>[^*/]|\*(?!/)|/(?!\*)|/\*(?>[^*]|\*(?!/))*+\*/)*+\*/"
_ESCAPES = {quote: rf"\\(.)|{quote}{quote}" for quote in "'\""}
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
    word: str = ""  # of a word, in lower case


_MARKS = {mark: SqlToken("mark", mark) for mark in "(),.=;+-*/@:<>!&|^%~?[]{}"}  # one object for each
_OPENING, _CLOSING, _COMMA = (_MARKS[mark] for mark in "(),")
_NOTHING = SqlToken("mark", "")


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

    Raises `Unreadable` if a quote or comment is not closed.
    """
    return _Tokenizer(_decoded(statement) if isinstance(statement, bytes) else statement, dialect).read()


def _decoded(statement: bytes) -> str:
    try:
        return statement.decode()
    except UnicodeDecodeError:
        return statement.decode("latin-1")  # a dump made for an old character set


@cache
def _expression(any_of: str, strings: str) -> re.Pattern[str]:
    """Return the expression that cuts texts, compiled when the first one is read."""
    return re.compile(any_of.replace("{string}", strings).replace("{word}", WORD_CHARACTER), re.VERBOSE)


class _Tokenizer:
    """Reads the tokens of one statement."""

    def __init__(self, text: str, dialect: Dialect) -> None:
        self._text = text
        self._dialect = dialect
        self._strings = _STRINGS[dialect.no_backslash_escapes]
        self._tokens: list[SqlToken] = []

    def read(self) -> list[SqlToken]:
        """Return the tokens of the text."""
        plain = len(self._text) <= _LONG and "/*" not in self._text
        return self._read_plain() if plain else self._read_one_by_one()

    def _read_plain(self) -> list[SqlToken]:
        add = self._tokens.append
        for name, string, word, mark, bad in _expression(_ANY_OF_PLAIN, self._strings).findall(self._text):
            if word:
                add(SqlToken("word", word, word.lower()))
            elif mark:
                add(_MARKS.get(mark) or SqlToken("mark", mark))
            elif name:
                add(SqlToken("name", name[1:-1].replace("``", "`")))
            elif string:
                self._string(string)
            elif bad:
                raise Unreadable("a quote or a comment is not closed", self._tokens)
        if len(self._tokens) > MOST_TOKENS:
            raise Unreadable("it is too long", self._tokens[:MOST_TOKENS])
        return self._tokens

    def _read_one_by_one(self) -> list[SqlToken]:
        at = 0
        while at < len(self._text):
            found = self._match(at)
            kind = found.lastgroup
            at = found.end()
            if kind == "versioned" and not self._dialect.executes(found[0]):
                at = self._after_comment(at)
            elif kind:
                self._take(kind, found[0])
        return self._tokens

    def _take(self, kind: str, raw: str) -> None:
        if kind == "word":
            self._add("word", raw, raw.lower())
        elif kind == "mark":
            self._mark(raw)
        elif kind == "name":
            self._add("name", raw[1:-1].replace("``", "`"))
        elif kind == "string":
            self._string(raw)

    def _match(self, at: int) -> re.Match[str]:
        found = _expression(_ANY_OF, self._strings).match(self._text, at)
        if found is None:
            raise Unreadable("a quote or a comment is not closed", self._tokens)
        return found

    def _after_comment(self, at: int) -> int:
        found = re.compile(_COMMENT_END).match(self._text, at)  # which `re` compiles once
        if found is None:
            raise Unreadable("a comment is not closed", self._tokens)
        return found.end()

    def _add(self, kind: str, text: str, word: str = "") -> None:
        if len(self._tokens) == MOST_TOKENS:
            raise Unreadable("it is too long", self._tokens)
        self._tokens.append(SqlToken(kind, text, word))

    def _mark(self, raw: str) -> None:
        if len(self._tokens) == MOST_TOKENS:
            raise Unreadable("it is too long", self._tokens)
        self._tokens.append(_MARKS.get(raw) or SqlToken("mark", raw))

    def _string(self, raw: str) -> None:
        quote, inside = raw[-1], raw[raw.index(raw[-1]) + 1 : -1]
        if quote == '"' and self._dialect.ansi_quotes:
            self._add("name", inside.replace('""', '"'))
        elif self._dialect.no_backslash_escapes:
            self._add("string", inside.replace(quote * 2, quote))
        else:
            self._add("string", _unescape(inside, quote))


def _unescape(text: str, quote: str) -> str:
    if "\\" not in text and quote not in text:
        return text
    return re.sub(
        _ESCAPES[quote], lambda found: _ESCAPED.get(found[1], found[1]) if found[1] else quote, text, flags=re.DOTALL
    )


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
        return self._items[at] if at < len(self._items) else _NOTHING

    def next(self) -> SqlToken:
        """Pass a token and return it."""
        token = self.peek()
        self._at += 1
        return token

    def word(self, ahead: int = 0) -> str:
        """Return a word ahead in lower case, or "" for a token of another kind."""
        return self.peek(ahead).word

    def accept(self, phrase: str) -> bool:
        """Pass these words if they are next."""
        if self._at >= len(self._items):
            return False
        word = self._items[self._at].word
        if word == phrase:
            self._at += 1
            return True
        if not word or not phrase.startswith(word):
            return False
        words = phrase.split()
        for index, wanted in enumerate(words):
            if self.word(index) != wanted:
                return False
        self._at += len(words)
        return True

    def accept_any(self, *phrases: str) -> bool:
        """Pass the first of these phrases that is next."""
        for phrase in phrases:  # noqa: SIM110 - a generator takes three times as long
            if self.accept(phrase):
                return True
        return False

    def rest(self) -> list[SqlToken]:
        """Pass all that is left and return it."""
        rest = self._items[self._at :]
        self._at = len(self._items)
        return rest

    def is_mark(self, mark: str) -> bool:
        """Whether this mark is next."""
        token = self.peek()
        return token.kind == "mark" and token.text == mark

    def accept_mark(self, mark: str) -> bool:
        """Pass this mark if it is next."""
        if not self.is_mark(mark):
            return False
        self._at += 1
        return True

    def group(self) -> list[SqlToken] | None:
        """Pass a pair of parentheses and return the tokens inside; None where none open here."""
        if not self.accept_mark("("):
            return None
        start, depth = self._at, 1
        for at in range(start, len(self._items)):
            token = self._items[at]
            if token is _OPENING:
                depth += 1
            elif token is _CLOSING:
                depth -= 1
                if depth == 0:
                    self._at = at + 1
                    return self._items[start:at]
        raise Unreadable("a parenthesis is not closed")


def split(items: list[SqlToken]) -> list[list[SqlToken]]:
    """Return the parts between the commas that are outside of parentheses."""
    parts: list[list[SqlToken]] = []
    start = depth = 0
    for at, token in enumerate(items):
        if token is _OPENING:
            depth += 1
        elif token is _CLOSING:
            depth -= 1
        elif token is _COMMA and depth == 0:
            parts.append(items[start:at])
            start = at + 1
    parts.append(items[start:])
    return [part for part in parts if part]
