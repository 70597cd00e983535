"""What is told of failures in a row: the first one, another reason, and now and then the same again with details."""

from __future__ import annotations

import pytest

from binlogcli.archive.retries import Retries
from binlogcli.errors import ServerError


def hung_up() -> ServerError:
    hint = "its error log may say why"
    return ServerError("the server closed the connection", file="db1:3306", hint=hint, passing=True)


def test_the_same_again_is_told_each_time_that_it_has_doubled() -> None:
    told: list[str] = []
    retries = Retries(None, told.append)
    retries.asked = "shop-bin.000014 from 4711 on"
    for _ in range(25):
        assert 0 < retries.wait_after(hung_up(), passing=True) <= 30
    first, *again = told
    assert first == "db1:3306: the server closed the connection; its error log may say why; retrying"
    assert [line.partition("say why; ")[2] for line in again] == [
        f"{count} failures in a row in 0 s, asked for shop-bin.000014 from 4711 on" for count in (5, 10, 20)
    ]


def test_another_reason_is_told_at_once_and_progress_ends_all() -> None:
    told: list[str] = []
    retries = Retries(None, told.append)
    retries.wait_after(hung_up(), passing=True)
    retries.wait_after(ServerError("no answer within 5 s", file="db1:3306"), passing=True)
    retries.wait_after(hung_up(), passing=True)  # known already
    retries.over("db1:3306")
    retries.over("db1:3306")
    retries.wait_after(hung_up(), passing=True)
    assert [line.partition(": ")[2] for line in told] == [
        "the server closed the connection; its error log may say why; retrying",
        "no answer within 5 s; retrying",
        "connected again, continuing",
        "the server closed the connection; its error log may say why; retrying",
    ]


def test_the_last_try_says_what_was_tried() -> None:
    retries = Retries(2, lambda line: None)
    retries.asked = "shop-bin.000014 from 4711 on"
    for _ in range(2):
        retries.wait_after(hung_up(), passing=True)
    with pytest.raises(ServerError) as raised:
        retries.wait_after(hung_up(), passing=True)
    assert raised.value.line().endswith("3 failures in a row in 0 s, asked for shop-bin.000014 from 4711 on")


def test_what_does_not_pass_is_raised_as_it_is() -> None:
    retries = Retries(None, lambda line: None)
    with pytest.raises(ServerError) as raised:
        retries.wait_after(ServerError("is not the server of this archive"), passing=False)
    assert raised.value.line() == "is not the server of this archive"
