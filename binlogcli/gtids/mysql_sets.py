"""MySQL's GTID sets: their bytes in PREVIOUS_GTIDS and group replication events, and their text."""

from __future__ import annotations

from typing import NamedTuple

from binlogcli.binary.cursor import Cursor
from binlogcli.errors import DecodeError, counted

TAGGED_FORMAT = 1  # byte 7 of the count: sets with tags (8.3 and newer)


def uuid_text(raw: bytes) -> str:
    """A server's UUID as text."""
    text = raw.hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def tsid_text(sid: str, tag: str) -> str:
    """A server's UUID with its tag, if it has one."""
    return f"{sid}:{tag}" if tag else sid


class GtidSet(NamedTuple):
    """Per server UUID and tag, the intervals of numbers: start included, end excluded."""

    entries: list[tuple[str, str, list[tuple[int, int]]]]

    def as_list(self) -> list[dict[str, object]]:
        """The set in parts."""
        return [
            {
                "sid": sid,
                **({"tag": tag} if tag else {}),
                "intervals": [{"start": start, "end": end} for start, end in intervals],
            }
            for sid, tag, intervals in self.entries
        ]

    def __str__(self) -> str:
        texts: list[str] = []
        previous = None
        for sid, tag, intervals in self.entries:
            numbers = "".join(f":{start}" if end == start + 1 else f":{start}-{end - 1}" for start, end in intervals)
            if sid == previous:
                texts[-1] += f":{tag}{numbers}" if tag else numbers
            else:
                texts.append(tsid_text(sid, tag) + numbers)
            previous = sid
        return ",".join(texts)


def read_gtid_set(body: Cursor) -> GtidSet:
    """An encoded set, with or without tags."""
    count = body.u8("n_sids")
    tagged = count >> 56 == TAGGED_FORMAT
    if tagged:
        count = count >> 8 & 0xFFFFFFFFFFFF
    found = GtidSet([])
    for _ in range(count):
        body.enter("sid")
        sid = uuid_text(body.take("uuid", 16))
        tag = body.text("tag", body.u1("tag_length") >> 1) if tagged else ""
        found.entries.append((sid, tag, _read_intervals(body)))
        body.leave(None if body.notes is None else str(GtidSet(found.entries[-1:])))
    return found


def _read_intervals(body: Cursor) -> list[tuple[int, int]]:
    count = body.u8("n_intervals")
    if count * 16 > body.left():
        raise DecodeError(f"{counted(count, 'interval')} of 16 bytes each: {counted(body.left(), 'byte')} left")
    intervals = []
    for _ in range(count):
        start = body.i8("start")
        intervals.append((start, body.i8("end")))
    return intervals
