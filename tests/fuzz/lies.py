"""Events that lie: their checksums and lengths are right, their fields are not.

Where a field stands, and what it is called, our own decoder says (`events.noted`). A lie makes one field another of its
size, or longer or shorter with the lengths around it adapted or not; puts pieces in that servers write in few events
(extra row info, status variables, metadata of tables, flags); or packs changed content again.
"""

from __future__ import annotations

import random
import re
import zlib
from collections.abc import Callable
from typing import NamedTuple

HEADER = 19
QUERY, USER_VAR, TABLE_MAP, FORMAT_DESCRIPTION, START_ENCRYPTION, PAYLOAD = 2, 14, 19, 15, 164, 40
ROWS_WITH_EXTRA = frozenset({30, 31, 32, 39, 169, 170, 171})
EXTREMES = (b"\0", b"\xff", b"\x7f", b"\x80", b"\x01", b"\xfb", b"\xfc", b"\xfd", b"\xfe")
_LENGTHS = re.compile(r"len|length|count|size|offset|width|number|items|digits|precision|scale")
_KINDS = re.compile(r"type|kind|code|flags|charset|collation|compression|header|options|bits|version|algorithm")
_VALUES = re.compile(r"whole|fraction|packed|val|value|tag|gno|sid|key|path|zlib|deflate|payload|srid")


class Leaf(NamedTuple):
    """A field of an event: its name, and its bytes in the event."""

    name: str
    start: int
    end: int


class Story:
    """One event to be changed: its bytes without the checksum, and its fields."""

    def __init__(self, raw: bytes, leaves: list[Leaf], *, checksum: bool) -> None:
        self.body = bytearray(raw[: len(raw) - 4] if checksum else raw)
        self.leaves = [leaf for leaf in leaves if HEADER <= leaf.start < leaf.end <= len(self.body)]
        self.kind = raw[4]

    def told(self, place: int, *, checksum: bool) -> bytes:
        """The event with its length, position and checksum as they should be."""
        body = bytearray(self.body)
        size = len(body) + (4 if checksum else 0)
        body[9:13] = size.to_bytes(4, "little")
        if int.from_bytes(body[13:17], "little"):
            body[13:17] = (place + size & 0xFFFFFFFF).to_bytes(4, "little")
        return bytes(body) + (zlib.crc32(body).to_bytes(4, "little") if checksum else b"")

    def pick(self, chance: random.Random, names: re.Pattern[str]) -> Leaf | None:
        """A field with one of the names, if there is one; mostly of the later fields as of the first."""
        found = [leaf for leaf in self.leaves if names.search(leaf.name)]
        return chance.choice(found) if found else None


def other_number(chance: random.Random, data: bytes) -> bytes:
    """A number beside the one in the bytes, or an extreme, or any."""
    size = len(data)
    kind = chance.randrange(4)
    if kind == 0 and size <= 8:
        value = int.from_bytes(data, "little") + chance.choice((-2, -1, 1, 2, 256))
        return (value % (1 << 8 * size)).to_bytes(size, "little")
    if kind == 1:
        return chance.choice(EXTREMES) * size
    if kind == 2 and size > 1:
        return chance.randbytes(1) + bytes(size - 1)
    return chance.randbytes(size)


def lie_by_name(names: re.Pattern[str]) -> Callable[[Story, random.Random], None]:
    """A lie in a field whose name matches."""

    def lie(story: Story, chance: random.Random) -> None:
        leaf = story.pick(chance, names)
        if leaf is not None:
            story.body[leaf.start : leaf.end] = other_number(chance, bytes(story.body[leaf.start : leaf.end]))

    return lie


def resize(story: Story, chance: random.Random) -> None:
    """A field with another number of bytes; a length right before it is adapted, most of the time."""
    if not story.leaves:
        return
    at = chance.randrange(len(story.leaves))
    leaf = story.leaves[at]
    size = leaf.end - leaf.start
    wanted = chance.choice((0, 1, 2, 3, size - 1, size + 1, size + chance.randrange(40)))
    content = bytes(story.body[leaf.start : leaf.end])[: max(wanted, 0)]
    content += chance.randbytes(max(wanted - size, 0))
    before = story.leaves[at - 1] if at else None
    if before is not None and before.end == leaf.start and chance.random() < 0.8:
        width = before.end - before.start
        if width <= 4 and int.from_bytes(story.body[before.start : before.end], "little") == size:
            told = min(len(content), (1 << 8 * width) - 1)
            story.body[before.start : before.end] = told.to_bytes(width, "little")
    story.body[leaf.start : leaf.end] = content


