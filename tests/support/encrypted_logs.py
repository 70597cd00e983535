"""Encryption of logs as the servers do it: the reverse of `binlogcli.crypto`, one event and one cipher at a time.

As a program it encrypts a file:  encrypted_logs.py PLAIN ENCRYPTED aes-cbc|aes-ctr HEXKEY
"""

from __future__ import annotations

import hashlib
import sys
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from support.logs import IGNORABLE, MAGIC, raw_events

if TYPE_CHECKING:
    from binlogcli.sources.source import Source

NONCE = bytes(range(0xA0, 0xAC))


def u4(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 4], "little")


def encrypt_event(event: bytes, place: int, key: bytes, nonce: bytes, algorithm: str) -> bytes:
    """Encrypt one event at its offset in the file, by the rules of MariaDB's `encrypt_event`."""
    iv = nonce + (place & 0xFFFFFFFF).to_bytes(4, "little")
    moved = bytearray(event)
    length = moved[9:13]
    moved[9:13] = moved[0:4]
    text = bytes(moved[4:])
    aes = algorithms.AES(key)
    if algorithm == "aes-ctr":
        done = Cipher(aes, modes.CTR(iv)).encryptor().update(text)
    else:
        full = len(text) // 16 * 16
        done = Cipher(aes, modes.CBC(iv)).encryptor().update(text[:full])
        stream = Cipher(aes, modes.ECB()).encryptor().update(iv)
        done += bytes(a ^ b for a, b in zip(text[full:], stream, strict=False))
    moved[4:] = done
    moved[0:4] = moved[9:13]
    moved[9:13] = length
    return bytes(moved)


def with_crc(event: bytearray) -> bytes:
    event[-4:] = zlib.crc32(event[:-4]).to_bytes(4, "little")
    return bytes(event)


def start_encryption(place: int, like: bytes, nonce: bytes, *, checksum: bool, version: int = 1) -> bytes:
    """Return START_ENCRYPTION_EVENT with the time and server of the event `like`."""
    size = 40 if checksum else 36
    event = bytearray(like[:4] + bytes([164]) + like[5:9] + size.to_bytes(4, "little"))
    event += (place + size).to_bytes(4, "little") + bytes(2) + b"\1" + version.to_bytes(4, "little") + nonce
    return with_crc(event + bytearray(4)) if checksum else bytes(event)


def encrypt_mariadb(
    plain: bytes, key: bytes, algorithm: str, nonce: bytes = NONCE, version: int = 1, *, shift: int = 0
) -> tuple[bytes, bytes]:
    """Return an encrypted log, and the plain log that its server sends of it.

    A START_ENCRYPTION event is put in if there is none, and the positions behind it moved. With `shift` the
    events count as standing so many bytes further on, as in a file over 4 GiB.
    """
    out, sent = bytearray(MAGIC), bytearray(MAGIC)
    walk = raw_events(plain)
    _, description = next(walk)
    checksum = description[-5] == 1
    out += description
    sent += description
    _, following = next(walk)
    if following[4] == 164:
        start = bytearray(following)
        start[17] &= ~IGNORABLE
        start[24:36] = nonce
        encryption = with_crc(start) if checksum else bytes(start)
        following = b""
    else:
        encryption = start_encryption(len(out), description, nonce, checksum=checksum, version=version)
    out += encryption
    marked = bytearray(encryption)
    marked[17] |= IGNORABLE
    sent += with_crc(marked) if checksum else marked
    rest = [following] if following else []
    for old in [*rest, *(event for _, event in walk)]:
        event = old
        end = len(sent) + len(event) + shift & 0xFFFFFFFF
        if u4(event, 13) not in (0, end):
            moved = bytearray(event)
            moved[13:17] = end.to_bytes(4, "little")
            event = with_crc(moved) if checksum else bytes(moved)
        out += encrypt_event(event, len(out) + shift, key, nonce, algorithm)
        sent += event
    return bytes(out), bytes(sent)


def encrypt_mysql(plain: bytes, master: bytes, key_id: str, password: bytes = bytes(range(32))) -> bytes:
    """Encrypt a log as MySQL 8.0.14 and newer do."""
    iv = bytes(range(16))
    sealed = Cipher(algorithms.AES(master), modes.CBC(iv)).encryptor().update(password)
    header = b"\xfdbin\1\1" + bytes([len(key_id)]) + key_id.encode() + b"\2" + sealed + b"\3" + iv
    digest = hashlib.sha512(password).digest()
    counter = modes.CTR(digest[32:40] + bytes(8))
    return header.ljust(512, b"\0") + Cipher(algorithms.AES(digest[:32]), counter).encryptor().update(plain)


def read_all(source: Source, size: int = 1 << 16) -> bytes:
    """Return all bytes of a source."""
    return b"".join(iter(lambda: source.read(size), b""))


def main() -> None:
    source, target, algorithm, key = sys.argv[1:]
    encrypted, sent = encrypt_mariadb(Path(source).read_bytes(), bytes.fromhex(key), algorithm)
    Path(target).write_bytes(encrypted)
    Path(f"{target}.sent").write_bytes(sent)


if __name__ == "__main__":
    main()
