"""MySQL's keyrings and the logs they open."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from binlogcli.crypto.keyring import OBFUSCATION, Keyring, read_keyring
from binlogcli.crypto.keys import Keys
from binlogcli.crypto.opening import open_decrypted
from binlogcli.errors import BinlogError, KeyFileError, SourceError
from support.encrypted_logs import encrypt_mysql, read_all
from support.golden import GOLDEN
from support.reading import MemorySource

NAME = "MySQLReplicationKey_c1604da6-e542-11f1-86a2-02fc00000001_2"
MASTER = bytes(range(100, 132))
PLAIN = (GOLDEN / "mysql-9.7" / "enc-mysql" / "plain-shop-bin.000002").read_bytes()


def plugin_file(version: str, width: int = 8, order: str = "little") -> bytes:
    records = b""
    for name, key in ((NAME[:-2], bytes([2]) + bytes(15)), (NAME, MASTER)):
        hidden = bytes(byte ^ OBFUSCATION[at % 24] for at, byte in enumerate(key))
        body = name.encode() + b"AES" + hidden
        size = (5 * width + len(body) + 7) // 8 * 8
        sizes = (size, len(name), 3, 0, len(key))
        records += (b"".join(n.to_bytes(width, order) for n in sizes) + body).ljust(size, b"\0")  # type: ignore[arg-type]
    check = hashlib.sha256(records).digest() if version == "2.0" else b""
    return f"Keyring file version:{version}".encode() + records + b"EOF" + check


def component_file() -> bytes:
    element = {"user": "", "data_id": NAME, "data_type": "AES", "data": MASTER.hex().upper(), "extension": []}
    return json.dumps({"version": "1.0", "elements": [element]}).encode()


def encrypted_file(password: bytes) -> bytes:
    text = component_file()
    text += bytes([16 - len(text) % 16]) * (16 - len(text) % 16)
    key = hashlib.pbkdf2_hmac("sha256", password, b"s" * 32, 2000, 32)
    sealed = Cipher(algorithms.AES(key), modes.CBC(b"i" * 16)).encryptor().update(text)
    return b"\1" + b"s" * 32 + (2000).to_bytes(4, "big") + b"i" * 16 + sealed


@pytest.mark.parametrize(
    "content",
    [
        plugin_file("1.0"),
        plugin_file("2.0"),
        plugin_file("2.0", 8, "big"),
        plugin_file("2.0", 4, "little"),
        component_file(),
        encrypted_file(b"word"),
    ],
)
def test_each_kind_of_keyring_is_read(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "keyring"
    path.write_bytes(content)
    assert read_keyring(str(path), bytearray(b"word")).key(NAME) == MASTER


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not a keyring"),
        (b"1;00112233445566778899aabbccddeeff\n", "a key file of MariaDB"),
        (b'{"path": "/k/component_keyring", "read_only": false}', "configuration of a keyring component"),
        (b'{"elements": [{"data_id": "x", "data": "xyz"}]}', "an element has no name or no key"),
        (plugin_file("2.0")[:-1] + b"\0", "its checksum is wrong"),
        (plugin_file("1.0")[:-3], "its end marker is missing"),
        (encrypted_file(b"another"), "password does not decrypt the keyring"),
    ],
)
def test_what_is_no_keyring_is_told_apart(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "keyring"
    path.write_bytes(content)
    with pytest.raises(KeyFileError, match=message):
        read_keyring(str(path), bytearray(b"word"))


def opened(log: bytes, master: bytes = MASTER, name: str = NAME) -> bytes:
    return read_all(
        open_decrypted(MemorySource(log, chunk=1000), Keys(keyring=Keyring("keyring", {name: bytearray(master)})))
    )


def test_a_log_comes_out_plain_and_can_be_sought_in() -> None:
    log = encrypt_mysql(PLAIN, MASTER, NAME)
    assert opened(log) == PLAIN
    stored = MemorySource(log)
    stored.seekable = True
    source = open_decrypted(stored, Keys(keyring=Keyring("keyring", {NAME: bytearray(MASTER)})))
    assert source.size == len(PLAIN)
    for offset in (4, 0, 16, 1234, len(PLAIN)):
        source.seek(offset)
        assert read_all(source) == PLAIN[offset:]


@pytest.mark.parametrize(
    ("log", "master", "name", "message"),
    [
        (encrypt_mysql(PLAIN, MASTER, NAME), bytes(32), NAME, "does not decrypt the log"),
        (
            encrypt_mysql(PLAIN, MASTER, NAME),
            MASTER,
            NAME[:-1] + "1",
            f"the keyring does not contain the key {NAME}; it has .*_1",
        ),
        (encrypt_mysql(PLAIN, MASTER, NAME)[:300], MASTER, NAME, "truncated inside its encryption header"),
        (b"\xfdbin\2" + bytes(600), MASTER, NAME, "unknown version 2"),
        (b"\xfdbin\1" + bytes(600), MASTER, NAME, "encryption header is damaged"),
    ],
)
def test_each_reason_not_to_open_a_log_has_its_message(log: bytes, master: bytes, name: str, message: str) -> None:
    with pytest.raises((KeyFileError, SourceError), match=message):
        opened(log, master, name)


@pytest.mark.parametrize("size", range(0, 512, 7))
def test_a_damaged_header_ends_in_a_message(size: int) -> None:
    log = bytearray(encrypt_mysql(PLAIN, MASTER, NAME))
    log[size] ^= 0xFF
    if log[:4] == b"\xfdbin" and size < 115:  # the rest is padding
        with pytest.raises(BinlogError):
            opened(bytes(log))
