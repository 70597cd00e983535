"""Decrypts the events of MariaDB's encrypted logs, many of them in few calls of AES.

Each event is encrypted on its own, under an IV of the log's nonce and the event's place. A window of the log holds
hundreds of events, so that a cipher made for each would cost more than all the rest: the blocks of all events
(CBC: of cipher text; CTR: counters) are gathered, go through AES in one call, and are combined with what chains them.

Bytes 4 to the end of an event are cipher text, but for its length at 9..12, which stays readable; the four bytes that
belong there stand at 0..3. Whether bytes are an event at all is judged by `sound` and `find_header`; that an event
is undamaged, by the log reader.
"""

from __future__ import annotations

from array import array

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from binlogcli.binary import kernel
from binlogcli.crypto.start import HEADER, LOOK
from binlogcli.names.event_types import KNOWN_TYPES

AES_CBC = "aes-cbc"
AES_CTR = "aes-ctr"

CAPACITY = 3 << 16  # bytes of the largest window
BLOCK = 16
CLEAR = 4  # bytes of an event before its cipher text
UNKNOWN_FLAGS = 0x3C00
MASK32 = 0xFFFFFFFF
CANDIDATES = 4096
RUN = 5  # numbers kept of each run of cipher text in a window:
AT = 0  # where it begins in the window
SIZE = 1
GATHERED = 2  # where its blocks are in `blocks`
TAIL = 3  # where the key stream of its last, partial block is in `tails`, or -1
LENGTH = 4  # the event's length where the run begins one, else 0


def u4(data: bytes | bytearray, at: int) -> int:
    """Return the little-endian number in four bytes."""
    value = data[at + 3]
    value = value << 8 | data[at + 2]
    value = value << 8 | data[at + 1]
    return value << 8 | data[at]


