"""Encrypted logs of MariaDB against an encryptor that shares nothing with the program, and against the servers' own."""

from __future__ import annotations

from pathlib import Path

import pytest

from binlogcli.binary import kernel
from binlogcli.crypto.event_cipher import EventCipher
from binlogcli.crypto.key_file import KeyFile
from binlogcli.crypto.keys import Keys
from binlogcli.crypto.opening import open_decrypted
from binlogcli.crypto.start import find_encryption
from binlogcli.errors import KeyFileError
from binlogcli.events.stream import EventStream
from binlogcli.log.gaps import Damage
from support.encrypted_logs import NONCE, encrypt_event, encrypt_mariadb, read_all
from support.golden import GOLDEN
from support.logs import IGNORABLE, raw_events, small_log
from support.reading import MemorySource

ALGORITHMS = ("aes-cbc", "aes-ctr")
KEY = bytes(range(32))
BIG = GOLDEN / "mariadb-10.11" / "names-wide" / "shop-bin.000001"  # events of all sizes, over several windows


def stored(log: bytes, piece: int = 1 << 16) -> MemorySource:
    source = MemorySource(log, chunk=piece)
    source.seekable = True
    return source


def keys(key: bytes = KEY, version: int = 1, algorithm: str = "auto") -> Keys:
    return Keys(KeyFile("keys.txt", {(1, version): bytearray(key)}), algorithm=algorithm)


def decrypted(log: bytes, piece: int = 1 << 16, size: int = 1 << 16, **options: object) -> bytes:
    return read_all(open_decrypted(stored(log, piece), keys(**options)), size)  # type: ignore[arg-type]


def damages(log: bytes) -> list[tuple[int, int]]:
    stream = EventStream(open_decrypted(stored(log), keys()))
    return [(item.start, item.end) for item in stream if isinstance(item, Damage)]


def places(log: bytes) -> list[tuple[int, int]]:
    return [(at, at + len(event)) for at, event in raw_events(log)]


@pytest.fixture(scope="module")
def plain() -> bytes:
    if BIG.exists():
        return BIG.read_bytes()
    return max((path.read_bytes() for path in GOLDEN.glob("mariadb-1*/*/shop-bin.000001")), key=len)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize(
    "scenario", sorted(path.parent for path in GOLDEN.glob("mariadb-*/enc-*/plain-shop-bin.000001"))
)
def test_the_encryptor_writes_what_the_server_wrote(scenario: Path, algorithm: str) -> None:
    if algorithm[4:] not in scenario.name:
        pytest.skip("of the other algorithm")
    log = (scenario / "shop-bin.000001").read_bytes()
    key = next(line for line in (scenario / "keys.txt").read_text().splitlines() if line.startswith("1;"))
    start = list(raw_events(log))[1][1]
    encrypted, sent = encrypt_mariadb(
        (scenario / "plain-shop-bin.000001").read_bytes(), bytes.fromhex(key[2:]), algorithm, start[24:36]
    )
    assert encrypted == log
    assert sent == (scenario / "plain-shop-bin.000001").read_bytes()


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("size", [16, 24, 32])
def test_a_log_comes_out_as_its_server_sends_it(plain: bytes, algorithm: str, size: int) -> None:
    log, sent = encrypt_mariadb(plain, KEY[:size], algorithm)
    assert decrypted(log, key=KEY[:size]) == sent


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("piece", [1, 7, 19, 100, 4096, 65535])
def test_it_does_not_matter_in_which_pieces_a_log_comes(plain: bytes, algorithm: str, piece: int) -> None:
    short = plain[: [end for _, end in places(plain) if end < (3000 if piece < 100 else 90000)][-1]]
    log, sent = encrypt_mariadb(short, KEY, algorithm)
    assert decrypted(log, piece) == sent
    assert decrypted(log, size=piece) == sent


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("kept", range(1, 60))
def test_a_log_may_be_cut_anywhere(plain: bytes, algorithm: str, kept: int) -> None:
    log, sent = encrypt_mariadb(plain, KEY, algorithm)
    (start, end) = places(sent)[9]
    whole = decrypted(log[: start + min(kept, end - start)])
    assert len(whole) == start + min(kept, end - start)
    assert whole[:start] == sent[:start]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("at", [5, 9, 10, 11, 12, 14, 18, 25, -1])
def test_damage_costs_its_own_event_alone(plain: bytes, algorithm: str, at: int) -> None:
    log, sent = encrypt_mariadb(plain, KEY, algorithm)
    for index in (2, 5, 20):
        start, end = places(sent)[index]
        damaged = bytearray(log)
        damaged[start + at if at > 0 else end + at] ^= 0x41
        assert damages(bytes(damaged)) == [(start, end)]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_each_flipped_bit_before_the_first_encrypted_event_costs_its_own_event_alone(
    plain: bytes, algorithm: str
) -> None:
    log, sent = encrypt_mariadb(plain[: places(plain)[5][1]], KEY, algorithm)
    for start, end in ((0, 4), *places(sent)[:2]):
        for at in range(start, end):
            for bit in range(8):
                if (at, bit) != (4 + 17, 0):  # LOG_EVENT_BINLOG_IN_USE_F: no checksum covers it
                    damaged = log[:at] + bytes([log[at] ^ 1 << bit]) + log[at + 1 :]
                    assert damages(damaged) == [(start, end)], (at, bit)


