"""Collation numbers of MySQL and MariaDB, with the character set that each belongs to.

Names are those of current servers: what MySQL before 8.0.30 and MariaDB before 10.6 call `utf8_...` is
`utf8mb3_...` here. The numbers are as in MySQL 4.1 and newer; older logs hold none. One old use is not distinguished
apart: MariaDB 5.5 and 10.0.0 to 10.0.5 had Croatian collations under 213, 214, 215, 149 and 245.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

BINARY = 63  # the collation of BINARY, VARBINARY and BLOB columns, and of numbers

UTF8_OLD = "utf8_"
UTF8_NEW = "utf8mb3_"


class Collation(NamedTuple):
    """A collation: its number in logs, its name, and its character set's name."""

    number: int
    name: str
    charset: str


# A number gives the first name after it, each further name the next number. The word before the first `_`
# is the character set, `*` marks its default collation.
SHARED = """
1   big5_chinese_ci* latin2_czech_cs dec8_swedish_ci* cp850_general_ci* latin1_german1_ci hp8_english_ci*
7   koi8r_general_ci* latin1_swedish_ci* latin2_general_ci* swe7_swedish_ci* ascii_general_ci*
12  ujis_japanese_ci* sjis_japanese_ci* cp1251_bulgarian_ci latin1_danish_ci hebrew_general_ci*
18  tis620_thai_ci* euckr_korean_ci* latin7_estonian_cs latin2_hungarian_ci koi8u_general_ci*
23  cp1251_ukrainian_ci gb2312_chinese_ci* greek_general_ci* cp1250_general_ci* latin2_croatian_ci
28  gbk_chinese_ci* cp1257_lithuanian_ci latin5_turkish_ci* latin1_german2_ci armscii8_general_ci*
33  utf8mb3_general_ci* cp1250_czech_cs ucs2_general_ci* cp866_general_ci* keybcs2_general_ci*
38  macce_general_ci* macroman_general_ci* cp852_general_ci* latin7_general_ci* latin7_general_cs
43  macce_bin cp1250_croatian_ci utf8mb4_general_ci* utf8mb4_bin latin1_bin latin1_general_ci
49  latin1_general_cs cp1251_bin cp1251_general_ci* cp1251_general_cs macroman_bin utf16_general_ci*
55  utf16_bin utf16le_general_ci* cp1256_general_ci* cp1257_bin cp1257_general_ci* utf32_general_ci*
61  utf32_bin utf16le_bin binary* armscii8_bin ascii_bin cp1250_bin cp1256_bin cp866_bin dec8_bin
70  greek_bin hebrew_bin hp8_bin keybcs2_bin koi8r_bin koi8u_bin
77  latin2_bin latin5_bin latin7_bin cp850_bin cp852_bin swe7_bin utf8mb3_bin big5_bin euckr_bin gb2312_bin
87  gbk_bin sjis_bin tis620_bin ucs2_bin ujis_bin geostd8_general_ci* geostd8_bin latin1_spanish_ci
95  cp932_japanese_ci* cp932_bin eucjpms_japanese_ci* eucjpms_bin cp1250_polish_ci
159 ucs2_general_mysql500_ci
223 utf8mb3_general_mysql500_ci
"""

MYSQL_ONLY = """
76  utf8mb3_tolower_ci
248 gb18030_chinese_ci* gb18030_bin gb18030_unicode_520_ci
303 utf8mb4_ja_0900_as_cs utf8mb4_ja_0900_as_cs_ks
306 utf8mb4_ru_0900_ai_ci utf8mb4_ru_0900_as_cs utf8mb4_zh_0900_as_cs
310 utf8mb4_nb_0900_ai_ci utf8mb4_nb_0900_as_cs utf8mb4_nn_0900_ai_ci utf8mb4_nn_0900_as_cs
314 utf8mb4_sr_latn_0900_ai_ci utf8mb4_sr_latn_0900_as_cs utf8mb4_bs_0900_ai_ci utf8mb4_bs_0900_as_cs
318 utf8mb4_bg_0900_ai_ci utf8mb4_bg_0900_as_cs utf8mb4_gl_0900_ai_ci utf8mb4_gl_0900_as_cs
322 utf8mb4_mn_cyrl_0900_ai_ci utf8mb4_mn_cyrl_0900_as_cs
"""

