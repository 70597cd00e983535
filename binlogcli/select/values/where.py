"""Parses the expression of `--where`, such as `a = 5 AND (b IN (1, 2) OR NOT c LIKE 'x%')`.

NOT is carried down to the comparisons while it is read (NOT a < 5 is a >= 5), so that NULL meets neither, as in SQL.
`conditions` applies comparisons to columns.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

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
      | (?P<mark>[(),])
    )""",
    re.VERBOSE | re.DOTALL,
)
_OPERATORS = {"<>": "!=", "==": "="}
_LONGEST_POSITION = 10  # characters of @N: more than any table has columns
_ESCAPES = {"0": "\0", "n": "\n", "r": "\r", "t": "\t", "b": "\b", "Z": "\x1a"}
_NEGATED = {"=": "!=", "<": ">=", ">": "<=", "LIKE": "NOT LIKE", "IS NULL": "IS NOT NULL"}
_NEGATED |= {negated: operator for operator, negated in _NEGATED.items()}
_DEEPEST = 100  # parentheses and NOTs in one another
_KEYWORDS = ("AND", "OR", "NOT", "LIKE", "IS", "NULL", "IN", "BETWEEN")
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


class Junction(NamedTuple):
    """Conditions, by their places in the expression, and other junctions, of which all must be met, or any."""

    every: bool
    parts: tuple[Part, ...]

    def met(self, states: Sequence[bool]) -> bool:
        """Return whether it is met; `states` tells of each condition whether it is."""
        for part in self.parts:
            if (states[part] if isinstance(part, int) else part.met(states)) != self.every:
                return not self.every
        return self.every


Part = int | Junction


class Where(NamedTuple):
    """An expression: its comparisons, and how they are joined; None where all of them must be met."""

    conditions: tuple[Condition, ...]
    junction: Junction | None = None


@dataclass(frozen=True, slots=True)
class WhereToken:
    """A piece of the expression; `kind` is its group in _TOKEN."""

    kind: str
    text: str

    def is_word(self, *words: str) -> bool:
        """Return whether it is one of these words, in any case."""
        return self.kind == "word" and self.text.upper() in words


