"""`.mylogin.cnf` of `mysql_config_editor`: option groups, scrambled under a key that is in the file itself.

Four unused bytes, 20 bytes of key, then lines: a length in four bytes and that many bytes of AES-128-ECB.
"""

from __future__ import annotations

from binlogcli.errors import KeyFileError

_UNUSED, _KEY = 4, 20
_BLOCK = 16
_LARGEST_LINE = 1 << 16


def read_login_file(data: bytes, file: str) -> str:
    """Return the text of the file; raise `KeyFileError` if it is damaged."""
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    key = bytearray(_BLOCK)
    for at, byte in enumerate(data[_UNUSED : _UNUSED + _KEY]):
        key[at % _BLOCK] ^= byte
    cipher = Cipher(algorithms.AES(bytes(key)), modes.ECB())  # noqa: S305 - what the file has
    lines = []
    at = _UNUSED + _KEY
    while at < len(data):
        size = int.from_bytes(data[at : at + 4], "little")
        line = data[at + 4 : at + 4 + size]
        if size == 0 or size % _BLOCK or size > _LARGEST_LINE or len(line) < size:
            reason = "not a login file of mysql_config_editor, or damaged"
            raise KeyFileError(reason, file=file, offset=at, hint="recreate it with mysql_config_editor set")
        plain = cipher.decryptor().update(line)
        lines.append(plain[: -plain[-1]] if 0 < plain[-1] <= _BLOCK else plain)
        at += 4 + size
    return b"".join(lines).decode("utf-8", "surrogateescape")