MARIADB_ONLY = """
576 utf8mb3_croatian_ci utf8mb3_myanmar_ci utf8mb3_thai_520_w2 utf8mb3_general1400_as_ci
608 utf8mb4_croatian_ci utf8mb4_myanmar_ci utf8mb4_thai_520_w2 utf8mb4_general1400_as_ci
640 ucs2_croatian_ci ucs2_myanmar_ci ucs2_thai_520_w2
672 utf16_croatian_ci utf16_myanmar_ci utf16_thai_520_w2
736 utf32_croatian_ci utf32_myanmar_ci utf32_thai_520_w2
"""

# Both families: the Unicode collations of each Unicode character set, one per language, in this order.
UNICODE_FIRST = {"utf16": 101, "ucs2": 128, "utf32": 160, "utf8mb3": 192, "utf8mb4": 224}
UNICODE_LANGUAGES = """
unicode icelandic latvian romanian slovenian polish estonian spanish swedish turkish czech danish lithuanian
slovak spanish2 roman persian esperanto hungarian sinhala german2 croatian unicode_520 vietnamese
"""

# MySQL 8.0, and MariaDB 11.4 for tables that come from there: the languages from 256 (accents ignored) and again
# from 279; `-` is a number never released.
UCA900_LANGUAGES = "de_pb is lv ro sl pl et es sv tr cs da lt sk es_trad la - eo hu hr - vi"

# MariaDB 10.10: number = first of the character set + 8 * language + strength. The languages are numbered as
# above from 0, no language; two are not used, Croatian comes after the last.
UCA1400_FIRST = {"utf8mb3": 2048, "utf8mb4": 2304, "ucs2": 2560, "utf16": 2816, "utf32": 3072}
UCA1400_UNUSED = ("croatian", "unicode_520")
UCA1400_STRENGTHS = "ai_ci ai_cs as_ci as_cs nopad_ai_ci nopad_ai_cs nopad_as_ci nopad_as_cs"

NOPAD = 1024  # MariaDB 10.2: added to the number of the collation that pads


@lru_cache(maxsize=4096)  # a damaged log may have any number
def collation(number: int, *, mariadb: bool) -> Collation | None:
    """Return the collation with this number in a family of servers; None for an unknown number."""
    name = _names(mariadb=mariadb).get(number)
    if name is None and mariadb and number >= UCA1400_FIRST["utf8mb3"]:
        name = _uca1400().get(number)
    return None if name is None else Collation(number, name, name.partition("_")[0])


def collation_words(number: int, *, mariadb: bool) -> str:
    """Return a collation's name, after its character set's unless it begins with that; "" for an unknown number."""
    known = collation(number, mariadb=mariadb)
    if known is None:
        return ""
    return known.name if known.name.startswith(known.charset) else f"{known.charset} {known.name}"


def collation_by_name(name: str, *, mariadb: bool = False) -> int | None:
    """Return the number of a collation by name, old `utf8_...` names included; None for an unknown name.

    `mariadb` matters only for the few names (Croatian) to which the families give different numbers; a name
    that only the other family knows is found as well.
    """
    wanted = name.lower()
    if wanted.startswith(UTF8_OLD):
        wanted = UTF8_NEW + wanted.removeprefix(UTF8_OLD)
    number = _numbers(mariadb=mariadb).get(wanted)
    return number if number is not None else _numbers(mariadb=not mariadb).get(wanted)


