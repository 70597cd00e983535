"""Text in the servers' character sets: bytes to str and back, as the server itself converts them.

What `SELECT` shows in a utf8mb4 session is the measure: bytes for which the server has no character (it
prints `?` or U+FFFD) are no text here, `None`, and the caller shows bytes. Python's codecs do the work; the
tables below hold only what the servers map differently. Nothing here raises for any bytes, text or name.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

UTF8_NAMES = frozenset({"utf8", "utf8mb3", "utf8mb4", "ascii"})
ASCII = bytes(range(128))
UNDEFINED = "\ufffe"  # how a table of Python's charmap codec says that a byte has no character


# How the tables are written: `BYTES:` sets a place, each code point after it (or range of them) fills the
# next; `--` is a place without a character. In sets of two or three bytes the place after FE is A1 of the
# next row.

# Character set: the codec it starts from, and its differences.
SINGLE_BYTE = {
    "armscii8": (
        "ascii",
        """80: 80-A0 2741 A7 589 29 28 BB AB 2014 2E 55D 2C 2D 55F 2026 55C 55B 55E 531 561 532 562 533 563
        534 564 535 565 536 566 537 567 538 568 539 569 53A 56A 53B 56B 53C 56C 53D 56D 53E 56E 53F 56F
        540 570 541 571 542 572 543 573 544 574 545 575 546 576 547 577 548 578 549 579 54A 57A 54B 57B
        54C 57C 54D 57D 54E 57E 54F 57F 550 580 551 581 552 582 553 583 554 584 555 585 556 586 2019 27""",
    ),
    "cp1256": ("cp1256", "8A: -- 8F: -- 98: -- 9A: -- 9F: -- AA: -- C0: -- FF: --"),  # Windows 98 added these
    "cp866": ("cp866", "FC: 207F B2"),
    "dec8": (
        "latin1",
        """A4: -- A6: -- A8: A4 AC: -- -- -- -- B4: -- B8: -- BE: --
        D0: -- D7: 152 DD: 178 -- F0: -- F7: 153 FD: FF -- --""",
    ),
    "geostd8": (
        "ascii",
        """80: 20AC -- 201A -- 201E 2026 2020-2021 -- 2030 -- 2039
        91: 2018-2019 201C-201D 2022 2013-2014
        9B: 203A
        A0: A0-BF 10D0-10D6 10F1 10D7-10DC 10F2 10DD-10E2 10F3 10E3-10EE 10F4 10EF-10F0 10F5
        FD: 2116""",
    ),
    "greek": ("iso8859-7", "A1: 2BD 2BC A4: -- -- AA: --"),
    "hebrew": ("iso8859-8", "AF: 203E"),
    "keybcs2": (
        "cp437",
        """80: 10C 83: 10F 85: 10E 164 10D 11B 11A
        8A: 139 CD 13E 13A 8F: C1 91: 17E 17D 95: D3 16F DA FD
        9B: 160 13D DD 158 165
        A4: 148 147 16E D4 161 159 155 154""",
    ),
    "koi8u": ("koi8-u", "95: 2022"),
    "latin1": ("cp1252", "81: 81 8D: 8D 8F: 8F-90 9D: 9D"),
    "swe7": ("ascii", "40: C9 5B: C4 D6 C5 DC 60: E9 7B: E4 F6 E5 FC --"),
}

# Character set: the codec it starts from, what one character (or a run of ASCII) looks like, its differences.
SHIFT_JIS = rb"[\x00-\x7f]+|[\xa1-\xdf]|[\x80-\xff].?"
EUC = rb"[\x00-\x7f]+|\x8f.{1,2}|[\x80-\xff].?"
PAIRS = rb"[\x00-\x7f]+|[\x80-\xff].?"
GB18030 = rb"[\x00-\x7f]+|[\x80-\xff][\x30-\x39].{0,2}|[\x80-\xff].?"
USER_DEFINED = "F5A1: E000-E3AB 8FF5A1: E3AC-E757"
MULTI_BYTE = {
    "big5": (
        "big5",
        PAIRS,
        """A15A: -- A1C3: -- A1C5: -- A1FE: -- A240: -- A2CC: -- A2CE: --
        F9D6: 7881 92B9 88CF 58BB 6052 7CA7 5AFA""",
    ),
    "cp932": ("cp932", SHIFT_JIS, "80: -- A0: -- FD: -- -- --"),
    # Python knows the edition of 2000; the server that of 2005, which gave one sign its place in Unicode.
    "gb18030": ("gb18030", GB18030, "A8BC: 1E3F 8135F437: E7C7"),
    "sjis": ("shift_jis", SHIFT_JIS, "815F: 5C"),
    "ujis": ("euc_jp", EUC, "A1C0: 5C " + USER_DEFINED),
    # NEC's row 13 and IBM's extensions, which JIS X 0208 and 0212 lack, and Microsoft's choice of wide signs.
    "eucjpms": (
        "euc_jp",
        EUC,
        """8FF3F3: 2170-2179 2160-2169 FF07 FF02 3231 2116 2121 70BB 4EFC 50F4 51EC 5307 5324 FA0E 548A 5759
        FA0F-FA10 589E 5BEC 5CF5 5D53 FA11 5FB7 6085 6120 654E 663B 6665 FA12 F929 6801 FA13-FA14 6A6B
        6AE2 6DF8 6DF2 7028 FA15-FA16 7501 7682 769E FA17 7930 FA18-FA1B 7AE7 FA1C-FA1D 7DA0 7DD6 FA1E
        8362 FA1F 85B0 FA20-FA21 8807 FA22 8B7F 8CF4 8D76 FA23-FA25 90DE FA26 9115 FA27-FA28 9592 F9DC
        FA29 973B 974D 9751 FA2A-FA2C 999E 9AD9 9B72 FA2D 9ED1
        8FA2B7: FF5E 8FA2C3: FFE4 A1C1: FF5E 2225 A1DD: FF0D A1F1: FFE0 FFE1 A2CC: FFE2
        ADA1: 2460-2473 2160-2169 -- 3349 3314 3322 334D 3318 3327 3303 3336 3351 3357 330D 3326 3323 332B
        334A 333B 339C-339E 338E-338F 33C4 33A1 ADDF: 337B 301D 301F 2116 33CD 2121 32A4-32A8 3231-3232
        3239 337E 337D 337C 2252 2261 222B 222E 2211 221A 22A5 2220 221F 22BF 2235 2229 222A """
        + USER_DEFINED,
    ),
}

# Character sets that Python's codecs treat as the servers do.
PLAIN = {
    "ascii": "ascii",
    "cp1250": "cp1250",
    "cp1251": "cp1251",
    "cp1257": "cp1257",
    "cp850": "cp850",
    "cp852": "cp852",
    "euckr": "cp949",
    "gb2312": "gb2312",
    "gbk": "gbk",
    "hp8": "hp-roman8",
    "koi8r": "koi8-r",
    "latin2": "iso8859-2",
    "latin5": "iso8859-9",
    "latin7": "iso8859-13",
    "macce": "mac-latin2",
    "macroman": "mac-roman",
    "tis620": "tis-620",
    "utf16": "utf-16-be",
    "utf16le": "utf-16-le",
    "utf32": "utf-32-be",
    "utf8mb4": "utf-8",
}

# Character sets of the first 65536 code points alone, and the codec of all.
BASIC_PLANE = {"ucs2": "utf-16-be", "utf8mb3": "utf-8", "utf8": "utf-8"}


class Codec(NamedTuple):
    """Reads and writes one character set; all functions raise UnicodeError.

    `windows` decodes so many bytes at a time; characters that a window cuts belong to the next one.
    """

    decode: Callable[[bytes], str]
    encode: Callable[[str], bytes]
    windows: Callable[[memoryview, int], Iterator[str]]


def decode(raw: bytes, charset: str) -> str | None:
    """Return the text of bytes in a server's character set.

    None when they are not text there, when the set is `binary`, or when no server has a set of this name.
    """
    found = codec_of(charset)
    if found is None:
        return None
    try:
        return found.decode(raw)
    except UnicodeError:
        return None


def decode_windows(raw: memoryview, charset: str, size: int) -> Iterator[str]:
    """Yield what `decode` returns in pieces of about `size` bytes; UnicodeError where it returns None."""
    found = codec_of(charset)
    if found is None:
        raise UnicodeError("no character set")
    yield from found.windows(raw, size)


def encode(text: str, charset: str) -> bytes | None:
    """Return the bytes of a text in a server's character set; None where it lacks a character.

    They decode to the same text. Where a set holds a character twice (cp932 does), the server may write the
    other.
    """
    found = codec_of(charset)
    if found is None:
        return None
    try:
        return found.encode(text)
    except UnicodeError:
        return None


def is_utf8(charset: str) -> bool:
    """Return whether the bytes of text in this character set are UTF-8."""
    return charset.lower() in UTF8_NAMES


@lru_cache(maxsize=128)
def is_ascii_superset(charset: str) -> bool:
    """Return whether bytes below 0x80 mean what they mean in ASCII.

    Beside other bytes it need not: in big5, gbk, gb18030, sjis and cp932 the second byte of a character may
    be below 0x80.
    """
    return decode(ASCII, charset) == ASCII.decode("ascii")


@lru_cache(maxsize=128)
def codec_of(charset: str) -> Codec | None:
    """Return the codec of a server's character set; None for `binary` and for unknown names."""
    name = charset.lower()
    if name in PLAIN:
        return _plain(PLAIN[name])
    if name in BASIC_PLANE:
        return _basic_plane(BASIC_PLANE[name])
    if name in SINGLE_BYTE:
        base, differences = SINGLE_BYTE[name]
        return _single_byte(base, dict(_places(differences)))
    if name in MULTI_BYTE:
        base, pattern, differences = MULTI_BYTE[name]
        return _multi_byte(base, re.compile(pattern, re.DOTALL), dict(_places(differences)))
    return None


