"""GTIDs and sets of them written as text: MySQL's `UUID[:TAG]:1-5:7,...`, MariaDB's `0-1-100`, `0-1-100..200`.

MariaDB has no text for ranges of numbers: `..` is this program's own, for options and reports.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from binlogcli.gtids.intervals import Intervals, Pair

MariadbSource = tuple[int, int]  # what numbers are counted by: domain and server
MysqlSource = tuple[str, str]  # UUID and tag
Source = MariadbSource | MysqlSource
GtidSet = dict[Source, Intervals]


def uuid_text(raw: bytes) -> str:
    """Return the 16 bytes of a server's UUID as text."""
    text = raw.hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def is_mariadb(source: tuple[Any, Any]) -> bool:
    """Return whether numbers are counted by domain and server, not by UUID and tag."""
    return isinstance(source[0], int)


def mysql_gtid(sid: str, tag: str, number: int) -> str:
    """Return a GTID as MySQL writes it."""
    return f"{sid}:{tag}:{number}" if tag else f"{sid}:{number}"


def mariadb_gtid(domain: int, server: int, number: int) -> str:
    """Return a GTID as MariaDB writes it."""
    return f"{domain}-{server}-{number}"


def mysql_set_text(entries: Iterable[tuple[MysqlSource, Iterable[Pair]]]) -> str:
    """Return a set as MySQL writes it. Entries that follow one another with one UUID share it in the text."""
    texts: list[str] = []
    previous = None
    for (sid, tag), pairs in entries:
        numbers = "".join(f":{first}" if first == last else f":{first}-{last}" for first, last in pairs)
        tagged = f":{tag}{numbers}" if tag else numbers
        if sid == previous:
            texts[-1] += tagged
        else:
            texts.append(sid + tagged)
        previous = sid
    return ",".join(texts)


def _mariadb_set_text(entries: Iterable[tuple[MariadbSource, Iterable[Pair]]]) -> str:
    """Return a set as `read_gtids` takes it, with `..` for ranges of numbers."""
    return ",".join(
        mariadb_gtid(domain, server, first) + (f"..{last}" if last > first else "")
        for (domain, server), pairs in entries
        for first, last in pairs
    )


def set_text(sets: Mapping[Any, Iterable[Pair]]) -> str:
    """Return a set as text, sources in ascending order; those of MariaDB before those of MySQL."""
    mariadb = _mariadb_set_text(sorted(item for item in sets.items() if is_mariadb(item[0])))
    mysql = mysql_set_text(sorted(item for item in sets.items() if not is_mariadb(item[0])))
    return f"{mariadb},{mysql}" if mariadb and mysql else mariadb or mysql
