"""Character sets, compared character by character with a live server, and the rules that need none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from binlogcli.names.charsets import decode, decode_windows, encode, is_ascii_superset, is_utf8
from binlogcli.names.collations import all_collations

if TYPE_CHECKING:
    from support.live_mariadb import MariaServer

UNICODE = ["utf8mb3", "utf8mb4", "ucs2", "utf16", "utf16le", "utf32"]
MULTI_BYTE = ["big5", "cp932", "eucjpms", "euckr", "gb2312", "gbk", "sjis", "ujis"]
NAMES = [name for family in (False, True) for name in all_collations(mariadb=family).values()]
ALL = sorted({name.partition("_")[0] for name in NAMES} - {"binary"})
SINGLE_BYTE = [name for name in ALL if name not in {*UNICODE, *MULTI_BYTE, "gb18030"}]
LOST = "\ufffd"  # the server's own answer for a few places: as good as `?`


def server_decodes(maria: MariaServer, charset: str, prefix: bytes, width: int) -> list[tuple[bytes, str | None]]:
    """Each string of `prefix` and `width` bytes more, with the text that the server makes of it."""
    digits = f"CONCAT('{prefix.hex()}', LPAD(HEX(seq), {2 * width}, '0'))"
    answers = maria.sql(
        f"SELECT HEX(CONVERT(CONVERT(UNHEX({digits}) USING {charset}) USING utf8mb4))"
        f" FROM seq_0_to_{256**width - 1} ORDER BY seq",
        database="mysql",
    ).splitlines()
    strings = [prefix + number.to_bytes(width, "big") for number in range(256**width)]
    return [(raw, said(raw, answer)) for raw, answer in zip(strings, answers, strict=True)]


def said(raw: bytes, answer: str) -> str | None:
    text = bytes.fromhex(answer).decode()
    return None if LOST in text or text.count("?") != raw.count(b"?") else text


@pytest.mark.parametrize("charset", SINGLE_BYTE)
def test_each_byte_decodes_as_the_server_does(maria: MariaServer, charset: str) -> None:
    for raw, text in server_decodes(maria, charset, b"", 1):
        assert decode(raw, charset) == text, raw.hex()


@pytest.mark.parametrize("charset", MULTI_BYTE)
def test_each_pair_of_bytes_decodes_as_the_server_does(maria: MariaServer, charset: str) -> None:
    for raw, text in server_decodes(maria, charset, b"", 2):
        assert decode(raw, charset) == text, raw.hex()


@pytest.mark.parametrize("charset", ["ujis", "eucjpms"])
def test_each_three_byte_character_decodes_as_the_server_does(maria: MariaServer, charset: str) -> None:
    for raw, text in server_decodes(maria, charset, b"\x8f", 2):
        assert decode(raw, charset) == text, raw.hex()


@pytest.mark.parametrize("charset", [name for name in ALL if name != "gb18030"])
def test_each_character_encodes_when_the_server_can_and_comes_back(maria: MariaServer, charset: str) -> None:
    numbers = [n for n in range(1, 0x12000) if n != 0x3F and not 0xD800 <= n < 0xE000 and n != 0xFFFD]
    if charset == "tis620":  # the server cuts larger numbers to 16 bits, and finds some
        numbers = [n for n in numbers if n < 0x10000]
    if charset == "cp932":  # the server writes FAD7, which it reads as U+6659
        numbers.remove(0x6661)
    # The result as text, too: `?` tells a character that is lost from U+3F00, whose bytes hold a 3F.
    answers = maria.sql(
        f"SELECT CONVERT(CONVERT(UNHEX(LPAD(HEX(seq), 8, '0')) USING utf32) USING {charset})"
        f" = CONVERT('?' USING {charset}) COLLATE {charset}_bin FROM seq_1_to_{0x12000 - 1} ORDER BY seq",
        database="mysql",
    ).split()
    for number in numbers:
        raw = encode(chr(number), charset)
        assert (raw is None) == (answers[number - 1] == "1"), hex(number)
        assert raw is None or decode(raw, charset) == chr(number), hex(number)


@pytest.mark.parametrize("charset", ALL)
@given(raw=st.binary(max_size=40))
def test_any_bytes_are_text_or_none_and_text_encodes_to_the_same_text(charset: str, raw: bytes) -> None:
    text = decode(raw, charset)
    if text is not None:
        again = encode(text, charset)
        assert again is not None
        assert decode(again, charset) == text


@pytest.mark.parametrize("charset", ALL)
@given(text=st.text(max_size=20))
def test_any_text_encodes_to_bytes_that_decode_to_it_or_not_at_all(charset: str, text: str) -> None:
    raw = encode(text, charset)
    assert raw is None or decode(raw, charset) == text


@pytest.mark.parametrize(
    ("charset", "raw", "text"),
    [
        ("latin1", b"\x80\x81\xe9", "\u20ac\x81\u00e9"),  # cp1252, with control characters in its holes
        ("LATIN1", b"abc", "abc"),
        ("utf8", "Gr\u00fc\u00dfe".encode(), "Gr\u00fc\u00dfe"),
        ("utf8mb4", b"\xf0\x9f\x93\xa6", "\U0001f4e6"),
        ("utf16", b"\xd8\x3d\xdc\xe6", "\U0001f4e6"),
        ("utf16le", b"\x3d\xd8\xe6\xdc", "\U0001f4e6"),
        ("utf32", b"\x00\x01\xf4\xe6", "\U0001f4e6"),
        ("utf16", b"\xfe\xff\x00a", "\ufeffa"),  # no byte order mark, a character
        ("swe7", b"@[", "\u00c9\u00c4"),
        ("sjis", b"\x5c\x83\x5c", "\\\u30bd"),
        ("gbk", b"\x95\x5c5", "\u661e5"),
        ("big5", b"\xa5\x5c", "\u529f"),
        ("gb18030", b"\x94\x39\xda\x33\xa8\xbc", "\U0001f4a9\u1e3f"),
        ("eucjpms", b"a\xad\xa1\x8f\xf4\xfe\x8e\xb1\xf5\xa1", "a\u2460\u9ed1\uff71\ue000"),
    ],
)
def test_text_of_several_characters_decodes(charset: str, raw: bytes, text: str) -> None:
    assert decode(raw, charset) == text


@pytest.mark.parametrize(
    ("charset", "raw"),
    [
        ("utf8mb4", b"\xed\xa0\xbd\xed\xb3\xa6"),  # surrogates, each as three bytes
        ("utf8mb3", b"\xed\xa0\xbd"),
        ("utf8mb3", b"\xf0\x9f\x93\xa6"),
        ("utf8mb4", b"\xf5\x80\x80\x80"),
        ("utf8mb4", b"\xc0\x80"),
        ("utf8mb4", b"abc\xe2\x82"),
        ("ucs2", b"\xd8\x3d\xdc\xe6"),
        ("ucs2", b"\x00"),
        ("utf16", b"\xdc\xe6"),
        ("utf32", b"\x00\x11\x00\x00"),
        ("utf32", b"\x00\x00\xd8\x3d"),
        ("ascii", b"\x80"),
        ("cp1250", b"\x81"),
        ("cp932", b"a\x81"),
        ("ujis", b"\x8f\xa2"),
        ("tis620", b"\xff"),
    ],
)
def test_bytes_that_are_no_character_are_no_text(charset: str, raw: bytes) -> None:
    assert decode(raw, charset) is None


@pytest.mark.parametrize("charset", ["binary", "", "utf9", "utf-8", "rot13", "\x00"])
def test_binary_and_unknown_names_hold_no_text(charset: str) -> None:
    assert decode(b"abc", charset) is None
    assert encode("abc", charset) is None
    assert not is_ascii_superset(charset)
    assert not is_utf8(charset)


@pytest.mark.parametrize("charset", ALL)
def test_empty_bytes_are_empty_text_in_every_charset(charset: str) -> None:
    assert decode(b"", charset) == ""
    assert encode("", charset) == b""


def test_only_these_charsets_give_ascii_bytes_another_meaning() -> None:
    assert {name for name in ALL if not is_ascii_superset(name)} == {"swe7", "ucs2", "utf16", "utf16le", "utf32"}


def test_only_these_charsets_are_utf8_as_they_stand() -> None:
    assert {name for name in [*ALL, "utf8", "UTF8"] if is_utf8(name)} == {"ascii", "utf8", "UTF8", "utf8mb3", "utf8mb4"}


@given(st.sampled_from([*ALL, "binary"]), st.binary(max_size=40) | st.text(max_size=20), st.integers(8, 12))
def test_text_in_windows_is_the_text(charset: str, value: bytes | str, size: int) -> None:
    raw = value if isinstance(value, bytes) else encode(value, charset) or value.encode()
    try:
        text: str | None = "".join(decode_windows(memoryview(raw), charset, size))
    except UnicodeError:
        text = None
    assert text == decode(raw, charset)
