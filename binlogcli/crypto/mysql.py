"""Logs that MySQL 8.0.14 and newer encrypt: a header of 512 bytes, then the whole log as one AES-256-CTR stream."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext, algorithms, modes

from binlogcli.crypto.keyring import Keyring
from binlogcli.crypto.secret import wipe
from binlogcli.crypto.start import NEWER
from binlogcli.errors import KeyFileError, SourceError, counted
from binlogcli.names.event_types import FORMAT_DESCRIPTION_EVENT
from binlogcli.names.magics import MAGIC
from binlogcli.sources.source import Source, Stream

HEADER_SIZE = 512
VERSION = 1
_KEY_ID, PASSWORD, IV = 1, 2, 3  # fields of the header
SIZES = {PASSWORD: 32, IV: 16}
BLOCK = 16
LARGEST_FORMAT = 400  # bytes of a format description


@dataclass(frozen=True, slots=True)
class _Header:
    """The encryption header: which master key encrypts the file's password. Key rotation rewrites nothing else."""

    key_id: str
    password: bytes
    iv: bytes


def _read_header(data: bytes, name: str) -> _Header:
    """Return the fields of the first 512 bytes: type and value each, the key's name with its length before it."""
    if len(data) < HEADER_SIZE:
        reason = f"the log is truncated inside its encryption header, after {counted(len(data), 'byte')}"
        raise SourceError(reason, file=name, hint="copy the log again")
    if data[4] != VERSION:
        raise SourceError(f"unknown version {data[4]} of MySQL's log encryption", file=name, offset=4, hint=NEWER)
    fields: dict[int, bytes] = {}
    at = 5
    while at < HEADER_SIZE - 1 and data[at] != 0:
        kind = data[at]
        size = data[at + 1] if kind == _KEY_ID else SIZES.get(kind, HEADER_SIZE)
        start = at + 2 if kind == _KEY_ID else at + 1
        if start + size > HEADER_SIZE:
            break
        fields[kind] = data[start : start + size]
        at = start + size
    if not {_KEY_ID, PASSWORD, IV} <= fields.keys():
        raise SourceError("the log's encryption header is damaged", file=name, offset=at, hint="copy the log again")
    return _Header(fields[_KEY_ID].decode("utf-8", "replace"), fields[PASSWORD], fields[IV])


class MysqlSource(Stream):
    """The plain bytes of a log that MySQL encrypted; offsets are the log's positions, without the header."""

    def __init__(self, raw: Source, keyring: Keyring) -> None:
        super().__init__(raw.name)
        self._raw = raw
        self.size = None if raw.size is None else max(raw.size - HEADER_SIZE, 0)
        self.seekable = raw.seekable
        header = _read_header(_exactly(raw, HEADER_SIZE), raw.name)
        self.remark = f"decrypted; in the file, {HEADER_SIZE} more bytes precede these; key {header.key_id}"
        self._key = bytearray(SIZES[PASSWORD])
        self._derive(header, keyring.key(header.key_id))
        self._stream = self._open_at(0)
        self._check(header.key_id, keyring.path)

    def close(self) -> None:
        """Close the source below and forget the key."""
        wipe(self._key)
        self._raw.close()

    def seek(self, offset: int) -> None:
        """Continue at a position of the log."""
        if not self.seekable:
            super().seek(offset)
        self._ahead = b""
        self._raw.seek(HEADER_SIZE + offset // BLOCK * BLOCK)
        self._stream = self._open_at(offset // BLOCK)
        missing = offset % BLOCK
        while missing > 0 and (data := self._pull(missing)):
            missing -= len(data)

    def _pull(self, size: int) -> bytes:
        return self._stream.update(self._raw.read(size))

    def _derive(self, header: _Header, master: bytearray) -> None:
        """Set the file's key and IV: parts of the SHA-512 of its password, which the master key decrypts."""
        password = bytearray(SIZES[PASSWORD] + BLOCK)
        Cipher(algorithms.AES(master), modes.CBC(header.iv)).decryptor().update_into(header.password, password)
        with memoryview(password) as view:
            digest = bytearray(hashlib.sha512(view[: SIZES[PASSWORD]]).digest())
        self._key[:] = digest[:32]
        self._iv = bytes(digest[32:40])  # its other half is the number of the block
        wipe(password)
        wipe(digest)

    def _open_at(self, block: int) -> CipherContext:
        counter = modes.CTR(self._iv + block.to_bytes(8, "big"))
        return Cipher(algorithms.AES(self._key), counter).decryptor()

    def _check(self, key_id: str, keyring: str) -> None:
        """Raise `KeyFileError` unless the plain bytes begin as a log: with its magic, or with its first event."""
        head = self.head(17)
        if head[:4] == MAGIC[: len(head)]:
            return
        if head[8] == FORMAT_DESCRIPTION_EVENT and int.from_bytes(head[13:17], "little") < LARGEST_FORMAT:
            return
        raise KeyFileError(
            f"key {key_id} of {keyring} does not decrypt the log",
            file=self.name,
            hint="use the keyring of the server that wrote the log; if it is that one, the first 512 bytes of the "
            "log are damaged",
        )


def _exactly(raw: Source, size: int) -> bytes:
    data = b""
    while len(data) < size and (more := raw.read(size - len(data))):
        data += more
    return data
