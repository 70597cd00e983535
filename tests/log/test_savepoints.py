"""Which ranges of a transaction ROLLBACK TO SAVEPOINT takes back."""

from __future__ import annotations

import pytest

from binlogcli.log.boundaries import role_of
from binlogcli.log.savepoints import Savepoints, Undone


def undone(*statements: str) -> list[tuple[int, int]]:
    """The ranges of statements at 10, 20 and so on; "" ends a transaction, which begins 5 after."""
    found = Savepoints()
    opened = 5
    for place, text in enumerate(statements, 1):
        if not text:
            found.end()
            opened = 10 * place + 5
            continue
        statement = text.encode()
        found.see(role_of(statement, 0, len(statement)), statement, 10 * place, opened)
    assert all(one.certain for one in found.undone)
    return [(one.start, one.end) for one in found.undone]


def test_what_was_done_since_the_savepoint_is_taken_back() -> None:
    assert undone("SAVEPOINT `x`", "ROLLBACK TO `x`") == [(10, 20)]
    assert undone("SAVEPOINT `x`", "SAVEPOINT `y`") == []
    assert undone("SAVEPOINT `x`", "SAVEPOINT `y`", "ROLLBACK TO `y`") == [(20, 30)]
    assert undone("SAVEPOINT `x`", "SAVEPOINT `y`", "ROLLBACK TO `y`", "ROLLBACK TO `x`") == [(10, 40)]
    assert undone("SAVEPOINT `x`", "ROLLBACK TO `x`", "ROLLBACK TO `x`") == [(10, 30)]
    assert undone("SAVEPOINT `x`", "ROLLBACK TO `x`", "SAVEPOINT `y`", "ROLLBACK TO `y`") == [(10, 20), (30, 40)]
    assert undone("SAVEPOINT `x`", "ROLLBACK TO `x`", "", "SAVEPOINT `x`", "ROLLBACK TO `x`") == [(10, 20), (40, 50)]


def test_a_savepoint_that_is_set_again_is_the_later_one() -> None:
    assert undone("SAVEPOINT `x`", "SAVEPOINT `x`", "ROLLBACK TO `x`") == [(20, 30)]
    statements = ("SAVEPOINT `x`", "SAVEPOINT `y`", "SAVEPOINT `x`", "ROLLBACK TO `y`", "ROLLBACK TO `y`")
    assert undone(*statements) == [(20, 50)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("SAVEPOINT `x`", "ROLLBACK TO `X`"),
        ("SAVEPOINT x", "rollback work to savepoint x"),
        ("savepoint `we``ird` ", "ROLLBACK  TO\tSAVEPOINT `WE``IRD`;"),
        ('SAVEPOINT "a b"', "ROLLBACK TO `a b`"),
        ("SAVEPOINT `Ä`", "ROLLBACK TO `ä`"),
        ("SAVEPOINT`x`", "ROLLBACK TO`x`"),
    ],
)
def test_names_are_compared_as_servers_do(one: str, other: str) -> None:
    assert undone(one, other) == [(10, 20)]


def test_a_savepoint_that_is_not_in_the_log_leaves_all_uncertain() -> None:
    found = Savepoints()
    found.see(role_of(b"SAVEPOINT x", 0, 11), b"SAVEPOINT x", 10, 4)
    found.see(role_of(b"ROLLBACK TO y", 0, 13), b"ROLLBACK TO y", 20, 4)
    assert found.undone == [Undone(4, 20, certain=False)]
