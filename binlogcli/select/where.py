"""Parses the expression of `--where`, `COLUMN OP VALUE [AND ...]`. `conditions` applies it to a column's type."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from binlogcli.errors import BinlogError

Value = str | bytes | int | Decimal | None
_TOKEN = re.compile(
    r"""\s*(?:
        (?P<quoted_name>`(?:[^`]|``)+`)
      | (?P<hex>[xX]'(?:[0-9a-fA-F]{2})*'|0[xX](?:[0-9a-fA-F]{2})+(?![\w.]))
      | (?P<bits>[bB]'[01]+'|0b[01]+(?![\w.]))
      | (?P<string>'(?:[^'\\]|''|\\.)*'|"(?:[^"\\]|""|\\.)*")
      | (?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w$]))
      | (?P<position>@\d+)
      | (?P<operator><=|>=|<>|!=|==|=|<|>)
      | (?P<word>[^\W][\w$]*)
    )""",
    re.VERBOSE | re.DOTALL,
)
_OPERATORS = {"<>": "!=", "==": "="}
_LONGEST_POSITION = 10  # characters of @N: more than any table has columns
_ESCAPES = {"0": "\0", "n": "\n", "r": "\r", "t": "\t", "b": "\b", "Z": "\x1a"}
FORM = 'write "COLUMN OP VALUE [AND ...]", such as "id = 5 AND state != \'paid\'"; a column is a name or @N'


class WhereError(BinlogError):
    """An expression that cannot be parsed, or that does not fit a column."""


@dataclass(frozen=True, slots=True)
class Condition:
    """One comparison. `column` is a name, or the number in `@N`; `text` is what the user wrote."""

    column: str | int
    operator: str  # = != < <= > >= LIKE, NOT LIKE, IS NULL, IS NOT NULL
    value: Value = None  # None with IS NULL and IS NOT NULL
    text: str = ""

    @property
    def shown_column(self) -> str:
        """Return the column as it was written."""
        return f"@{self.column}" if isinstance(self.column, int) else self.column


@dataclass(frozen=True, slots=True)
class WhereToken:
    """A piece of the expression; `kind` is its group in _TOKEN."""

    kind: str
    text: str

    def is_word(self, *words: str) -> bool:
        """Return whether it is one of these words, in any case."""
        return self.kind == "word" and self.text.upper() in words


def read_where(text: str) -> tuple[Condition, ...]:
    """Return the conditions of an expression. Raises `WhereError`."""
    reader = _WhereReader(list(_tokens(text)))
    conditions = [reader.condition()]
    while reader.more():
        reader.word("AND")
        conditions.append(reader.condition())
    return tuple(conditions)


def _tokens(text: str) -> list[WhereToken]:
    tokens = []
    at = 0
    while text[at:].strip():
        found = _TOKEN.match(text, at)
        if found is None or found.lastgroup is None:
            raise WhereError(f"{text[at:].strip()!r} cannot be read", hint=FORM)
        tokens.append(WhereToken(found.lastgroup, found[found.lastgroup]))
        at = found.end()
    return tokens


class _WhereReader:
    def __init__(self, tokens: list[WhereToken]) -> None:
        self.tokens = tokens
        self.at = 0

    def more(self) -> bool:
        return self.at < len(self.tokens)

    def next(self, what: str) -> WhereToken:
        if not self.more():
            raise WhereError(f"{what} is missing at the end", hint=FORM)
        self.at += 1
        return self.tokens[self.at - 1]

    def word(self, *words: str) -> str:
        token = self.next(" or ".join(words))
        if not token.is_word(*words):
            raise WhereError(f"{token.text!r} stands where {' or '.join(words)} should", hint=FORM)
        return token.text.upper()

    def condition(self) -> Condition:
        first = self.at
        column = self.column()
        operator = self.operator()
        value = None if operator.startswith("IS") else self.value(operator)
        text = " ".join(token.text for token in self.tokens[first : self.at])
        return Condition(column, operator, value, text)

    def column(self) -> str | int:
        token = self.next("a column")
        if token.kind == "position" and len(token.text) < _LONGEST_POSITION and int(token.text[1:]) > 0:
            return int(token.text[1:])
        if token.kind == "quoted_name":
            return token.text[1:-1].replace("``", "`")
        if token.kind == "word" and not token.is_word("AND", "OR", "NOT", "LIKE", "IS", "NULL"):
            return token.text
        raise WhereError(f"{token.text!r} is no column", hint=FORM)

    def operator(self) -> str:
        token = self.next("an operator")
        if token.kind == "operator":
            return _OPERATORS.get(token.text, token.text)
        if token.is_word("LIKE"):
            return "LIKE"
        if token.is_word("NOT"):
            return "NOT " + self.word("LIKE")
        if token.is_word("IS"):
            if self.word("NULL", "NOT") == "NULL":
                return "IS NULL"
            return "IS NOT " + self.word("NULL")
        raise WhereError(f"{token.text!r} is no operator", hint="there are = != < <= > >= LIKE, IS NULL, IS NOT NULL")

    def value(self, operator: str) -> Value:
        token = self.next("a value")
        if token.kind == "string":
            return _unescape(token.text)
        if token.kind == "number":
            return _number(token.text)
        if token.kind == "hex":
            return bytes.fromhex(token.text[2:].rstrip("'"))
        if token.kind == "bits":
            return int(token.text[2:].rstrip("'"), 2)
        if token.is_word("TRUE", "FALSE"):
            return int(token.is_word("TRUE"))
        if token.is_word("NULL"):
            raise WhereError(f"nothing is {operator} NULL", hint="write IS NULL or IS NOT NULL")
        raise WhereError(f"{token.text!r} is no value", hint="write strings, dates and times in quotes")


def _number(text: str) -> Decimal:
    """Return a number. Raises `WhereError` for an exponent that none can have."""
    try:
        return Decimal(text)
    except ArithmeticError:
        raise WhereError(f"{text!r} is no number", hint="its exponent is too large") from None


def _unescape(literal: str) -> str:
    quote = literal[0]

    def replace(found: re.Match[str]) -> str:
        piece = found[0]
        return quote if piece == quote * 2 else _ESCAPES.get(piece[1], piece if piece[1] in "%_" else piece[1])

    return re.sub(rf"\\.|{quote}{quote}", replace, literal[1:-1], flags=re.DOTALL)