def _places(table: str) -> Iterator[tuple[bytes, str]]:
    """Yield the places that a table fills: the bytes of each, and its character or an empty string."""
    place = 0
    width = 1
    for word in table.split():
        if word.endswith(":"):
            place, width = int(word[:-1], 16), len(word) // 2
            continue
        first, _, last = word.partition("-")
        for character in map(chr, range(int(first, 16), int(last or first, 16) + 1)) if first else [""]:
            yield place.to_bytes(width, "big"), character
            place += 1
            if width > 1 and place & 0xFF == 0xFF:
                place += 0xA1 + 1  # from FF to A1 of the next row


def _plain(codec: str) -> Codec:
    return Codec(
        lambda raw: raw.decode(codec), lambda text: text.encode(codec), lambda raw, size: _windows(raw, size, codec)
    )


def _windows(raw: memoryview, size: int, codec: str) -> Iterator[str]:
    """Yield text in pieces, decoded by one of Python's codecs."""
    decoder = codecs.getincrementaldecoder(codec)()
    for at in range(0, len(raw), size):
        yield decoder.decode(raw[at : at + size], final=at + size >= len(raw))


def _basic_plane(codec: str) -> Codec:
    def checked(text: str) -> str:
        if len(text.encode("utf-16-le")) != 2 * len(text):
            raise UnicodeError("a supplementary character")
        return text

    return Codec(
        lambda raw: checked(raw.decode(codec)),
        lambda text: checked(text).encode(codec),
        lambda raw, size: map(checked, _windows(raw, size, codec)),
    )