def test_a_damaged_flag_does_not_make_a_plain_log_an_encrypted_one(plain: bytes) -> None:
    _, sent = encrypt_mariadb(plain, KEY, "aes-ctr")
    damaged = bytearray(sent)
    damaged[places(sent)[1][0] + 17] ^= IGNORABLE
    source = stored(bytes(damaged))
    assert open_decrypted(source, keys()) is source
    assert damages(bytes(damaged)) == [places(sent)[1]]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_hole_costs_the_events_that_it_touches(plain: bytes, algorithm: str) -> None:
    log, sent = encrypt_mariadb(plain, KEY, algorithm)
    first, last = places(sent)[8], places(sent)[12]
    damaged = bytearray(log)
    damaged[first[0] + 6 : last[1] - 3] = bytes(last[1] - first[0] - 9)
    assert damages(bytes(damaged)) == [(first[0], last[1])]


def test_zeros_after_the_last_event_are_padding(plain: bytes) -> None:
    log, sent = encrypt_mariadb(plain, KEY, "aes-ctr")
    assert decrypted(log + bytes(70000)) == sent + bytes(70000)
    assert damages(log + bytes(70000)) == []


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_reading_goes_on_at_any_event(plain: bytes, algorithm: str) -> None:
    log, sent = encrypt_mariadb(plain, KEY, algorithm)
    source = open_decrypted(stored(log), keys())
    for start, _ in [*places(sent)[1:12:3], places(sent)[-1], (0, 0), (4, 0)]:
        source.seek(start)
        assert read_all(source) == sent[start:]
    source.seek(places(sent)[9][0] - 3)  # between events: the next one is found
    assert read_all(source)[3:] == sent[places(sent)[9][0] :]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_beyond_four_gigabytes_the_place_counts_modulo_two_to_the_32(plain: bytes, algorithm: str) -> None:
    event = dict(raw_events(plain))[places(plain)[4][0]]
    for place in (0xFFFFFFF0, 0x1_0000_0000, 0x7_FFFF_FFFF, 0xFFFF_FFFF_00FF):
        window = bytearray(encrypt_event(event, place, KEY, NONCE, algorithm))
        cipher = EventCipher(KEY, NONCE, algorithm)
        assert cipher.run(window, place, len(window), True) == len(window)
        assert window == event


@pytest.mark.parametrize("nonce", [bytes(12), b"\xff" * 12])
def test_the_counter_carries_into_the_nonce(nonce: bytes) -> None:
    event = bytes(range(9)) + (70000).to_bytes(4, "little") + bytes(70000 - 13)
    place = 0xFFFFFFFF
    window = bytearray(encrypt_event(event, place, KEY, nonce, "aes-ctr"))
    EventCipher(KEY, nonce, "aes-ctr").run(window, place, len(window), True)
    assert window == event


def test_primitives_do_not_leave_their_buffers() -> None:
    if not hasattr(kernel, "fill_counters"):
        pytest.skip("compiled in")
    with pytest.raises(IndexError):
        kernel.fill_counters(bytearray(16), 8, bytes(16), 0, 1)
    with pytest.raises(IndexError):
        kernel.xor(bytearray(8), 0, bytes(8), 1, bytes(8), 0, 8)
    with pytest.raises(IndexError):
        kernel.copy_range(bytearray(8), 0, bytes(8), -1, 3)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_wrong_key_is_called_one(plain: bytes, algorithm: str) -> None:
    log, _ = encrypt_mariadb(plain, KEY, algorithm)
    with pytest.raises(KeyFileError, match="does not match the log"):
        decrypted(log, key=bytes(32))


def test_a_damaged_first_event_is_no_wrong_key(plain: bytes) -> None:
    log, sent = encrypt_mariadb(plain, KEY, "aes-cbc")
    start, end = places(sent)[2]
    damaged = log[:start] + bytes(reversed(log[start:end])) + log[end:]
    assert damages(damaged) == [(start, end)]


def test_a_missing_version_is_named(plain: bytes) -> None:
    log, _ = encrypt_mariadb(plain, KEY, "aes-cbc", version=3)
    assert decrypted(log, version=3)
    with pytest.raises(KeyFileError, match="in version 2, but the log needs version 3"):
        decrypted(log, version=2)


def test_an_algorithm_that_was_named_wrong_is_told_of(plain: bytes) -> None:
    log, _ = encrypt_mariadb(plain, KEY, "aes-ctr")
    with pytest.raises(KeyFileError, match="encrypted with aes-ctr, not aes-cbc"):
        decrypted(log, algorithm="aes-cbc")


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_without_checksums_positions_prove_the_key(algorithm: str) -> None:
    scenario = GOLDEN / "mariadb-10.5" / "compress-default"
    log, sent = encrypt_mariadb((scenario / "shop-bin.000001").read_bytes(), KEY, algorithm)
    assert decrypted(log) == sent
    with pytest.raises(KeyFileError):
        decrypted(log, key=bytes(32))


def test_a_log_that_was_sent_is_plain(plain: bytes) -> None:
    _, sent = encrypt_mariadb(plain, KEY, "aes-cbc")
    source = stored(sent)
    assert open_decrypted(source, keys()) is source


@pytest.mark.parametrize("size", range(24))
def test_a_format_description_of_too_few_bytes_begins_no_encrypted_log(size: int) -> None:
    log = bytearray(small_log(1))
    log[13:17] = size.to_bytes(4, "little")
    assert find_encryption(stored(bytes(log))) is None
