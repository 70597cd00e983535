from __future__ import annotations

import pytest

from binlogcli.log import roles
from binlogcli.log.boundaries import role_of


@pytest.mark.parametrize(
    ("text", "role"),
    [
        (b"", roles.PLAIN),
        (b"BEGIN", roles.BEGIN),
        (b"begin", roles.BEGIN),
        (b"BEGI", roles.PLAIN),
        (b" BEGIN", roles.PLAIN),
        (b"START TRANSACTION", roles.BEGIN),
        (b"XA START X'61',X'',1", roles.XA_START),
        (b"XA BEGIN 'a'", roles.XA_START),
        (b"XA END X'61',X'',1", roles.XA_OTHER),
        (b"XA COMMIT X'61',X'',1", roles.XA_COMMIT),
        (b"xa rollback 'a'", roles.XA_ROLLBACK),
        (b"COMMIT", roles.COMMIT),
        (b"ROLLBACK", roles.ROLLBACK),
        (b"ROLLBACK TO `a`", roles.ROLLBACK_TO),
        (b"SAVEPOINT `a`", roles.SAVEPOINT),
        (b"RELEASE SAVEPOINT `a`", roles.RELEASE_SAVEPOINT),
        (b"CREATE TABLE `t` (`a` int) START TRANSACTION", roles.OPENS_GROUP),
        (b"CREATE TABLE `t` (`a` int) start transaction", roles.PLAIN),
        (b"REPLACE INTO t VALUES (1)", roles.PLAIN),
        (b"\xe4\xff", roles.PLAIN),
    ],
)
def test_a_statement_is_told_by_its_words(text: bytes, role: int) -> None:
    assert role_of(text, 0, len(text)) == role
    assert role_of(b"BEGIN" + text + b"BEGIN", 5, 5 + len(text)) == role
