"""Character sets and collations as statements name them, and the collation numbers that they stand for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from binlogcli.names.collations import collation, collation_by_name, default_collation
from binlogcli.schema.sql.tokens import TokenCursor

BINARY = 63
JSON = 46  # utf8mb4_bin
_CHARACTER_BYTES = {
    "utf8mb4": 4,
    "utf16": 4,
    "utf16le": 4,
    "utf32": 4,
    "gb18030": 4,
    "utf8mb3": 3,
    "ujis": 3,
    "eucjpms": 3,
} | dict.fromkeys(("ucs2", "big5", "gbk", "gb2312", "sjis", "cp932", "euckr"), 2)


def character_bytes(charset: str) -> int:
    """Return how many bytes a character of this character set can take."""
    return _CHARACTER_BYTES.get(charset, 1)


@dataclass(frozen=True, slots=True)
class Charset:
    """The character set and collation of a column, table or database; empty where they are not given."""

    name: str = ""
    collation: str = ""

    def __bool__(self) -> bool:
        return bool(self.name or self.collation)


NO_CHARSET = Charset()


@dataclass(frozen=True, slots=True)
class Collations:
    """Finds collation numbers by the rules of one server family and one session."""

    mariadb: bool
    defaults: Mapping[str, int] = field(default_factory=dict)  # the session's, where not the server's own

    def number(self, charset: Charset) -> int | None:
        """Return the collation's number, or None where it is not given or not known."""
        wanted = charset.collation.lower()
        if wanted and wanted != "default":
            found = collation_by_name(wanted, mariadb=self.mariadb)
            if found is None:  # MariaDB may leave the character set's name out
                found = collation_by_name(f"{charset.name}_{wanted}", mariadb=self.mariadb)
            return found
        if not charset.name:
            return None
        own = self.defaults.get(charset.name)
        return own if own is not None else default_collation(charset.name, mariadb=self.mariadb)

    def resolved(self, charset: Charset, database: Charset = NO_CHARSET) -> Charset:
        """Return the character set with both its names, as far as they are known; DEFAULT is the database's."""
        if charset.name == "default":  # MariaDB takes the name alone, not the collation
            collation_name = charset.collation or ("" if self.mariadb else database.collation)
            charset = Charset(database.name, collation_name)
        found = collation(self.number(charset) or 0, mariadb=self.mariadb)
        return Charset(found.charset, found.name) if found else charset

    def of_number(self, number: int | None) -> Charset:
        """Return the names of a collation; empty where it is not known."""
        found = collation(number, mariadb=self.mariadb) if number else None
        return Charset(found.charset, found.name) if found else NO_CHARSET


def read_charset(cursor: TokenCursor, before: Charset) -> Charset | None:
    """Read a character set or collation and return it added to `before`; None if there is none here."""
    if cursor.accept("character set") or cursor.accept("charset") or cursor.accept("char set"):
        cursor.accept_mark("=")
        return replace(before, name=_charset_name(cursor.next().text.lower()))
    if cursor.accept("collate"):
        cursor.accept_mark("=")
        return replace(before, collation=cursor.next().text.lower())
    return None


def _charset_name(name: str) -> str:
    return "utf8mb3" if name == "utf8" else name