def read_where(text: str) -> Where:
    """Return the expression that a text is. Raises `WhereError`."""
    reader = _WhereReader(list(_tokens(text)))
    whole = reader.alternatives(negated=False)
    if reader.more():
        raise WhereError(f"{reader.next('').text!r} found where AND or OR is expected", hint=FORM)
    conditions = tuple(reader.conditions)
    is_list = isinstance(whole, int) or (whole.every and whole.parts == tuple(range(len(conditions))))
    return Where(conditions, None if isinstance(whole, int) or is_list else whole)


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
        self.depth = 0
        self.conditions: list[Condition] = []

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
            raise WhereError(f"{token.text!r} found where {' or '.join(words)} is expected", hint=FORM)
        return token.text.upper()

    def accept(self, *words: str) -> bool:
        """Pass the next token if it is one of these words or marks."""
        if not self.more():
            return False
        token = self.tokens[self.at]
        found = token.is_word(*words) or (token.kind == "mark" and token.text in words)
        self.at += found
        return found

    def mark(self, mark: str) -> None:
        token = self.next(mark)
        if token.kind != "mark" or token.text != mark:
            raise WhereError(f"{token.text!r} found where {mark} is expected", hint=FORM)

    def alternatives(self, *, negated: bool) -> Part:
        return self.joined("OR", self.conjunction, negated=negated, every=negated)

    def conjunction(self, *, negated: bool) -> Part:
        return self.joined("AND", self.factor, negated=negated, every=not negated)

    def joined(self, word: str, read: Callable[..., Part], *, negated: bool, every: bool) -> Part:
        """Read parts with a word between them."""
        parts = [read(negated=negated)]
        while self.accept(word):
            parts.append(read(negated=negated))
        return parts[0] if len(parts) == 1 else Junction(every, tuple(parts))

    def factor(self, *, negated: bool) -> Part:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise WhereError(f"more than {_DEEPEST} parentheses are open at once", hint="write fewer parentheses")
        if self.accept("NOT"):
            found = self.factor(negated=not negated)
        elif self.accept("("):
            found = self.alternatives(negated=negated)
            self.mark(")")
        else:
            found = self.condition(negated=negated)
        self.depth -= 1
        return found

    def condition(self, *, negated: bool) -> Part:
        first = self.at
        column = self.column()
        operator = self.operator()
        if operator.startswith("NOT") and operator != "NOT LIKE":
            operator, negated = operator.removeprefix("NOT "), not negated
        if operator == "IN":
            values, each = self.list_of_values(), "="
        elif operator == "BETWEEN":
            return self.between(column, first, negated=negated)
        else:
            values, each = [None if operator.startswith("IS") else self.value(operator)], operator
        text = " ".join(token.text for token in self.tokens[first : self.at])
        parts = [self.leaf(column, each, value, text, negated=negated) for value in values]
        return parts[0] if len(parts) == 1 else Junction(negated, tuple(parts))

    def leaf(self, column: str | int, operator: str, value: Value, text: str, *, negated: bool) -> Part:
        """Keep a comparison and return its place."""
        self.conditions.append(Condition(column, _NEGATED[operator] if negated else operator, value, text))
        return len(self.conditions) - 1

    def between(self, column: str | int, first: int, *, negated: bool) -> Part:
        low = self.value("BETWEEN")
        self.word("AND")
        high = self.value("BETWEEN")
        text = " ".join(token.text for token in self.tokens[first : self.at])
        parts = [self.leaf(column, sign, value, text, negated=negated) for sign, value in ((">=", low), ("<=", high))]
        return Junction(not negated, tuple(parts))

    def list_of_values(self) -> list[Value]:
        self.mark("(")
        values = [self.value("IN")]
        while self.accept(","):
            values.append(self.value("IN"))
        self.mark(")")
        return values

    def column(self) -> str | int:
        token = self.next("a column")
        if token.kind == "position" and len(token.text) < _LONGEST_POSITION and int(token.text[1:]) > 0:
            return int(token.text[1:])
        if token.kind == "quoted_name":
            return token.text[1:-1].replace("``", "`")
        if token.kind == "word" and not token.is_word(*_KEYWORDS):
            return token.text
        raise WhereError(f"{token.text!r} is not a column", hint=FORM)

    def operator(self) -> str:
        token = self.next("an operator")
        if token.kind == "operator":
            return _OPERATORS.get(token.text, token.text)
        if token.is_word("LIKE", "IN", "BETWEEN"):
            return token.text.upper()
        if token.is_word("NOT"):
            return "NOT " + self.word("LIKE", "IN", "BETWEEN")
        if token.is_word("IS"):
            if self.word("NULL", "NOT") == "NULL":
                return "IS NULL"
            return "IS NOT " + self.word("NULL")
        raise WhereError(
            f"{token.text!r} is not an operator", hint="use = != < <= > >= LIKE, IN, BETWEEN, IS NULL, IS NOT NULL"
        )

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
            raise WhereError(f"{operator} NULL never matches", hint="write IS NULL or IS NOT NULL")
        raise WhereError(f"{token.text!r} is not a value", hint="write strings, dates and times in quotes")


def _number(text: str) -> Decimal:
    """Return a number. Raises `WhereError` for an exponent that none can have."""
    try:
        return Decimal(text)
    except ArithmeticError:
        raise WhereError(f"{text!r} is not a number", hint="its exponent is too large") from None


def _unescape(literal: str) -> str:
    quote = literal[0]

    def replace(found: re.Match[str]) -> str:
        piece = found[0]
        return quote if piece == quote * 2 else _ESCAPES.get(piece[1], piece if piece[1] in "%_" else piece[1])

    return re.sub(rf"\\.|{quote}{quote}", replace, literal[1:-1], flags=re.DOTALL)