class EventCipher:
    """Decrypts windows of events in place; an event may continue from one window to the next."""

    def __init__(self, key: bytes | bytearray, nonce: bytes, algorithm: str) -> None:
        self.algorithm = algorithm
        self.counting = algorithm == AES_CTR
        cipher = Cipher(algorithms.AES(key), modes.ECB())  # noqa: S305 - the modes are made of single blocks, here
        self.encrypt = cipher.encryptor().update_into
        self.decrypt = cipher.decryptor().update_into
        self.iv = bytearray(nonce.ljust(BLOCK, b"\0"))
        self.chain = bytearray(BLOCK)  # the last block of cipher text of the event that continues
        self.blocks = bytearray(2 * CAPACITY)
        self.ciphered = bytearray(2 * CAPACITY + BLOCK)
        self.tails = bytearray(CAPACITY)
        self.streams = bytearray(CAPACITY + BLOCK)
        self.runs = array("q", bytes(8 * RUN * (CAPACITY // HEADER + 2)))
        self.places = array("q", bytes(8 * CANDIDATES))
        self.known = KNOWN_TYPES
        self.count = self.filled = self.tailed = self.nominated = 0
        self.place = 0  # of the event at hand
        self.length = 0  # of the event that continues in the next window; 0 where none does
        self.done = 0  # bytes of its cipher text that were decrypted
        self.delta = 0  # by how much the events' own positions differ from where they stand: not 0 in relay logs
        self.heard = 0
        self.heard_at = -1
        self.proven = -1  # the end of the last event that names its own end

    def forget(self) -> None:
        """Drop the event that continues: the next window begins with an event."""
        self.length = 0
        self.proven = -1

    def run(self, window: bytearray, base: int, size: int, ended: bool) -> int:
        """Decrypt the events in window[:size], which is at `base` in the log; return the number of bytes decrypted.

        It stops where there are no events, and before bytes that need the next window.
        """
        end = self.collect(window, base, size, size if ended else size - LOOK)
        if self.filled > 0:
            work = self.encrypt if self.counting else self.decrypt
            work(memoryview(self.blocks)[: self.filled], self.ciphered)
        if self.tailed > 0:
            self.encrypt(memoryview(self.tails)[: self.tailed], self.streams)
        self.apply(window)
        return end

    def collect(self, window: bytearray, base: int, size: int, usable: int) -> int:
        """Gather the blocks of all events; return the place after them."""
        self.count = self.filled = self.tailed = 0
        at = 0
        if self.length > 0:
            at = self.take(window, 0, size, usable, 0)
        while self.length == 0 and at + HEADER <= size:
            length = u4(window, at + 9)
            if length < HEADER or (at + length > size and at + LOOK > usable):
                break
            self.place = base + at
            self.set_place(self.place)
            self.length = length
            self.done = 0
            kernel.copy_range(window, at + 9, window, at, at + 4)
            at = self.take(window, at + CLEAR, size, usable, length)
        return at

    def set_place(self, place: int) -> None:
        """Put an event's place in the log into the last four bytes of the IV."""
        for at in range(12, 16):
            self.iv[at] = place & 0xFF
            place >>= 8

    def take(self, window: bytearray, at: int, size: int, usable: int, length: int) -> int:
        """Gather what window[at:size] has of the current event, whole or in blocks; return the place after it."""
        took = self.length - CLEAR - self.done
        whole = took <= size - at
        if not whole:
            took = (usable - at) // BLOCK * BLOCK if usable > at else 0
        run = self.count * RUN
        self.runs[run + AT] = at
        self.runs[run + SIZE] = took
        self.runs[run + GATHERED] = self.filled
        self.runs[run + TAIL] = -1
        self.runs[run + LENGTH] = length
        self.count += 1
        if self.counting:
            blocks = (took + BLOCK - 1) // BLOCK
            kernel.fill_counters(self.blocks, self.filled, self.iv, self.done // BLOCK, blocks)
            self.filled += BLOCK * blocks
        else:
            self.take_chained(window, at, took, run)
        self.done += took
        if whole:
            self.length = 0
        return at + took

    def take_chained(self, window: bytearray, at: int, took: int, run: int) -> None:
        """Gather for CBC: each block of cipher text after the block before it; the IV for a partial block."""
        full = took // BLOCK * BLOCK
        if full > 0:
            kernel.copy_range(self.blocks, self.filled, self.iv if self.done == 0 else self.chain, 0, BLOCK)
            kernel.copy_range(self.blocks, self.filled + BLOCK, window, at, at + full)
            kernel.copy_range(self.chain, 0, window, at + full - BLOCK, at + full)
            self.filled += BLOCK + full
        if took > full:
            kernel.copy_range(self.tails, self.tailed, self.iv, 0, BLOCK)
            self.runs[run + TAIL] = self.tailed
            self.tailed += BLOCK

    def apply(self, window: bytearray) -> None:
        """Put the plain text in the place of the cipher text, and the headers' bytes where they belong."""
        for index in range(self.count):
            run = index * RUN
            at = self.runs[run + AT]
            size = self.runs[run + SIZE]
            gathered = self.runs[run + GATHERED]
            tail = self.runs[run + TAIL]
            length = self.runs[run + LENGTH]
            if self.counting:
                kernel.xor(window, at, window, at, self.ciphered, gathered, size)
            else:
                full = size // BLOCK * BLOCK
                if full > 0:
                    kernel.xor(window, at, self.ciphered, gathered + BLOCK, self.blocks, gathered, full)
                if tail >= 0:
                    kernel.xor(window, at + full, window, at + full, self.streams, tail, size - full)
            if length > 0:
                at -= CLEAR
                kernel.copy_range(window, at, window, at + 9, at + 13)
                for byte in range(at + 9, at + 13):
                    window[byte] = length & 0xFF
                    length >>= 8

    # what was decrypted -----------------------------------------------------------------------------------------

    def unsound(self, window: bytearray, base: int, index: int) -> int:
        """Return the first run from `index` on that begins an event with a senseless header; -1 for none.

        The event has a wrong length, or is damaged, or the bytes are no event.
        """
        while index < self.count:
            length = self.runs[index * RUN + LENGTH]
            if length > 0 and not self.sound(window, base, self.runs[index * RUN + AT] - CLEAR, length):
                return index
            index += 1
        return -1

    def event(self, index: int) -> tuple[int, int, int]:
        """Return where a run begins an event in the window, the event's length (0: it continues), and the run's."""
        run = index * RUN
        return self.runs[run + AT] - CLEAR, self.runs[run + LENGTH], self.runs[run + SIZE]

    def sound(self, window: bytearray, base: int, at: int, length: int) -> bool:
        """Whether a plain event's header names the event's end, or at least could be one."""
        log_pos = u4(window, at + 13)
        if log_pos == 0:
            return self.known[window[at + 4]] != 0 and (window[at + 18] << 8) & UNKNOWN_FLAGS == 0
        delta = (log_pos - (base + at + length)) & MASK32
        if delta == self.heard and base + at != self.heard_at:
            self.delta = delta  # two events agree
        self.heard = delta
        self.heard_at = base + at
        if delta not in (0, self.delta):
            return False
        self.proven = base + at + length
        return True

    def find_header(self, window: bytes, base: int, start: int, end: int, log_size: int) -> int:
        """Return the first place in window[start:end] where a decrypted header makes sense; -1 for none.

        `LOOK` bytes must stand at each of these places. `log_size` is -1 where it is not known.
        """
        at = start
        found = -1
        while at < end and found < 0:
            at = self.nominate(window, base, at, end, log_size)
            if self.nominated > 0:
                used = self.nominated * BLOCK
                self.encrypt(memoryview(self.tails)[:used], self.streams)
                self.decrypt(memoryview(self.blocks)[:used], self.ciphered)
                found = self.elect(window, base)
        self.set_place(self.place)  # of the event that may continue
        return found

    def nominate(self, window: bytes, base: int, at: int, end: int, log_size: int) -> int:
        """Gather the first blocks at places that show a possible length; return the place to continue from."""
        self.nominated = 0
        while at < end and self.nominated < CANDIDATES:
            length = u4(window, at + 9)
            if HEADER <= length <= 1 << 30 and (log_size < 0 or base + at + length <= log_size):
                slot = self.nominated * BLOCK
                self.set_place(base + at)
                kernel.copy_range(self.tails, slot, self.iv, 0, BLOCK)
                kernel.copy_range(self.blocks, slot, window, at + CLEAR, at + CLEAR + BLOCK)
                kernel.copy_range(self.blocks, slot + 9 - CLEAR, window, at, at + 4)
                self.places[self.nominated] = at
                self.nominated += 1
            at += 1
        return at

    def elect(self, window: bytes, base: int) -> int:
        """Return the first gathered place whose decrypted header makes sense; -1 for none."""
        for index in range(self.nominated):
            at = self.places[index]
            length = u4(window, at + 9)
            slot = index * BLOCK
            # counter mode, as also CBC for what is less than a block, combines with the encrypted IV
            if self.counting or length < LOOK:
                kernel.xor(self.blocks, slot, self.blocks, slot, self.streams, slot, BLOCK)
            else:
                kernel.xor(self.blocks, slot, self.ciphered, slot, self.tails, slot, BLOCK)
            log_pos = u4(self.blocks, slot + 13 - CLEAR)
            delta = (log_pos - (base + at + length)) & MASK32
            if not self.known[self.blocks[slot]] or (self.blocks[slot + 18 - CLEAR] << 8) & UNKNOWN_FLAGS:
                continue
            if log_pos == 0 or delta in (0, self.delta):
                return at
        return -1