def default_collation(charset: str, *, mariadb: bool) -> int | None:
    """Return the number of a character set's default collation.

    For the Unicode sets that is a setting: this is the built-in default of MySQL 8.0 (5.7 had 45 for utf8mb4)
    and of MariaDB before 11.5, which has those of Unicode 14 there. The character set is the same.
    """
    wanted = charset.lower()
    return _defaults(mariadb=mariadb).get("utf8mb3" if wanted == "utf8" else wanted)


def all_collations(*, mariadb: bool) -> dict[int, str]:
    """Return the names of all collations of a family of servers, by number."""
    return _names(mariadb=mariadb) | (_uca1400() if mariadb else {})


@cache
def _names(*, mariadb: bool) -> dict[int, str]:
    """Return the names by number; those of MariaDB 10.10 are apart, as few logs have any of the thousand."""
    table = dict(_listed(SHARED))
    if mariadb:
        table.update(_unicode(croatian="croatian_mysql561"))
        table.update(_nopad(table))
        table.update(_listed(MARIADB_ONLY))
    else:
        table.update(_unicode(croatian="croatian"))
        table.update(_listed(MYSQL_ONLY))
    table.update(_uca900())
    return table


@cache
def _numbers(*, mariadb: bool) -> dict[str, int]:
    return {name: number for number, name in all_collations(mariadb=mariadb).items()}


@cache
def _defaults(*, mariadb: bool) -> dict[str, int]:
    text = SHARED if mariadb else SHARED + MYSQL_ONLY
    marked = {name.partition("_")[0]: number for number, name in _numbered(text) if name.endswith("*")}
    marked["binary"] = BINARY
    if not mariadb:
        marked["utf8mb4"] = _numbers(mariadb=False)["utf8mb4_0900_ai_ci"]
    return marked


def _numbered(text: str) -> Iterator[tuple[int, str]]:
    number = 0
    for word in text.split():
        if word.isdecimal():
            number = int(word)
        else:
            yield number, word
            number += 1


def _listed(text: str) -> Iterator[tuple[int, str]]:
    return ((number, name.rstrip("*")) for number, name in _numbered(text))


def _unicode(*, croatian: str) -> Iterator[tuple[int, str]]:
    for charset, first in UNICODE_FIRST.items():
        for index, language in enumerate(UNICODE_LANGUAGES.split()):
            yield first + index, f"{charset}_{croatian if language == 'croatian' else language}_ci"


def _uca900() -> Iterator[tuple[int, str]]:
    for first, strength in ((255, "ai_ci"), (278, "as_cs")):
        yield first, f"utf8mb4_0900_{strength}"
        for index, language in enumerate(UCA900_LANGUAGES.split(), 1):
            if language != "-":
                yield first + index, f"utf8mb4_{language}_0900_{strength}"
    yield 305, "utf8mb4_0900_as_ci"
    yield 309, "utf8mb4_0900_bin"


@cache
def _uca1400() -> dict[int, str]:
    names = {}
    numbered = [(i, name) for i, name in enumerate(UNICODE_LANGUAGES.split()) if name not in UCA1400_UNUSED]
    numbered.append((len(UNICODE_LANGUAGES.split()), "croatian"))
    for charset, first in UCA1400_FIRST.items():
        for index, language in numbered:
            prefix = f"{charset}_uca1400_{language}_" if index else f"{charset}_uca1400_"
            for strength, suffix in enumerate(UCA1400_STRENGTHS.split()):
                names[first + 8 * index + strength] = prefix + suffix
    return names


def _nopad(padded: dict[int, str]) -> dict[int, str]:
    """Return the NO PAD twins of defaults, of `_bin` and of the two Unicode collations without a language."""
    defaults = {name[:-1] for _, name in _numbered(SHARED) if name.endswith("*")} - {"binary"}
    twins = {}
    for number, name in padded.items():
        if name in defaults or name.endswith(("_bin", "_unicode_ci", "_unicode_520_ci")):
            head, _, tail = name.rpartition("_")
            twins[number + NOPAD] = f"{head}_nopad_{tail}"
    return twins
