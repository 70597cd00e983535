"""Who connects and where to: addresses, option files, login paths, secrets, and which of them wins."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from binlogcli.errors import BinlogError, SourceError
from binlogcli.sources.server.address import Address, read_address
from binlogcli.sources.server.options import Account, ServerOptions, account_of


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home without option files; those of the machine are not read."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USER", "me")
    monkeypatch.delenv("MYSQL_PWD", raising=False)
    monkeypatch.delenv("MYSQL_TEST_LOGIN_FILE", raising=False)
    monkeypatch.setattr("binlogcli.sources.server.option_files.STANDARD_FILES", ("~/.my.cnf",))
    monkeypatch.setattr("binlogcli.sources.server.options.SOCKETS", ())
    return tmp_path


def account(address: Address | None = None, **given: Any) -> Account:
    return account_of(address or Address("db1"), ServerOptions(**given))[0]


def write(path: Path, text: str, mode: int = 0o600) -> Path:
    path.write_text(text)
    path.chmod(mode)
    return path


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mysql://u@h/", Address("h", user="u")),
        ("mysql://u@h:3307/shop-bin.000001", Address("h", 3307, user="u", log="shop-bin.000001")),
        ("mariadb://h", Address("h")),
        ("mysql://u@[::1]:33/x.1", Address("::1", 33, user="u", log="x.1")),
        ("mysql://u%40x@h/?from=first", Address("h", user="u@x", from_first=True)),
        ("mysql://u@h/?gtid=0-1-5", Address("h", user="u", gtid="0-1-5")),
        ("mysql://u@%2Ftmp%2FMy.sock/x.1", Address(socket="/tmp/My.sock", user="u", log="x.1")),
        ("mysql://u@/x.1?socket=/tmp/My.sock", Address(socket="/tmp/My.sock", user="u", log="x.1")),
    ],
)
def test_addresses(text: str, expected: Address) -> None:
    assert read_address(text) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("mysql://u:secret@h/", "a password in an address"),
        ("mysql://u:sec/secret@h/", "a password in an address"),
        ("MySQL://u:#secret@?@[h/", "a password in an address"),
        ("mysql://u@h:port/", "not a server address"),
        ("mysql://u@h/../x.1", "a log name cannot contain /"),
        ("mysql://u@h/?color=red", "is not allowed"),
        ("mysql://u@h/x.1?from=first", "omit the name of the log"),
        ("mysql://u@[h/", "not a server address"),
    ],
)
def test_addresses_that_are_none(text: str, words: str) -> None:
    with pytest.raises(SourceError, match=words) as caught:
        read_address(text)
    assert "secret" not in caught.value.line()


def test_a_url_names_the_log_it_was_read_from() -> None:
    for text in ("mysql://u@h:3307/x.1", "mysql://u%40x@[::1]/x.1", "mysql://u@/x.1?socket=/tmp/s"):
        assert read_address(text).url("x.1") == text


def test_option_files(home: Path) -> None:
    (home / "more").mkdir()
    write(home / "more" / "a.cnf", "[binlogcli]\nport = 3310\n")
    write(home / "more" / "b.txt", "[client]\nport = 1\n")
    write(home / "one.cnf", "[mysqlbinlog]\nuser=replica # not root\n")
    text = """
        # a comment
        [mysqld]
        port=9
        [client]
        host = db9
        password = "quo#ted \\\\ secret"
        loose_ssl-ca=/ca.pem
        ; another
        !include one.cnf
        !includedir more
    """
    write(home / ".my.cnf", text)
    found = account(Address())
    assert (found.host, found.port, found.user, found.password) == ("db9", 3310, "replica", "quo#ted \\ secret")
    assert (found.tls.mode, found.tls.verify, found.tls.ca) == ("REQUIRED", True, "/ca.pem")
    assert account(Address(), no_defaults=True).host == "127.0.0.1"
    only = write(home / "only.cnf", "[client]\nhost=db7\nskip-ssl\n")
    assert (account(Address(), defaults_file=str(only)).host, account(defaults_file=str(only)).tls.mode) == (
        "db7",
        "DISABLED",
    )


def test_what_is_nearer_wins(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MYSQL_PWD", "of the environment")
    assert account().password == "of the environment"
    write(home / ".my.cnf", "[client]\nhost=db9\nport=3309\nuser=file\npassword=of the file\n")
    assert account().password == "of the file"
    secret = write(home / "secret", "of its own file\nsecond line\n")
    assert account(password_file=str(secret)).password == "of its own file"
    assert account(password_file=str(secret), password="typed").password == "typed"
    found = account(Address("db1", 3306, user="me"), host="db2", port=3307, user="you")
    assert (found.host, found.port, found.user) == ("db1", 3306, "me")
    assert "typed" not in repr(ServerOptions(password="typed")) + repr(account(password="typed"))


def test_files_that_others_could_have_read_or_written(home: Path) -> None:
    with pytest.raises(SourceError, match="this password file is readable by other users"):
        account(password_file=str(write(home / "secret", "x", 0o644)))
    write(home / ".my.cnf", "[client]\npassword=x\n", 0o666)
    found, warnings = account_of(Address("db1"), ServerOptions())
    assert found.password == ""
    assert "this option file is writable by everyone" in warnings[0]


def test_includes_that_never_end(home: Path) -> None:
    write(home / ".my.cnf", "!include .my.cnf\n")
    with pytest.raises(SourceError, match="nested more than 10 deep"):
        account()


def test_localhost_is_the_socket_as_for_the_servers_programs(home: Path) -> None:
    write(home / ".my.cnf", "[client]\nsocket=/tmp/the.sock\n")
    assert account(Address("localhost")).socket == "/tmp/the.sock"
    assert account(Address("localhost", 3306)).socket == ""
    assert account(Address("127.0.0.1")).socket == ""
    assert account(Address(), socket="/tmp/other.sock").socket == "/tmp/other.sock"


def login_file(text: str) -> bytes:
    """As mysql_config_editor writes it."""
    scrambled = os.urandom(20)
    key = bytearray(16)
    for at, byte in enumerate(scrambled):
        key[at % 16] ^= byte
    parts = [bytes(4), scrambled]
    for line in text.encode().splitlines(keepends=True):
        size = 16 - len(line) % 16
        encrypted = Cipher(algorithms.AES(bytes(key)), modes.ECB()).encryptor().update(line + bytes([size]) * size)
        parts += [len(encrypted).to_bytes(4, "little"), encrypted]
    return b"".join(parts)


def test_login_paths(home: Path) -> None:
    path = home / ".mylogin.cnf"
    text = (
        '[client]\nuser = "other"\n[db1]\nuser = "replica"\npassword = "sec#ret"\nhost = "db8"\n[binlogcli]\nport = 1\n'
    )
    path.write_bytes(login_file(text))
    found = account(Address(), login_path="db1")
    assert (found.user, found.password, found.host, found.port) == ("replica", "sec#ret", "db8", 3306)
    with pytest.raises(SourceError, match="no login path 'db2'"):
        account(login_path="db2")
    for damaged in (path.read_bytes()[:-3], path.read_bytes()[:24] + b"\xff\xff\xff\xff", b"short"):
        path.write_bytes(damaged)
        with pytest.raises(BinlogError):
            account(login_path="db1")
