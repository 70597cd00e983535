"""GTIDs and sets of them read from text, in the forms of `gtids.text`.

Numbers and tags are checked against the limits of the servers; what is wrong is a `GtidError` with the part at fault.
Apart from `gtids.text` because its expressions take 2 ms to compile, and few runs of the program need them.
"""

from __future__ import annotations

import re

from binlogcli.errors import BinlogError
from binlogcli.gtids.intervals import Intervals, Pair
from binlogcli.gtids.text import GtidSet, MariadbSource, MysqlSource

_DIGITS = r"(\d{1,20})"  # of the largest number, and of some that are too large
_MARIADB_ITEM = re.compile(rf"{_DIGITS}-{_DIGITS}-{_DIGITS}(?:\.\.{_DIGITS})?", re.ASCII)
_UUID = re.compile(r"\{?([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})\}?", re.IGNORECASE)
_TAG = re.compile(r"[a-z_][a-z0-9_]{0,31}", re.IGNORECASE | re.ASCII)
_INTERVAL = re.compile(rf"{_DIGITS}(?:\s*-\s*{_DIGITS})?", re.ASCII)
_MAX_MARIADB_SEQ = (1 << 64) - 1
MAX_MYSQL_GNO = (1 << 63) - 2
_LONGEST_SHOWN = 100  # characters of a wrong part of a set
_MAX_ID = (1 << 32) - 1  # of a MariaDB domain or server
_FORMS = "write UUID:1-5:7 or UUID:tag:1-5 (MySQL), 0-1-100 or 0-1-100..200 (MariaDB), several with commas"


class GtidError(BinlogError):
    """A text that cannot be read as a set of GTIDs."""


def read_gtids(text: str) -> GtidSet:
    """Return the set that a text names, of either family; `GtidError` if it names no GTID."""
    found: GtidSet = {}
    for item in items(text):
        known = read_mariadb_item(item)
        pieces = read_mysql_item(item) if known is None else [known]
        for source, (first, last) in pieces:
            found.setdefault(source, Intervals()).add_all(first, last)
    if not found:
        raise GtidError("no GTID specified", hint=_FORMS)
    return found


def items(text: str) -> list[str]:
    """Return the parts of a set between its commas, without those that are empty."""
    return [item for piece in text.split(",") if (item := piece.strip())]


def read_mariadb_item(item: str) -> tuple[MariadbSource, Pair] | None:
    """Return domain and server with the range of numbers; None if the text is not of MariaDB's form."""
    known = _MARIADB_ITEM.fullmatch(item)
    if known is None:
        return None
    domain, server, first = int(known[1]), int(known[2]), int(known[3])
    last = first if known[4] is None else int(known[4])
    if domain > _MAX_ID or server > _MAX_ID or last > _MAX_MARIADB_SEQ:
        raise GtidError(f"a number in {item!r} is larger than MariaDB's can be", hint=_FORMS)
    if last < first:
        raise GtidError(f"{item!r} ends before it starts", hint=_FORMS)
    return (domain, server), (first, last)


def read_mysql_item(item: str) -> list[tuple[MysqlSource, Pair]]:
    """Return the intervals of `UUID:1-5:7:tag:3`, each with UUID and tag; those before the first tag have none."""
    head, *parts = [part.strip() for part in item.split(":")]
    known = _UUID.fullmatch(head)
    if known is None or not parts:
        raise GtidError(f"{_shown(item)} is not a GTID", hint=_FORMS)
    sid = "-".join(known.groups()).lower()
    found: list[tuple[MysqlSource, Pair]] = []
    tag, complete = "", False
    for part in parts:
        interval = _INTERVAL.fullmatch(part)
        if interval is not None:
            found.append(((sid, tag), _mysql_numbers(item, interval)))
            complete = True
        elif _TAG.fullmatch(part):
            tag, complete = part.lower(), False
        else:
            reason = f"{_shown(part)} in {_shown(item)} is neither a number, nor a range, nor a tag"
            raise GtidError(reason, hint=_FORMS)
    if not complete:
        raise GtidError(f"the tag is not followed by a number in {item!r}", hint=_FORMS)
    return found


def _shown(text: str) -> str:
    """Return a part of a set in quotes, cut where it is long."""
    return repr(text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "...")


def _mysql_numbers(item: str, interval: re.Match[str]) -> Pair:
    first = int(interval[1])
    last = first if interval[2] is None else int(interval[2])
    if not 1 <= first <= last <= MAX_MYSQL_GNO:
        raise GtidError(f"{interval[0]!r} in {item!r} is not a range of numbers starting at 1 or more", hint=_FORMS)
    return first, last
