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
SOUND: Final = (  # the server executes each of them on the tables of `BASE`
    *(
        "ALTER TABLE t ADD COLUMN z INT UNSIGNED NOT NULL AFTER a, DROP KEY k2",
        "ALTER TABLE t DROP PRIMARY KEY, ADD x INT",
    ),
    *(
        "ALTER TABLE t MODIFY c MEDIUMTEXT CHARACTER SET utf8mb4 FIRST",
        "ALTER TABLE t CHANGE c cc VARCHAR(300) COLLATE latin1_bin",
    ),
    *("ALTER TABLE u CONVERT TO CHARACTER SET utf8mb4", "ALTER TABLE t RENAME COLUMN b TO b2, RENAME KEY k1 TO k9"),
    *(
        "ALTER TABLE u ADD FOREIGN KEY fk (b) REFERENCES u (a) ON DELETE SET NULL",
        "ALTER TABLE u ADD UNIQUE (c), ADD KEY (b, c)",
    ),
    *("ALTER TABLE v DROP SYSTEM VERSIONING", "ALTER TABLE v ADD z SET('a','b;c') DEFAULT 'a' COMMENT 'x, ADD y INT'"),
    *("ALTER TABLE `we``ird` RENAME TO `w 2`, ADD z DATETIME(6) INVISIBLE", "RENAME TABLE t TO tt, u TO t, tt TO u"),
    *(
        "CREATE TABLE n (a SERIAL, b FLOAT(5,2) ZEROFILL, c NATIONAL VARCHAR(9), d LONG VARBINARY, KEY (c(3) DESC))",
        "DROP TABLE v",
    ),
    *("CREATE OR REPLACE TABLE t (a BOOL, b YEAR(2), c REAL(8,2), d BIT, e CHAR BYTE, UNIQUE (c))",),
    *(
        "CREATE TABLE n (a INT, s TIMESTAMP(6) GENERATED ALWAYS AS ROW START,"
        " e TIMESTAMP(6) GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME (s, e), UNIQUE (a)) WITH"
        " SYSTEM VERSIONING",
    ),
    *("CREATE TABLE n (a DATE, b DATE, c INT CHECK (c > 0), PERIOD FOR p (a, b), UNIQUE (c, p WITHOUT OVERLAPS))",),
    *(
        "CREATE TABLE n (a VARCHAR(5000) UNIQUE, b TEXT(64), c BLOB(300),"
        " d ENUM('a ','b''c','d\\\\e') BINARY) CHARSET latin2",
    ),
    *(
        "CREATE TABLE n LIKE u",
        "CREATE TABLE n (LIKE v)",
        "CREATE UNIQUE INDEX i ON u (b)",
        "DROP INDEX k1 ON u",
        "TRUNCATE TABLE t",
    ),
    *(
        "CREATE TABLE n (a INT PRIMARY KEY, FOREIGN KEY (a) REFERENCES u (a),"
        " CONSTRAINT f2 FOREIGN KEY (a) REFERENCES u (b))",
    ),
    *(
        "ALTER TABLE t ADD (y INT, z GEOMETRY NOT NULL, SPATIAL KEY (z)), ADD FULLTEXT KEY ft (c)",
        "ALTER DATABASE s COLLATE latin1_bin",
    ),
    *("ALTER TABLE t MODIFY e TIMESTAMP(6) NOT NULL, ALTER b SET DEFAULT 'x', ENGINE=Aria, COMMENT='x'",),
    *("ALTER TABLE u DROP COLUMN b, MODIFY a BIGINT(5) ZEROFILL, ADD d VARCHAR(10) COMPRESSED",),
)
_TOKEN: Final = re.compile(r"`(?:[^`]|``)*`|'[^']*'|\w+|\s+|[^\w\s]")
_ALIKE: Final = (
    ("a", "b", "c", "d", "e", "A", "z", "`f g`"),
    ("t", "u", "v", "n", "`we``ird`"),
    ("k1", "k2", "b", "a", "PRIMARY"),
    tuple(one for one in TYPES if one.isalpha()),
    ("latin1", "utf8mb4", "utf8", "ucs2", "binary"),
    ("ADD", "DROP", "MODIFY", "CHANGE", "RENAME"),
    ("KEY", "UNIQUE", "INDEX", "PRIMARY KEY", "FULLTEXT KEY"),
)
_NUMBERS: Final = (0, 1, 2, 3, 5, 9, 10, 20, 64, 255, 256, 700, 3000, 20000)
_OPENINGS: Final = ("/*!", "/*!50000", "/*M!", "/*M!100000", "/*!80000", "/*!120000", "/*M!999999", "/*", "`")
_SPACES: Final = (" ", "\n", "/**/", "/* ' */", "-- '\n", "#`\n", "\t\r", "/*!*/")
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
        kind = self._random.randrange(8)
        return self._generator.statement() if kind < 2 else self._random.choice(BASE if kind == 2 else SOUND)

    def mutant(self) -> tuple[str, str]:
        """Return a statement, and what one to four changes made of it."""
        original = text = self.statement()
        rough = (self._cut, self._without, self._swapped, self._put_in, self._replaced, self._repeated, self._byte)
        mild = (self._another, self._another, self._number, self._wrapped, self._spaced, self._cased, self._added)
        for _ in range(self._random.choice((1, 1, 1, 2, 4))):
            text = self._random.choice(mild if self._random.random() < 0.8 else rough)(text)
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

    def _another(self, text: str) -> str:
        """Put another column, table, type or key in the place of one."""
        tokens = self._tokens(text)
        found = [(at, kind) for at, token in enumerate(tokens) for kind in _ALIKE if token in kind]
        if not found:
            return text
        at, kind = self._random.choice(found)
        tokens[at] = self._random.choice(kind)
        return "".join(tokens)

    def _number(self, text: str) -> str:
        numbers = [found.span() for found in re.finditer(r"\d+", text)]
        if not numbers:
            return text
        start, end = self._random.choice(numbers)
        return f"{text[:start]}{self._random.choice(_NUMBERS)}{text[end:]}"

    def _wrapped(self, text: str) -> str:
        """Put a few tokens into a comment that the server executes, or does not."""
        tokens = self._tokens(text)
        at = self._at(tokens)
        end = at + self._random.choice((1, 1, 2, 4))
        opening = self._random.choice(
            ("/*!", "/*!50000", "/*M!", "/*M!100000", "/*!80000", "/*!120000", "/*M!999999", "/*", "`")
        )
        closing = "`" if opening == "`" else " */"
        return "".join([*tokens[:at], opening, "" if closing == "`" else " ", *tokens[at:end], closing, *tokens[end:]])

    def _spaced(self, text: str) -> str:
        tokens = self._tokens(text)
        tokens.insert(self._at(tokens), self._random.choice(_SPACES))
        return "".join(tokens)

    def _cased(self, text: str) -> str:
        tokens = self._tokens(text)
        at = self._at(tokens)
        tokens[at] = tokens[at].swapcase()
        return "".join(tokens)

    def _added(self, text: str) -> str:
        """Add an item to the list at the statement's end, or an option."""
        if text.startswith("ALTER"):
            return f"{text}, {self._generator.specification()}"
        return f"{text} {self._random.choice(('', 'COMMENT x', 'ENGINE=Aria', 'NOWAIT', ', u', *CHARSETS))}"
