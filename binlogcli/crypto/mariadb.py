"""Logs that MariaDB encrypts, event by event: from the event after START_ENCRYPTION on, to the end of the file.

Bytes and offsets stay as many as they are, so positions are the log's own. The lengths of events are readable without
a key and lead from one event to the next. Where they lead astray, the next event is one whose decrypted header names
its own end; the bytes before it are passed on for the log reader to call damaged.
"""

from __future__ import annotations

import zlib

from binlogcli.crypto.event_cipher import AES_CBC, AES_CTR, CAPACITY, EventCipher
from binlogcli.crypto.key_file import KeyFile
from binlogcli.crypto.start import HEADER, IGNORABLE_FLAG, LOOK, find_encryption
from binlogcli.errors import KeyFileError, SourceError
from binlogcli.sources.source import Source, Stream

CHUNK = 1 << 16
_PROBED = CAPACITY - CHUNK  # bytes after START_ENCRYPTION in which the key has to prove itself


class MariadbSource(Stream):
    """The plain bytes of a log that MariaDB encrypted."""

    remark = "decrypted; after START_ENCRYPTION_EVENT, the file has encrypted bytes at these positions"

    def __init__(self, raw: Source, key_file: KeyFile, algorithm: str) -> None:
        super().__init__(raw.name)
        start = find_encryption(raw)
        if start is None:
            raise SourceError("the log is not encrypted", file=raw.name, hint="read it without keys")
        self._raw = raw
        self.size = raw.size
        self.seekable = raw.seekable
        self._start = start
        self._rest = b""  # bytes that were read and not decrypted yet
        self._base = start.end  # where they stand
        self._ended = False
        self._lost = False  # no event is known to begin at `_base`
        self._suspect = False  # the event that goes on may be none
        self._moved = False  # the next event was found elsewhere than where the last one ends
        self._ahead = self._beginning()
        self._prefix = self._ahead
        self._cipher = self._choose(key_file, algorithm)

    def close(self) -> None:
        """Close the source below."""
        self._raw.close()

    def seek(self, offset: int) -> None:
        """Continue at the event that begins at `offset`."""
        if not self.seekable:
            super().seek(offset)
        self._base = max(offset, self._start.end)
        self._raw.seek(self._base)
        self._ahead = self._prefix[offset:]
        self._rest = b""
        self._ended = self._lost = self._suspect = False
        self._cipher.forget()

    def _beginning(self) -> bytes:
        """Return the bytes before the first encrypted event, with START_ENCRYPTION as the server sends it.

        Its flag is set, so that a reader of the plain log does not take what follows for encrypted. A damaged one keeps
        its checksum, by which a reader tells that it is damaged.
        """
        data = bytearray()
        while len(data) < self._start.end and (more := self._raw.read(self._start.end - len(data))):
            data += more
        at = self._start.start
        data[at + 17] |= IGNORABLE_FLAG
        if self._start.sound and self._start.checksum:
            data[-4:] = zlib.crc32(data[at:-4]).to_bytes(4, "little")
        return bytes(data)

    # which key and which algorithm --------------------------------------------------------------------------------

    def _choose(self, key_file: KeyFile, algorithm: str) -> EventCipher:
        """Return the cipher under which the first events are sound; raise `KeyFileError` if none is."""
        key = key_file.key(self._start.key_version)
        ciphers = [EventCipher(key, self._start.nonce, name) for name in (AES_CBC, AES_CTR)]
        while True:
            fitting = next((cipher for cipher in ciphers if self._fits(cipher)), None)
            if fitting is not None or self._ended or len(self._rest) >= _PROBED:
                break
            self._read_more(CHUNK)
        chosen = fitting or ciphers[algorithm == AES_CTR]
        if fitting is None and len(self._rest) >= LOOK and any(self._rest):
            raise KeyFileError(
                f"key 1 (version {self._start.key_version}) of {key_file.path} does not match the log",
                file=self.name,
                offset=self._start.end,
                hint=f"use the key file of the server that wrote the log; with this one, {len(self._rest)} bytes do "
                f"not decrypt to events",
            )
        if algorithm not in ("auto", chosen.algorithm) and fitting is not None:
            raise KeyFileError(
                f"the log is encrypted with {chosen.algorithm}, not {algorithm}",
                file=self.name,
                offset=self._start.end,
                hint="omit --key-algorithm",
            )
        chosen.forget()
        return chosen

    def _fits(self, cipher: EventCipher) -> bool:
        """Whether a cipher makes a sound event of the bytes at hand."""
        window = bytearray(self._rest)
        cipher.forget()
        cipher.run(window, self._base, len(window), self._ended)
        unsound = cipher.unsound(window, self._base, 0)
        for index in range(cipher.count):
            at, length, _ = cipher.event(index)
            if length > 0 and index != unsound:
                return True
            if self._start.checksum and 0 < length <= len(window) - at and _checksum_fits(window[at : at + length]):
                return True
            if index == unsound:
                unsound = cipher.unsound(window, self._base, index + 1)
        return self._find(cipher, self._rest, 0, len(self._rest)) >= 0

    # bytes ----------------------------------------------------------------------------------------------------------

    def _read_more(self, size: int) -> None:
        more = self._raw.read(min(size, CHUNK))
        self._ended = not more
        self._rest += more

    def _pull(self, size: int) -> bytes:
        """Return the next plain bytes, at most a window of them."""
        while not self._ended or self._rest:
            if not self._ended:
                self._read_more(size)
            plain = self._next()
            if plain:
                return plain
        return b""

    def _next(self) -> bytes:
        """Return what can be decrypted of the bytes at hand; bytes between events, and at the very end, as they are."""
        raw = self._rest
        self._moved = False
        if not self._lost and self._cipher.length == 0 and len(raw) >= HEADER:
            self._lost = int.from_bytes(raw[9:13], "little") < HEADER
        if self._lost:
            plain = raw[: self._lost_bytes(raw)]
        else:
            window = bytearray(raw)
            done = self._cipher.run(window, self._base, len(raw), self._ended)
            plain = bytes(memoryview(window)[: self._settle(raw, window, done)])
        if self._ended and not plain and not self._moved:
            plain = raw  # less than a header or a block is left
        self._rest = raw[len(plain) :]
        self._base += len(plain)
        return plain

    def _lost_bytes(self, raw: bytes) -> int:
        """Return how many bytes stand before the next event, or may not belong to one."""
        found = self._find(self._cipher, raw, 0, len(raw))
        if found >= 0:
            self._lost = False
            return self._begin_at(found)
        return len(raw) if self._ended else max(len(raw) - LOOK, 0)

    def _settle(self, raw: bytes, window: bytearray, done: int) -> int:
        """Return how many decrypted bytes are good: those before an event that no length led to, if there is one.

        An event whose header makes no sense may be damaged itself, or have a damaged length and hold others.
        """
        cipher = self._cipher
        if self._suspect:
            found = self._find(cipher, raw, 0, cipher.event(0)[2])
            if found >= 0:
                return self._begin_at(found)
            self._suspect = cipher.count == 1 and cipher.length > 0
        index = cipher.unsound(window, self._base, 0)
        while index >= 0:
            at, length, _ = cipher.event(index)
            end = at + length
            if not self._ended and len(raw) - LOOK < end <= len(raw):
                return self._begin_at(at)  # and look again when what is at its end can be seen
            found = self._find_between(raw, min(end, done))
            if found >= 0:
                return self._begin_at(found)
            self._suspect = end > len(raw)
            index = cipher.unsound(window, self._base, index + 1)
        if cipher.length > 0 and not self._suspect and cipher.proven != cipher.place + cipher.length:
            self._suspect = True  # nothing but its length says that the event continues
            found = self._find_between(raw, done)
            if found >= 0:
                return self._begin_at(found)
        return done

    def _find_between(self, raw: bytes, end: int) -> int:
        """Return where an event begins that no length led to, after the last one that named its end; -1 for none."""
        cipher = self._cipher
        known = {cipher.event(index)[0] for index in range(cipher.count) if cipher.event(index)[1]}
        found = max(cipher.proven - self._base, 0) - 1
        while True:
            found = self._find(cipher, raw, found + 1, end)
            if found not in known:
                return found

    def _begin_at(self, place: int) -> int:
        """Make `place`, among the bytes at hand, the beginning of the next event, and return it."""
        self._cipher.forget()
        self._suspect = False
        self._moved = True
        return place

    def _find(self, cipher: EventCipher, raw: bytes, start: int, end: int) -> int:
        """Return where an event begins in raw[start:end] whose header names its end; -1 for none."""
        last = len(raw) - LOOK + 1
        if self._ended:  # the smallest event is one byte less than what is looked at
            raw += b"\0"
            last += 1
        return cipher.find_header(raw, self._base, start, min(end, last), -1 if self.size is None else self.size)


def _checksum_fits(event: bytearray) -> bool:
    return zlib.crc32(event[:-4]) == int.from_bytes(event[-4:], "little")
