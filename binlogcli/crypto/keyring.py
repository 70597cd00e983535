"""MySQL's keyrings: files of the plugin keyring_file, and the JSON of component_keyring_file, plain or encrypted."""

from __future__ import annotations

import hashlib
import re
from typing import NoReturn

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from binlogcli.binary.json_reader import read_json
from binlogcli.crypto.secret import read_secret, unhex, wipe
from binlogcli.errors import KeyFileError, counted

WHAT = "the keyring"
_PLUGIN = re.compile(rb"Keyring file version:(\d\.\d)")
_PLUGIN_END = b"EOF"
# what the plugin combines keys with, so that they are not in the file as they are
OBFUSCATION = b"*305=Ljt0*!@$Hnm(*-9-w;:"
WIDTHS = ((8, "little"), (8, "big"), (4, "little"), (4, "big"))  # of a size_t, on the machine that wrote the file
_MASTER_KEY = "MySQLReplicationKey_"
_MASTER_KEY_SIZE = 32

# The encrypted form that Percona Server's component writes (Oracle's Enterprise component has one that is not public).
_ENCRYPTED_VERSION = 1
ENCRYPTED_HEADER = 53  # version 1, salt 32, iterations 4 (big-endian), IV 16
_LARGEST_ITERATIONS = 10_000_000
_AGAIN = "copy it from the server again"


class Keyring:
    """The keys of a keyring, by name; made by `read_keyring`."""

    def __init__(self, path: str, keys: dict[str, bytearray]) -> None:
        self.path = path
        self._keys = keys

    def key(self, name: str) -> bytearray:
        """Return the master key of that name; raise `KeyFileError`, with the names there are, for others."""
        key = self._keys.get(name)
        if key is not None and len(key) == _MASTER_KEY_SIZE:
            return key
        if key is not None:
            size = counted(len(key), "byte")
            raise KeyFileError(f"key {name} has {size}, not {_MASTER_KEY_SIZE}", file=self.path, hint=_AGAIN)
        have = sorted(other for other in self._keys if re.fullmatch(_MASTER_KEY + r".*_\d+", other))
        listed = (
            f"it has {', '.join(have[:4])}{', ...' if len(have) > 4 else ''}" if have else "it has none for binary logs"
        )
        raise KeyFileError(
            f"the keyring does not contain the key {name}; {listed}",
            file=self.path,
            hint="use the keyring of the server that wrote the log, from the time when that key was in use",
        )

    def wipe(self) -> None:
        """Overwrite all keys."""
        for key in self._keys.values():
            wipe(key)
        self._keys.clear()


def read_keyring(path: str, password: bytearray | None) -> Keyring:
    """Read the keys in a keyring file of any plugin or component known here."""
    data = read_secret(path, WHAT)
    try:
        if _PLUGIN.match(data):
            return Keyring(path, _read_plugin_file(path, data))
        if data[:1] == bytes([_ENCRYPTED_VERSION]) and len(data) > ENCRYPTED_HEADER:
            return Keyring(path, _read_encrypted(path, data, password))
        return Keyring(path, _read_json(path, data))
    finally:
        wipe(data)


# keyring_file -------------------------------------------------------------------------------------------------


def _read_plugin_file(path: str, data: bytearray) -> dict[str, bytearray]:
    head = _PLUGIN.match(data)
    assert head is not None  # noqa: S101 - the caller has looked
    end = data.rfind(_PLUGIN_END)
    if end < head.end():
        raise KeyFileError("the keyring is truncated: its end marker is missing", file=path, hint=_AGAIN)
    if head[1] >= b"2.0" and hashlib.sha256(data[head.end() : end]).digest() != data[end + 3 : end + 35]:
        raise KeyFileError("the keyring is damaged: its checksum is wrong", file=path, hint=_AGAIN)
    for width, order in WIDTHS:
        keys = _records(data, head.end(), end, width, order)
        if keys is not None:
            return keys
    raise KeyFileError("the keyring is damaged: its records are inconsistent", file=path, hint=_AGAIN)


