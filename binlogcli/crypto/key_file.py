"""Key files of MariaDB's file_key_management: `id;hex key` or `id;version;hex key` a line, as they are or encrypted.

An encrypted one is what `openssl enc` writes. How its key was made from the password is not recorded, so each way that
a server or openssl ever used is tried until the content is a key file.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import NoReturn

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from binlogcli.crypto.secret import read_secret, unhex, wipe
from binlogcli.errors import KeyFileError, counted
from binlogcli.names.magics import LOG_MAGICS

WHAT = "the key file"
_SALTED = b"Salted__"
_KEY_SIZES = (16, 24, 32)
_BINLOG_KEY = 1  # the key that binary logs are encrypted with
_LARGEST_NUMBER = 0xFFFFFFFF
_NO_KEY_FILE = "a line is 'id;key in hex' (32, 48 or 64 digits), or 'id;version;key in hex'"
COMMENT = re.compile(rb"[ \t\v\f\r]*(?:#|\Z)")
FIELDS = re.compile(rb"[ \t\v\f\r]*(\d{1,10});(?:(\d{1,10});(?=[0-9A-Fa-f]{32}))?([0-9A-Fa-f]*)")

_DERIVED = 48  # bytes of key and IV together
DIGESTS = ("sha1", "sha256", "md5", "sha512", "sha384", "sha224")
ITERATED = ("sha256", "sha512", "sha1", "sha384", "sha224")
# what openssl does by default, what manuals name, and round numbers; the server's is free to choose
_ITERATIONS = (10000, 1, 1000, 1024, 2000, 2048, 4096, 5000, 8192, 11000, 16384, 20000, 32768, 50000, 65536, 100000)


class KeyFile:
    """The keys of a key file, by id and version; made by `read_key_file`."""

    def __init__(self, path: str, keys: dict[tuple[int, int], bytearray]) -> None:
        self.path = path
        self._keys = keys

    def key(self, version: int) -> bytearray:
        """Return the key for binary logs of a version; raise `KeyFileError` if it is not there."""
        if (_BINLOG_KEY, version) in self._keys:
            return self._keys[_BINLOG_KEY, version]
        versions = sorted(version for key_id, version in self._keys if key_id == _BINLOG_KEY)
        if versions:
            have = ", ".join(map(str, versions))
            raise KeyFileError(
                f"key {_BINLOG_KEY} exists in version {have}, but the log needs version {version}",
                file=self.path,
                hint=f"add the line '{_BINLOG_KEY};{version};KEY IN HEX' with the key of that version",
            )
        have = ", ".join(str(key_id) for key_id in sorted({key_id for key_id, _ in self._keys}))
        raise KeyFileError(
            f"key {_BINLOG_KEY}, which encrypts binary logs, is not in the file (ids in the file: {have})",
            file=self.path,
            hint="use the key file of the server that wrote the log",
        )

    def wipe(self) -> None:
        """Overwrite all keys."""
        for key in self._keys.values():
            wipe(key)
        self._keys.clear()


def read_key_file(path: str, password: bytearray | None) -> KeyFile:
    """Read the keys in a file, decrypted with the password where it is encrypted."""
    data = read_secret(path, WHAT)
    try:
        if data.startswith(_SALTED):
            return KeyFile(path, _decrypted(path, data, password))
        return KeyFile(path, parse(path, data))
    finally:
        wipe(data)


def parse(path: str, data: bytearray) -> dict[tuple[int, int], bytearray]:
    """Return the keys of a plain key file by id and version; of equal ones the last counts, as in the server."""
    keys: dict[tuple[int, int], bytearray] = {}
    start = 0
    end = data.find(0) % (len(data) + 1)  # the server reads up to the first NUL
    number = 0
    while start < end:
        number += 1
        stop = data.find(b"\n", start, end) % (end + 1)
        if not COMMENT.match(data, start, stop):
            key_id, version, key = _line(path, number, data, start, stop)
            keys[key_id, version] = key
        start = stop + 1
    if not keys:
        _no_key_file(path, data, "it contains no key")
    return keys


def _line(path: str, number: int, data: bytearray, start: int, stop: int) -> tuple[int, int, bytearray]:
    match = FIELDS.match(data, start, stop)
    if match is None:
        _no_key_file(path, data, f"line {number} is not a key")
    key_id, version = int(match[1]), int(match[2] or 1)
    if not 1 <= key_id <= _LARGEST_NUMBER or not 1 <= version <= _LARGEST_NUMBER:
        raise KeyFileError(f"line {number}: ids and versions must be 1-{_LARGEST_NUMBER}", file=path, hint=_NO_KEY_FILE)
    digits = match.end(3) - match.start(3)
    if digits // 2 not in _KEY_SIZES or digits % 2:
        raise KeyFileError(f"line {number}: the key has {counted(digits, 'hex digit')}", file=path, hint=_NO_KEY_FILE)
    with memoryview(data) as view:
        key = unhex(view[match.start(3) : match.end(3)])
    assert key is not None  # noqa: S101 - the pattern has digits alone
    return key_id, version, key


def _no_key_file(path: str, data: bytearray, reason: str) -> NoReturn:
    if data.startswith(b"Keyring file version:") or data.lstrip()[:1] == b"{":
        raise KeyFileError("a MySQL keyring, not a key file", file=path, hint="pass it with --keyring")
    if data.startswith(LOG_MAGICS):
        raise KeyFileError("a binary log, not a key file", file=path, hint="write --key-file KEYFILE LOG")
    raise KeyFileError(f"not a key file: {reason}", file=path, hint=_NO_KEY_FILE)


# encrypted key files ------------------------------------------------------------------------------------------


def _decrypted(path: str, data: bytearray, password: bytearray | None) -> dict[tuple[int, int], bytearray]:
    if password is None:
        raise KeyFileError(
            "the key file is encrypted",
            file=path,
            hint="pass its password with --key-file-password-file or in BINLOGCLI_KEY_FILE_PASSWORD",
        )
    salt = bytes(data[8:16])
    text = memoryview(data)[16:]
    if len(text) == 0 or len(text) % 16:
        raise KeyFileError("the encrypted key file is truncated", file=path, hint="copy it from the server again")
    with text:
        for material in _derivations(password, salt):
            for key_size in reversed(_KEY_SIZES):
                keys = _try(path, text, material, key_size)
                if keys is not None:
                    wipe(material)
                    return keys
            wipe(material)
    raise KeyFileError(
        "the password does not decrypt the key file",
        file=path,
        hint="check it; if the server has an unusual file_key_management_use_pbkdf2, decrypt the file with openssl",
    )


def _derivations(password: bytearray, salt: bytes) -> Iterator[bytearray]:
    """Yield key and IV by each way to make them of a password, the likely and cheap ones first."""
    for digest in DIGESTS:
        yield bytes_to_key(digest, password, salt)
    for iterations in _ITERATIONS:
        for digest in ITERATED:
            yield bytearray(hashlib.pbkdf2_hmac(digest, password, salt, iterations, _DERIVED))


def bytes_to_key(digest: str, password: bytearray, salt: bytes) -> bytearray:
    """Return what OpenSSL's EVP_BytesToKey makes in one iteration: hashes of last hash, password and salt."""
    material = bytearray()
    last = b""
    while len(material) < _DERIVED:
        state = hashlib.new(digest, last, usedforsecurity=False)
        state.update(password)
        state.update(salt)
        last = state.digest()
        material += last
    del material[_DERIVED:]
    return material


def _try(path: str, text: memoryview, material: bytearray, key_size: int) -> dict[tuple[int, int], bytearray] | None:
    """Return the keys if this key and IV turn the text into a key file, else None."""
    key, iv = material[:key_size], bytes(material[key_size : key_size + 16])
    plain = bytearray(len(text) + 15)
    try:
        Cipher(algorithms.AES(key), modes.CBC(iv)).decryptor().update_into(text, plain)
        padding = plain[len(text) - 1]
        if not 1 <= padding <= 16:
            return None
        content = plain[: len(text) - padding]
        try:
            return parse(path, content)
        except KeyFileError:
            return None
        finally:
            wipe(content)
    finally:
        wipe(key)
        wipe(plain)