def extra_row_info(story: Story, chance: random.Random) -> None:
    """Extra row info of any kind in an event of rows."""
    at = HEADER + 8  # behind the table's id and the flags
    if story.kind not in ROWS_WITH_EXTRA or len(story.body) < at + 2:
        return
    kind = chance.choice((0, 0, 1, 1, 2, 255))
    content = bytes([kind]) + chance.choice(
        (b"", b"\1", b"\2\0", b"\5\0abc", b"\1\0\2\0", chance.randbytes(chance.randrange(12)))
    )
    size = 2 + len(content) + chance.choice((0, 0, 0, -1, 1))
    story.body[at : at + 2] = size.to_bytes(2, "little") + content


def status_variable(story: Story, chance: random.Random) -> None:
    """One more status variable before or behind those of a statement."""
    at = HEADER + 11
    if story.kind != QUERY or len(story.body) < at + 2:
        return
    code = chance.choice((*range(22), *range(128, 132), 255, chance.randrange(256)))
    more = bytes([code]) + chance.randbytes(chance.choice((0, 1, 2, 3, 4, 6, 8, 9, 12)))
    if chance.random() < 0.5:
        more = bytes([code, chance.randrange(5)]) + b"abcd\0"[: chance.randrange(6)]
    size = int.from_bytes(story.body[at : at + 2], "little")
    place = at + 2 + (0 if chance.random() < 0.5 else min(size, len(story.body) - at - 2))
    story.body[place:place] = more
    told = size + len(more) + chance.choice((0, 0, 0, 0, -1, 1))
    story.body[at : at + 2] = (told & 0xFFFF).to_bytes(2, "little")


def optional_metadata(story: Story, chance: random.Random) -> None:
    """One more piece of a table's metadata: type, length, content."""
    if story.kind != TABLE_MAP:
        return
    content = chance.choice(
        (chance.randbytes(chance.randrange(10)), b"\2\1a\1b", b"\1\0\1\1", b"\xfc\xff\xff", b"\x80\x80", b"\x2d\0\x08")
    )
    size = len(content) + chance.choice((0, 0, 0, 0, -1, 1, 200))
    story.body += bytes([chance.choice((*range(1, 15), 255)), max(size, 0) & 0xFF]) + content


def column_types(story: Story, chance: random.Random) -> None:
    """Other types of some columns of a table."""
    leaf = story.pick(chance, re.compile(r"column_type|types?$"))
    if story.kind == TABLE_MAP and leaf is not None and leaf.end <= len(story.body):  # no lie has cut it off
        at = chance.randrange(leaf.start, leaf.end)
        story.body[at] = chance.choice((*range(21), 140, 141, 242, 243, *range(244, 256)))


def user_variable(story: Story, chance: random.Random) -> None:
    """Another type, character set and value of a user variable."""
    if story.kind != USER_VAR:
        return
    value = chance.choice(
        (b"", b"\x0a\x02" + chance.randbytes(5), chance.randbytes(8), chance.randbytes(3), b"\xff" * 9)
    )
    name = chance.choice((b"v", b"`\n", b"\xff\xfe", b""))
    tail = chance.choice((b"", b"\0", b"\1", b"\2\3abc", b"\1\2\xffab", chance.randbytes(2)))
    kind = bytes([chance.choice((0, 1, 2, 3, 4, 4, 5, 255))])
    charset = chance.choice((8, 33, 45, 63, 255, 12345, 0xFFFFFFFF)).to_bytes(4, "little")
    size = (len(value) + chance.choice((0, 0, 0, 1, -1)) & 0xFFFFFFFF).to_bytes(4, "little")
    story.body[HEADER:] = len(name).to_bytes(4, "little") + name + b"\0" + kind + charset + size + value + tail


