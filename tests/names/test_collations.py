"""Collation numbers, against a live server and against numbers known from both families' logs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from binlogcli.names.collations import BINARY, all_collations, collation, collation_by_name, default_collation

if TYPE_CHECKING:
    from support.live_mariadb import MariaServer

BOTH = [False, True]


@pytest.mark.parametrize("mariadb", BOTH)
@pytest.mark.parametrize(
    ("number", "name", "charset"),
    [
        (1, "big5_chinese_ci", "big5"),
        (8, "latin1_swedish_ci", "latin1"),
        (33, "utf8mb3_general_ci", "utf8mb3"),
        (45, "utf8mb4_general_ci", "utf8mb4"),
        (46, "utf8mb4_bin", "utf8mb4"),
        (62, "utf16le_bin", "utf16le"),
        (63, "binary", "binary"),
        (99, "cp1250_polish_ci", "cp1250"),
        (101, "utf16_unicode_ci", "utf16"),
        (151, "ucs2_vietnamese_ci", "ucs2"),
        (224, "utf8mb4_unicode_ci", "utf8mb4"),
        (246, "utf8mb4_unicode_520_ci", "utf8mb4"),
        (255, "utf8mb4_0900_ai_ci", "utf8mb4"),
        (256, "utf8mb4_de_pb_0900_ai_ci", "utf8mb4"),
        (271, "utf8mb4_la_0900_ai_ci", "utf8mb4"),
        (277, "utf8mb4_vi_0900_ai_ci", "utf8mb4"),
        (278, "utf8mb4_0900_as_cs", "utf8mb4"),
        (300, "utf8mb4_vi_0900_as_cs", "utf8mb4"),
        (305, "utf8mb4_0900_as_ci", "utf8mb4"),
        (309, "utf8mb4_0900_bin", "utf8mb4"),
    ],
)
def test_a_number_shared_by_the_families_names_collation_and_charset(
    mariadb: bool, number: int, name: str, charset: str
) -> None:
    assert collation(number, mariadb=mariadb) == (number, name, charset)


@pytest.mark.parametrize(
    ("number", "name"),
    [
        (76, "utf8mb3_tolower_ci"),
        (213, "utf8mb3_croatian_ci"),
        (248, "gb18030_chinese_ci"),
        (250, "gb18030_unicode_520_ci"),
        (303, "utf8mb4_ja_0900_as_cs"),
        (323, "utf8mb4_mn_cyrl_0900_as_cs"),
    ],
)
def test_a_number_of_mysql_is_no_number_of_mariadb(number: int, name: str) -> None:
    found = collation(number, mariadb=False)
    assert found is not None
    assert found.name == name
    other = collation(number, mariadb=True)
    assert other is None or other.name != name


@pytest.mark.parametrize(
    ("number", "name"),
    [
        (213, "utf8mb3_croatian_mysql561_ci"),
        (576, "utf8mb3_croatian_ci"),
        (1032, "latin1_swedish_nopad_ci"),
        (1070, "utf8mb4_nopad_bin"),
        (2304, "utf8mb4_uca1400_ai_ci"),
        (2311, "utf8mb4_uca1400_nopad_as_cs"),
        (3271, "utf32_uca1400_croatian_nopad_as_cs"),
    ],
)
def test_a_number_of_mariadb_is_no_number_of_mysql(number: int, name: str) -> None:
    found = collation(number, mariadb=True)
    assert found is not None
    assert found.name == name
    other = collation(number, mariadb=False)
    assert other is None or other.name != name


@pytest.mark.parametrize("mariadb", BOTH)
@pytest.mark.parametrize("number", [-1, 0, 17, 100, 272, 276, 1087, 65535, 1 << 64])
def test_a_number_never_given_out_has_no_collation(mariadb: bool, number: int) -> None:
    assert collation(number, mariadb=mariadb) is None


@pytest.mark.parametrize("mariadb", BOTH)
def test_every_name_leads_back_to_its_number(mariadb: bool) -> None:
    for number, name in all_collations(mariadb=mariadb).items():
        entry = collation(number, mariadb=mariadb)
        assert entry is not None
        assert collation_by_name(entry.name, mariadb=mariadb) == entry.number == number
        assert entry.name == name


def test_old_utf8_names_and_capitals_are_understood() -> None:
    assert collation_by_name("utf8_general_ci") == 33
    assert collation_by_name("UTF8_Bin") == 83
    assert default_collation("utf8", mariadb=True) == 33


def test_a_name_of_the_other_family_alone_is_found() -> None:
    assert collation_by_name("utf8mb4_0900_ai_ci", mariadb=True) == 255
    assert collation_by_name("utf8mb4_uca1400_ai_ci") == 2304


def test_a_name_with_two_numbers_follows_the_family() -> None:
    assert collation_by_name("utf8mb4_croatian_ci") == 245
    assert collation_by_name("utf8mb4_croatian_ci", mariadb=True) == 608


def test_an_unknown_name_has_no_number() -> None:
    assert collation_by_name("utf8mb5_general_ci") is None
    assert default_collation("utf8mb5", mariadb=False) is None


def test_each_charset_has_a_default_collation_of_its_own() -> None:
    for mariadb in BOTH:
        for charset in {name.partition("_")[0] for name in all_collations(mariadb=mariadb).values()}:
            number = default_collation(charset, mariadb=mariadb)
            assert number is not None
            assert all_collations(mariadb=mariadb)[number].partition("_")[0] == charset
    assert default_collation("binary", mariadb=True) == BINARY
    assert default_collation("utf8mb4", mariadb=False) == 255
    assert default_collation("gb18030", mariadb=True) is None


def test_all_collations_of_a_live_server_are_known(maria: MariaServer) -> None:
    text = maria.sql(
        "SELECT ID, FULL_COLLATION_NAME, CHARACTER_SET_NAME"
        " FROM information_schema.COLLATION_CHARACTER_SET_APPLICABILITY"
    )
    rows = [line.split("\t") for line in text.splitlines()]
    assert len(rows) > 1000
    for number, name, charset in rows:
        assert collation(int(number), mariadb=True) == (int(number), name, charset)


def test_the_default_collations_of_a_live_server_are_known(maria: MariaServer) -> None:
    for line in maria.sql("SHOW CHARACTER SET").splitlines():
        charset, _, name, _ = line.split("\t")
        number = default_collation(charset, mariadb=True)
        assert number is not None
        assert name in (all_collations(mariadb=True)[number], f"{charset}_uca1400_ai_ci")  # the latter from 11.5 on