def _records(data: bytearray, at: int, end: int, width: int, order: str) -> dict[str, bytearray] | None:
    """Return the keys in records: five sizes (record, name, type, user, key), their data; None if they do not fit."""
    keys: dict[str, bytearray] = {}
    while at < end:
        sizes = [int.from_bytes(data[p : p + width], order) for p in range(at, at + 5 * width, width)]  # type: ignore[arg-type]
        name_at = at + 5 * width
        key_at = name_at + sum(sizes[1:4])
        if sizes[0] == 0 or at + sizes[0] > end or key_at + sizes[4] > at + sizes[0]:
            return None
        key = bytearray(byte ^ OBFUSCATION[i % 24] for i, byte in enumerate(data[key_at : key_at + sizes[4]]))
        keys[data[name_at : name_at + sizes[1]].decode("utf-8", "replace")] = key
        at += sizes[0]
    return keys


# component_keyring_file -----------------------------------------------------------------------------------------


def _read_json(path: str, data: bytearray) -> dict[str, bytearray]:
    try:
        content = read_json(data)
    except ValueError:
        _no_keyring(path, data)
    if isinstance(content, dict) and isinstance(content.get("path"), str):
        hint = f"pass the file it names: {content['path']}"
        raise KeyFileError("the configuration of a keyring component, not the keyring", file=path, hint=hint)
    elements = content.get("elements") if isinstance(content, dict) else None
    if not isinstance(elements, list):
        raise KeyFileError("JSON, but not a keyring", file=path, hint="a keyring has 'version' and 'elements'")
    keys: dict[str, bytearray] = {}
    for element in elements:
        name = element.get("data_id") if isinstance(element, dict) else None
        text = element.get("data") if isinstance(element, dict) else None
        key = unhex(bytearray(text, "utf-8", "replace")) if isinstance(text, str) else None
        if not isinstance(name, str) or key is None:
            raise KeyFileError(
                "the keyring is damaged: an element has no name or no key in hex", file=path, hint=_AGAIN
            )
        keys[name] = key
    return keys


def _read_encrypted(path: str, data: bytearray, password: bytearray | None) -> dict[str, bytearray]:
    """Return the keys in AES-256-CBC data around the JSON, under a key of PBKDF2 with SHA-256."""
    iterations = int.from_bytes(data[33:37], "big")
    size = len(data) - ENCRYPTED_HEADER
    if size % 16 or not 1 <= iterations <= _LARGEST_ITERATIONS:
        _no_keyring(path, data)
    if password is None:
        raise KeyFileError(
            "the keyring is encrypted",
            file=path,
            hint="pass its password with --key-file-password-file or in BINLOGCLI_KEY_FILE_PASSWORD",
        )
    key = bytearray(hashlib.pbkdf2_hmac("sha256", password, bytes(data[1:33]), iterations, 32))
    plain = bytearray(size + 15)
    iv = bytes(data[37:ENCRYPTED_HEADER])
    with memoryview(data) as view:
        Cipher(algorithms.AES(key), modes.CBC(iv)).decryptor().update_into(view[ENCRYPTED_HEADER:], plain)
    wipe(key)
    content = plain[: size - min(plain[size - 1], size)]
    wipe(plain)
    try:
        return _read_json(path, content)
    except KeyFileError:
        raise KeyFileError("the password does not decrypt the keyring", file=path, hint="check the password") from None
    finally:
        wipe(content)


def _no_keyring(path: str, data: bytearray) -> NoReturn:
    if data.startswith(b"Salted__") or re.match(rb"\s*(#.*\n\s*)*\d+;", data):
        raise KeyFileError("a key file of MariaDB, not a keyring", file=path, hint="pass it with --key-file")
    raise KeyFileError(
        "not a keyring in a known format",
        file=path,
        hint="supported are the files of keyring_file, component_keyring_file, and Percona's encrypted keyring file",
    )