def changed(chance: random.Random, content: bytes) -> bytes:
    """Content with some bytes changed, lost or added."""
    data = bytearray(content)
    for _ in range(chance.choice((1, 1, 2, 5))):
        at = chance.randrange(len(data) + 1)
        kind = chance.randrange(4)
        if kind == 0 and at < len(data):
            data[at] ^= 1 << chance.randrange(8)
        elif kind == 1 and at < len(data):
            data[at] = chance.choice(EXTREMES)[0]
        elif kind == 2:
            del data[at : at + chance.randrange(1, 5)]
        else:
            data[at:at] = chance.randbytes(chance.randrange(1, 5))
    return bytes(data)


def pack_again(story: Story, chance: random.Random) -> None:
    """Compressed content (zlib, behind its length) unpacked, changed and packed again."""
    found = [leaf for leaf in story.leaves if leaf.name == "zlib"]
    if not found:
        return
    leaf = chance.choice(found)
    try:
        content = changed(chance, zlib.decompress(bytes(story.body[leaf.start : leaf.end])))
    except zlib.error:
        return
    before = next((other for other in story.leaves if other.end == leaf.start), None)
    if before is not None and before.name == "original_length":
        width = before.end - before.start
        size = len(content) + chance.choice((0, 0, 0, 0, 1, -1))
        story.body[before.start : before.end] = (size % (1 << 8 * width)).to_bytes(width, "big")
    story.body[leaf.start : leaf.end] = zlib.compress(content)


def pack_payload(story: Story, _chance: random.Random) -> None:
    """The events of a payload, which `mutate.opened` has unpacked, compressed by zstd."""
    if story.kind != PAYLOAD:
        return
    import zstandard

    leaf = next((leaf for leaf in story.leaves if leaf.name == "payload"), None)
    if leaf is None:
        return
    content = bytes(story.body[leaf.start : leaf.end])
    packed = zstandard.ZstdCompressor().compress(content)
    sizes = (b"\xfd" + len(packed).to_bytes(3, "little"), b"\xfd" + len(content).to_bytes(3, "little"))
    fields = b"\x02\x01\x00" + b"\x03\x04" + sizes[1] + b"\x01\x04" + sizes[0] + b"\x00"
    story.body[HEADER:] = fields + packed


def inner_lie(story: Story, chance: random.Random) -> None:
    """A lie in one of the events in a payload that is not compressed; its length stays right."""
    leaf = next((leaf for leaf in story.leaves if leaf.name == "payload"), None)
    if story.kind != PAYLOAD or leaf is None:
        return
    content = story.body[leaf.start : leaf.end]
    places, at = [], 0
    while at + HEADER <= len(content):
        size = int.from_bytes(content[at + 9 : at + 13], "little")
        places.append((at + HEADER, at + size))
        at += max(size, HEADER)
    start, end = chance.choice(places) if places else (0, 0)
    if start < end <= len(content):
        where = chance.randrange(start, end)
        width = min(chance.choice((1, 1, 2, 4)), end - where)
        content[where : where + width] = other_number(chance, bytes(content[where : where + width]))
        story.body[leaf.start : leaf.end] = content


Lie = Callable[[Story, random.Random], None]
lengths, kinds, values = lie_by_name(_LENGTHS), lie_by_name(_KINDS), lie_by_name(_VALUES)
anything = lie_by_name(re.compile(""))
SPECIAL: dict[int, tuple[Lie, ...]] = {
    QUERY: (status_variable, status_variable),
    USER_VAR: (user_variable, user_variable),
    TABLE_MAP: (optional_metadata, optional_metadata, column_types),
    PAYLOAD: (inner_lie, inner_lie, inner_lie),
    **dict.fromkeys(ROWS_WITH_EXTRA, (extra_row_info,)),
}
LIES: tuple[Lie, ...] = (lengths, lengths, kinds, values, values, anything, resize, pack_again)


def tell_lies(story: Story, chance: random.Random) -> None:
    """Change an event in one way or several."""
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        chance.choice((*LIES, *SPECIAL.get(story.kind, ())))(story, chance)
        if story.kind == PAYLOAD and chance.random() < 0.3:
            pack_payload(story, chance)
            return