def _single_byte(base: str, differences: dict[bytes, str]) -> Codec:
    places = [bytes([number]) for number in range(256)]
    characters = [differences.get(place, place.decode(base, "ignore")) for place in places]
    # Of two bytes with one meaning the lower, that is ASCII, is written.
    numbers = {ord(one): number for number, one in reversed(list(enumerate(characters))) if one}
    table = "".join(one or UNDEFINED for one in characters)

    def decode_all(raw: bytes | memoryview) -> str:
        return codecs.charmap_decode(raw, "strict", table)[0]

    return Codec(
        decode_all,
        lambda text: codecs.charmap_encode(text, "strict", numbers)[0],
        lambda raw, size: (decode_all(raw[at : at + size]) for at in range(0, len(raw), size)),
    )


def _multi_byte(base: str, pattern: re.Pattern[bytes], differences: dict[bytes, str]) -> Codec:
    inverse = {one: raw for raw, one in differences.items() if one and not one.isascii()}

    def character(raw: bytes) -> str:
        text = differences.get(raw)
        if text is None:
            text = raw.decode(base)
        if len(text) != 1 and not raw.isascii():  # no character, or what the codec takes for two
            raise UnicodeError("an undefined character")
        return text

    def decode_all(raw: bytes) -> str:
        return "".join(map(character, pattern.findall(raw)))

    def encode_all(text: str) -> bytes:
        raw = b"".join([inverse.get(one) or one.encode(base) for one in text])
        if decode_all(raw) != text:  # the codec wrote a look-alike
            raise UnicodeError("a character that the set lacks")
        return raw

    def windows(raw: memoryview, size: int) -> Iterator[str]:
        at = 0
        while at < len(raw):
            found = pattern.findall(raw[at : at + size])
            if at + size < len(raw) and found[-1][0] >= 0x80:  # its end may be in the next window
                found.pop()
            yield "".join(map(character, found))
            at += sum(map(len, found))

    return Codec(decode_all, encode_all, windows)
