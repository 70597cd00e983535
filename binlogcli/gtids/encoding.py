"""MySQL's GTID sets as bytes: in PREVIOUS_GTIDS and group replication events, and in the request for a dump.

    n_sids 8, then for each: uuid 16, [tag_length 1, tag], n_intervals 8, then for each: start 8, end 8 (excluded)

In a set with tags (8.3 and newer) n_sids has 1 in bytes 0 and 7 and the count between them; tag_length is doubled.
"""

from __future__ import annotations

from typing import NamedTuple

from binlogcli.binary.cursor import Cursor
from binlogcli.errors import DecodeError, counted
from binlogcli.gtids.intervals import Intervals, Pair
from binlogcli.gtids.text import MysqlSource, mysql_set_text, uuid_text

TAGGED_FORMAT = 1  # byte 7 of n_sids
_LONGEST_TAG = 32  # characters


class EncodedSet(NamedTuple):
    """A set as its bytes have it, damaged ones too: UUID and tag with their intervals, in order and not merged."""

    entries: list[tuple[MysqlSource, list[Pair]]]

    def as_list(self) -> list[dict[str, object]]:
        """Return the entries for JSON, the ends of intervals excluded as in the bytes."""
        return [
            {
                "sid": sid,
                **({"tag": tag} if tag else {}),
                "intervals": [{"start": first, "end": last + 1} for first, last in pairs],
            }
            for (sid, tag), pairs in self.entries
        ]

    def __str__(self) -> str:
        return mysql_set_text(self.entries)


def read_gtid_set(body: Cursor) -> EncodedSet:
    """Read a set, with or without tags."""
    count = body.u8("n_sids")
    tagged = count >> 56 == TAGGED_FORMAT
    if tagged:
        count = count >> 8 & 0xFFFFFFFFFFFF
    found = EncodedSet([])
    for _ in range(count):
        body.enter("sid")
        sid = uuid_text(body.take("uuid", 16))
        tag = read_tag(body, body.u1("tag_length") >> 1) if tagged else ""
        found.entries.append(((sid, tag), _read_intervals(body)))
        body.leave(None if body.notes is None else str(EncodedSet(found.entries[-1:])))
    return found


def read_tag(body: Cursor, size: int) -> str:
    """Read a tag, which may be empty; `DecodeError` if a server cannot have given it."""
    tag = body.text("tag", size)
    if tag and not (tag.isascii() and tag.isidentifier() and len(tag) <= _LONGEST_TAG):
        raise DecodeError(f"{tag!r} is not the tag of a GTID")
    return tag


def _read_intervals(body: Cursor) -> list[Pair]:
    count = body.u8("n_intervals")
    if count * 16 > body.left():
        raise DecodeError(f"{counted(count, 'interval')} of 16 bytes each: {counted(body.left(), 'byte')} left")
    pairs = []
    for _ in range(count):
        start = body.i8("start")
        pairs.append((start, body.i8("end") - 1))
    return pairs


def encode_gtid_set(sets: dict[MysqlSource, Intervals]) -> bytes:
    """Return a set of MySQL's GTIDs in the shortest form: without tags where none is used."""
    tagged = any(tag for _, tag in sets)
    count = len(sets) << 8 | TAGGED_FORMAT << 56 | 1 if tagged else len(sets)
    parts = [_u8(count)]
    for (sid, tag), numbers in sorted(sets.items()):
        parts.append(bytes.fromhex(sid.replace("-", "")))
        if tagged:
            name = tag.encode("utf-8", "surrogateescape")
            parts += [bytes([len(name) << 1]), name]
        pairs = numbers.pairs()
        parts.append(_u8(len(pairs)))
        parts += [_u8(first) + _u8(last + 1) for first, last in pairs]
    return b"".join(parts)


def _u8(number: int) -> bytes:
    return number.to_bytes(8, "little")
