"""Statements that change tables, spoiled: bytes and tokens taken out, put in, swapped and cut off."""

from __future__ import annotations

import random
import re
from typing import Final

from support.random_ddl import ATTRIBUTES, CHARSETS, COLUMNS, OTHER_SPECIFICATIONS, TABLES, TYPES, DdlGenerator

BASE: Final = (
    "CREATE TABLE t (a INT UNSIGNED NOT NULL, b VARCHAR(20) CHARACTER SET latin1, c TEXT, d ENUM('x','y z','ü'),"
    " e TIMESTAMP(3) NULL, PRIMARY KEY (a), UNIQUE KEY k1 (b), KEY k2 (c(5), b))",
    "CREATE TABLE u (a INT PRIMARY KEY, b INT, c DECIMAL(9,3), `f g` JSON, KEY k1 (b)) CHARACTER SET utf8mb3",
    "CREATE TABLE v (a BIGINT, A2 BIT(5), e SET('p','q'), UNIQUE (a)) WITH SYSTEM VERSIONING",
    "CREATE TABLE `we``ird` (`f g` INT, b INT GENERATED ALWAYS AS (`f g` + 1) STORED, c DATE INVISIBLE)",
)
_TOKEN: Final = re.compile(r"`(?:[^`]|``)*`|'[^']*'|\w+|\s+|[^\w\s]")
_WORDS: Final = (
    *("ADD", "DROP", "COLUMN", "KEY", "INDEX", "UNIQUE", "PRIMARY KEY", "FIRST", "AFTER", "AFTER a", "RENAME", "TO"),
    *("CHANGE", "MODIFY", "IF EXISTS", "IF NOT EXISTS", "OR REPLACE", "LIKE", "SELECT", "AS", "DEFAULT", "NULL"),
    *("NOT NULL", "CONSTRAINT", "CHECK", "FOREIGN KEY", "REFERENCES", "PERIOD FOR", "SYSTEM VERSIONING", "WITH"),
    *("COMMENT", "ENGINE", "CHARACTER SET", "COLLATE", "BINARY", "UNSIGNED", "ZEROFILL", "VIRTUAL", "STORED", "ON"),
    *("GENERATED ALWAYS AS", "ROW START", "WITHOUT SYSTEM VERSIONING", "USING HASH", "ONLINE", "IGNORE", "TEMPORARY"),
    *(
        "NOWAIT",
        "WAIT 1",
        "TABLE",
        "TABLES",
        "SET STATEMENT sort_buffer_size=100000 FOR",
        "ALGORITHM=COPY",
        "PARTITION",
    ),
    *("(", ")", ",", ".", "=", ";", "*", "@", "`", "'", '"', "''", "``", "\\", "/*", "*/", "/*!", "/*!50000 ", "/*M! "),
    *(
        "/*M!999999 ",
        "/*!80000 ",
        "--",
        "-- x\n",
        "#",
        "\0",
        "\n",
        "0",
        "1",
        "20",
        "65535",
        "4294967296",
        "1e5",
        "x'41'",
    ),
    *(
        "b'01'",
        "N'x'",
        "_utf8mb4'x'",
        "'a','b'",
        "a",
        "b",
        "t",
        "u",
        "s.t",
        "x.t",
        "ü",
        "'ü'",
        "AUTO_INCREMENT",
        "SERIAL",
    ),
)
POOL: Final = (*_WORDS, *TYPES, *ATTRIBUTES, *CHARSETS, *OTHER_SPECIFICATIONS, *COLUMNS, *TABLES)


class DdlMutator:
    """Makes statements and spoils them; equal seeds make equal ones."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._generator = DdlGenerator(seed)

    def statement(self) -> str:
        """Return a statement on the tables of `BASE`, most of them as it should be."""
        return self._random.choice(BASE) if self._random.random() < 0.1 else self._generator.statement()

    def mutant(self) -> tuple[str, str]:
        """Return a statement, and what one to four changes made of it."""
        original = text = self.statement()
        for _ in range(self._random.choice((1, 1, 1, 2, 4))):
            text = self._random.choice(
                (
                    self._cut,
                    self._without,
                    self._swapped,
                    self._put_in,
                    self._put_in,
                    self._replaced,
                    self._repeated,
                    self._byte,
                )
            )(text)
        return original, text

    def _tokens(self, text: str) -> list[str]:
        return _TOKEN.findall(text) or [" "]

    def _at(self, tokens: list[str]) -> int:
        return self._random.randrange(len(tokens))

    def _cut(self, text: str) -> str:
        return text[: self._random.randrange(len(text) + 1)]

    def _without(self, text: str) -> str:
        tokens = self._tokens(text)
        at = self._at(tokens)
        return "".join(tokens[:at] + tokens[at + self._random.choice((1, 1, 2, 5)) :])

    def _swapped(self, text: str) -> str:
        tokens = self._tokens(text)
        one, other = self._at(tokens), self._at(tokens)
        tokens[one], tokens[other] = tokens[other], tokens[one]
        return "".join(tokens)

    def _put_in(self, text: str) -> str:
        tokens = self._tokens(text)
        tokens.insert(self._at(tokens), f" {self._random.choice(POOL)} ")
        return "".join(tokens)

    def _replaced(self, text: str) -> str:
        tokens = self._tokens(text)
        tokens[self._at(tokens)] = self._random.choice(POOL)
        return "".join(tokens)

    def _repeated(self, text: str) -> str:
        tokens = self._tokens(text)
        at = self._at(tokens)
        some = tokens[at : at + self._random.choice((1, 3, 6))]
        return "".join(tokens[:at] + some + tokens[at:])

    def _byte(self, text: str) -> str:
        at = self._random.randrange(len(text) + 1)
        return (
            text[:at]
            + chr(self._random.choice((self._random.randrange(256), self._random.randrange(32, 127))))
            + text[at:]
        )
