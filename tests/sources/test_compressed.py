"""Compressed logs: whole, of several members, cut off, damaged, hostile."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import random
import subprocess
import sys
import threading
import tracemalloc
import zlib
from typing import TYPE_CHECKING

import pytest
import zstandard

from binlogcli.errors import SourceError
from binlogcli.sources.compressed import compression_of
from binlogcli.sources.opening import open_source

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from binlogcli.sources.source import Source

    Open = Callable[[bytes], Source]


def zstd(data: bytes) -> bytes:
    return zstandard.ZstdCompressor(write_checksum=True).compress(data)


COMPRESS = {"gzip": gzip.compress, "zstd": zstd, "xz": lzma.compress, "bzip2": bz2.compress}
KINDS = sorted(COMPRESS)


def log(size: int, seed: int = 1) -> bytes:
    chance = random.Random(seed)
    words = [chance.randbytes(12), b"shop.orders", bytes(9), b"INSERT INTO t VALUES (", chance.randbytes(3)]
    data = b"\xfebin" + b"".join(chance.choice(words) + chance.randbytes(2) for _ in range(size // 8))
    return data[:size]


LOG = log(300_000)


def from_pipe(data: bytes) -> Source:
    """A source whose bytes come only once, and in pieces of odd sizes."""
    reader, writer = os.pipe()

    def feed() -> None:
        with os.fdopen(writer, "wb", buffering=0) as pipe:
            try:
                for start in range(0, len(data), 7001):
                    pipe.write(data[start : start + 7001])
            except BrokenPipeError:
                pass

    threading.Thread(target=feed, daemon=True).start()
    return open_source(f"/dev/fd/{reader}")


@pytest.fixture(params=["file", "pipe"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Open:
    def from_file(data: bytes) -> Source:
        path = tmp_path / "log"
        path.write_bytes(data)
        return open_source(str(path))

    return from_file if request.param == "file" else from_pipe


def drain(source: Source, size: int = 10_000) -> tuple[bytes, SourceError | None]:
    """All that comes, and what ended it; the end stays what it is however often one asks."""
    data = b""
    with source:
        try:
            while piece := source.read(size):
                assert len(piece) <= size
                data += piece
        except SourceError as error:
            with pytest.raises(SourceError):
                source.read(size)
            return data, error
        assert source.read(size) == b""
    return data, None


@pytest.mark.parametrize("kind", KINDS)
def test_a_compressed_log_is_read_through(kind: str, opened: Open) -> None:
    data = COMPRESS[kind](LOG)
    assert compression_of(data[:10]) == kind
    source = opened(data)
    assert (source.size, source.seekable) == (None, False)
    assert drain(source) == (LOG, None)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [1, 13, 1 << 20])
def test_reads_of_any_size_give_the_same(kind: str, size: int, opened: Open) -> None:
    assert drain(opened(COMPRESS[kind](LOG[:5000])), size) == (LOG[:5000], None)


@pytest.mark.parametrize("kind", KINDS)
def test_the_head_is_that_of_the_decompressed_stream(kind: str, opened: Open) -> None:
    source = opened(COMPRESS[kind](LOG))
    assert source.head(4) == b"\xfebin"
    assert source.head(70_000) == LOG[:70_000]
    assert drain(source) == (LOG, None)


@pytest.mark.parametrize("kind", KINDS)
def test_members_one_after_the_other_are_one_log(kind: str, opened: Open) -> None:
    parts = [LOG[:1], LOG[1:100_000], b"", LOG[100_000:100_600], LOG[100_600:]]
    assert drain(opened(b"".join(COMPRESS[kind](part) for part in parts))) == (LOG, None)


@pytest.mark.parametrize("kind", KINDS)
def test_many_small_members_are_one_log(kind: str, opened: Open) -> None:
    parts = [LOG[start : start + 700] for start in range(0, 70_000, 700)]
    assert drain(opened(b"".join(COMPRESS[kind](part) for part in parts))) == (LOG[:70_000], None)


@pytest.mark.parametrize("kind", KINDS)
def test_zeros_that_fill_up_the_end_are_passed_over(kind: str, opened: Open) -> None:
    assert drain(opened(COMPRESS[kind](LOG) + bytes(10_240))) == (LOG, None)


@pytest.mark.parametrize("kind", KINDS)
def test_an_empty_log_compressed_is_empty(kind: str, opened: Open) -> None:
    assert drain(opened(COMPRESS[kind](b""))) == (b"", None)


def test_zstd_frames_to_be_skipped_are_skipped(opened: Open) -> None:
    skipped = b"\x50\x2a\x4d\x18\x05\0\0\0hello"
    assert drain(opened(skipped + zstd(LOG) + skipped)) == (LOG, None)


@pytest.mark.parametrize("kind", KINDS)
def test_of_a_log_cut_off_all_that_is_there_comes_first(kind: str, opened: Open) -> None:
    whole = COMPRESS[kind](LOG)
    for size in (len(whole) - 1, len(whole) - 5, len(whole) // 2, 20):
        data, error = drain(opened(whole[:size]))
        assert error is not None
        assert f"the {kind} data is truncated after {size} compressed bytes" in error.reason
        assert error.offset == len(data)
        assert LOG.startswith(data)
        if size == len(whole) - 1:  # of the checksum
            assert data == LOG


def test_a_cut_gzip_gives_each_byte_that_it_holds(opened: Open) -> None:
    whole = gzip.compress(bytes(1000) + LOG)
    for size in (100, 1000, 50_000):
        expected = zlib.decompressobj(31).decompress(whole[:size])
        assert drain(opened(whole[:size]))[0] == expected


@pytest.mark.parametrize("kind", KINDS)
def test_a_cut_between_members_is_no_cut(kind: str, opened: Open) -> None:
    assert drain(opened(COMPRESS[kind](LOG[:1000]))) == (LOG[:1000], None)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [100, 5000, 300_000])
def test_a_wrong_checksum_costs_no_byte(kind: str, size: int, opened: Open) -> None:
    data = bytearray(COMPRESS[kind](LOG[:size]))
    # where a checksum stands; xz's is followed by an index, and that by 12 bytes that tell the index's size
    index_size = 4 * (int.from_bytes(data[-8:-4], "little") + 1)
    place = {"gzip": -6, "zstd": -2, "xz": -12 - index_size - 1, "bzip2": 12}[kind]
    data[place] ^= 0xFF
    got, error = drain(opened(bytes(data)))
    assert error is not None
    assert "is damaged at compressed byte" in error.reason
    assert error.hint
    assert error.offset == len(got)
    # the library of bzip2 keeps the byte after which it finds its checksum wrong
    assert got == (LOG[: size - 1] if kind == "bzip2" else LOG[:size])


@pytest.mark.parametrize("kind", KINDS)
def test_what_comes_before_a_damaged_member_is_given(kind: str, opened: Open) -> None:
    first, second = COMPRESS[kind](LOG[:100_000]), bytearray(COMPRESS[kind](LOG[100_000:]))
    second[len(second) // 2] ^= 0x55
    second[-3] ^= 0x55
    data, error = drain(opened(first + second))
    assert data[:100_000] == LOG[:100_000]
    assert error is not None
    assert "damaged" in error.reason


@pytest.mark.parametrize("kind", KINDS)
def test_bytes_after_the_end_that_are_no_member_are_reported(kind: str, opened: Open) -> None:
    data, error = drain(opened(COMPRESS[kind](LOG) + b"this is no member at all" * 3))
    assert data == LOG
    assert error is not None
    assert "damaged" in error.reason


def test_damage_far_into_a_file_costs_no_byte(tmp_path: Path) -> None:
    content = random.Random(2).randbytes(3 << 20)  # more than is kept of a pipe
    data = bytearray(gzip.compress(content))
    data[-6] ^= 0xFF
    path = tmp_path / "log.gz"
    path.write_bytes(data)
    got, error = drain(open_source(str(path)))
    assert got == content
    assert error is not None


def test_damage_far_into_a_pipe_costs_little() -> None:
    content = random.Random(2).randbytes(3 << 20)
    data = bytearray(gzip.compress(content))
    data[-6] ^= 0xFF
    got, error = drain(from_pipe(bytes(data)))
    assert content.startswith(got)
    assert len(content) - len(got) < 1 << 14
    assert error is not None


@pytest.mark.parametrize("kind", KINDS)
def test_mutated_data_is_never_anything_but_a_source_error(kind: str, tmp_path: Path) -> None:
    chance = random.Random(3)
    whole = COMPRESS[kind](LOG[:3000])
    path = tmp_path / "log"
    for _ in range(150):
        data = bytearray(whole)
        for _ in range(chance.randint(1, 4)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        path.write_bytes(data[: chance.randint(1, len(data))])
        drain(open_source(str(path)))


def zeros(kind: str, mib: int) -> bytes:
    if kind == "zstd":  # made small by hand: a block of one repeated byte takes four bytes
        block = (1 << 1 | (128 << 10) << 3).to_bytes(3, "little") + b"\0"
        last = (1 | 1 << 1 | 1 << 3).to_bytes(3, "little") + b"\0"
        return b"\x28\xb5\x2f\xfd\0\x58" + block * (mib * 8) + last
    return COMPRESS[kind](bytes(mib << 20))


@pytest.mark.parametrize("kind", KINDS)
def test_a_bomb_costs_no_more_than_a_window(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "bomb"
    path.write_bytes(zeros(kind, 96))
    tracemalloc.start()
    try:
        with open_source(str(path)) as source:
            total = 0
            while total < 90 << 20:
                piece = source.read(1 << 18)
                assert 0 < len(piece) <= 1 << 18
                total += len(piece)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 40 << 20


RESIDENT = """
import resource, sys
from binlogcli.sources.opening import open_source
with open_source(sys.argv[1]) as source:
    first = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    while source.read(1 << 18):
        pass
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - first)
"""


@pytest.mark.parametrize("kind", KINDS)
def test_a_bomb_leaves_the_process_small(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "bomb"
    path.write_bytes(zeros(kind, 96))
    done = subprocess.run([sys.executable, "-c", RESIDENT, str(path)], capture_output=True, check=True)
    assert int(done.stdout) < 60 << 10  # kilobytes


def xz_with_window(code: int) -> bytes:
    """The start of an xz file: a block header of 12 bytes gives the window of its one filter as a code."""
    header = bytes([2, 0, 0x21, 1, code, 0, 0, 0])
    return lzma.compress(b"")[:12] + header + zlib.crc32(header).to_bytes(4, "little") + bytes(20)


@pytest.mark.parametrize("data", [b"\x28\xb5\x2f\xfd\0\xa8\x01\0\0", xz_with_window(38)], ids=["zstd", "xz"])
def test_a_window_of_2_gib_is_refused_with_a_way_out(data: bytes, opened: Open) -> None:
    _, error = drain(opened(data))
    assert error is not None
    assert "128 MiB of memory" in error.reason
    assert "zstd --long=31" in error.hint


@pytest.mark.parametrize("kind", KINDS)
def test_only_the_first_layer_is_opened(kind: str, opened: Open) -> None:
    inner = COMPRESS[kind](LOG[:1000])
    assert drain(opened(COMPRESS[kind](inner))) == (inner, None)


@pytest.mark.parametrize("head", [b"", b"\xfebin", b"\xfdbin\x01", b"BZh9 and so on", b"\x28\xb5\x2f", b"P\x2a\x4d"])
def test_other_first_bytes_are_left_as_they_are(head: bytes, opened: Open) -> None:
    assert compression_of(head) is None
    assert drain(opened(head)) == (head, None)


def test_a_compressed_stdin_is_read_through(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(LOG))))
    source = open_source("-")
    assert source.name == "-"
    assert drain(source) == (LOG, None)
