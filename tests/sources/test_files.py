"""Files, pipes and stdin: what arrives, and what a user is told when nothing can."""

from __future__ import annotations

import contextlib
import gc
import io
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import binlogcli
from binlogcli.errors import SourceError
from binlogcli.sources.files import PipeSource
from binlogcli.sources.opening import open_source

if TYPE_CHECKING:
    from typing import IO

    from binlogcli.sources.source import Source

LOG = b"\xfebin" + bytes(range(256)) * 40


def drain(source: Source, size: int = 1000) -> bytes:
    return b"".join(iter(lambda: source.read(size), b""))


def refused(path: object) -> SourceError:
    with pytest.raises(SourceError) as caught:
        open_source(str(path))
    return caught.value


@pytest.fixture
def log(tmp_path: Path) -> str:
    path = tmp_path / "shop-bin.000001"
    path.write_bytes(LOG)
    return str(path)


def test_a_file_is_read_from_front_to_back(log: str) -> None:
    with open_source(log) as source:
        assert (source.name, source.size, source.seekable) == (log, len(LOG), True)
        assert drain(source) == LOG
        assert source.read(1) == b""


def test_a_read_never_gives_more_than_was_asked(log: str) -> None:
    with open_source(log) as source:
        assert source.read(7) == LOG[:7]
        assert source.read(7) == LOG[7:14]


def test_the_head_is_not_consumed(log: str) -> None:
    with open_source(log) as source:
        assert source.head(4) == LOG[:4]
        assert source.head(1 << 20) == LOG
        assert drain(source) == LOG


def test_a_file_can_be_sought_in(log: str) -> None:
    with open_source(log) as source:
        drain(source)
        source.seek(5000)
        assert drain(source) == LOG[5000:]
        source.seek(len(LOG) + 10)
        assert source.read(1) == b""


def test_an_impossible_place_is_a_source_error(log: str) -> None:
    with open_source(log) as source:
        for offset in (-1, 1 << 70):
            with pytest.raises(SourceError):
                source.seek(offset)


def test_closing_twice_does_no_harm(log: str) -> None:
    source = open_source(log)
    source.close()
    source.close()
    with pytest.raises(SourceError):
        source.read(1)


def test_a_file_that_grows_is_read_on(log: str) -> None:
    with open_source(log) as source:
        drain(source)
        with open(log, "ab") as writer:
            writer.write(b"more")
        assert drain(source) == b"more"


def test_an_empty_file_has_no_bytes(tmp_path: Path) -> None:
    path = tmp_path / "empty"
    path.touch()
    with open_source(str(path)) as source:
        assert (source.size, source.head(10), source.read(10)) == (0, b"", b"")


def test_a_fifo_is_a_stream(tmp_path: Path) -> None:
    path = tmp_path / "fifo"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(LOG,))
    writer.start()
    with open_source(str(path)) as source:
        assert (source.size, source.seekable) == (None, False)
        assert source.head(4) == LOG[:4]
        assert drain(source) == LOG
        assert source.read(1) == b""
    writer.join()


def test_a_place_that_no_file_has(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(b"log")
    with open_source(str(tmp_path / "log")) as source, pytest.raises(SourceError, match="cannot continue at"):
        source.seek(1 << 70)


def test_a_stream_cannot_be_sought_in() -> None:
    with open_source("/dev/null") as source, pytest.raises(SourceError, match="cannot seek in a stream"):
        source.seek(0)


def test_a_device_is_a_stream() -> None:
    with open_source("/dev/zero") as source:
        assert (source.size, source.seekable) == (None, False)
        assert source.head(4) == bytes(4)
        assert not any(source.read(5000))


READ_STDIN = """
import sys
from binlogcli.sources.opening import open_source
with open_source("-") as source:
    assert (source.name, source.size, source.seekable) == ("-", None, False)
    source.head(4)
    while data := source.read(1000):
        sys.stdout.buffer.write(data)
"""


def run(
    program: str, *, stdin: IO[bytes] | int | None = None, given: bytes | None = None
) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-c", program]
    return subprocess.run(command, stdin=stdin, input=given, capture_output=True, check=False)


def test_stdin_is_read_raw() -> None:
    assert run(READ_STDIN, given=LOG).stdout == LOG


def test_stdin_may_be_a_file(log: str) -> None:
    with open(log, "rb") as file:
        assert run(READ_STDIN, stdin=file).stdout == LOG


def test_a_stdin_that_another_program_made_non_blocking_is_waited_for() -> None:
    reader, writer = os.pipe()
    os.set_blocking(reader, False)

    def write() -> None:
        os.write(writer, LOG)
        os.close(writer)

    late = threading.Timer(0.3, write)
    late.start()
    done = run(READ_STDIN, stdin=reader)
    late.join()
    os.close(reader)
    assert (done.stdout, done.stderr) == (LOG, b"")


def test_a_stdin_put_in_place_by_a_caller_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(LOG)))
    with open_source("-") as source:
        assert drain(source) == LOG
    assert not sys.stdin.closed


def test_a_closed_stdin_is_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert "stdin is closed" in refused("-").reason


def test_a_stream_that_fails_says_where() -> None:
    source = PipeSource("pipe", os.open("/", os.O_RDONLY))  # as stdin is after `< /`
    with source, pytest.raises(SourceError) as caught:
        source.read(10)
    assert (caught.value.reason, caught.value.file, caught.value.offset) == ("is a directory", "pipe", 0)


def test_a_directory_is_refused_with_what_to_pass(tmp_path: Path) -> None:
    error = refused(tmp_path)
    assert error.line() == f"{tmp_path}: is a directory; pass the log files in it, or its .index file"


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    error = refused(tmp_path / "none.000001")
    assert (error.reason, error.file) == ("no such file", str(tmp_path / "none.000001"))
    assert error.hint


def test_a_missing_file_points_to_its_compressed_copy(tmp_path: Path) -> None:
    (tmp_path / "shop-bin.000001.zst").touch()
    assert "shop-bin.000001.zst" in refused(tmp_path / "shop-bin.000001").hint


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_says_so(log: str) -> None:
    os.chmod(log, 0)
    error = refused(log)
    assert error.reason == "permission denied"
    assert error.hint


def test_a_socket_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mysqld.sock"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        assert "socket" in refused(path).reason


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("a\0b", "not a valid file name"),
        ("\udfff\ud800", "not a valid file name"),
        ("x" * 300, "too long"),
        ("", "no such file"),
        ("/dev/null/x", "no such file"),
    ],
)
def test_a_name_that_cannot_be_is_refused(name: str, reason: str) -> None:
    assert reason in refused(name).reason


def test_links_in_a_circle_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "loop"
    path.symlink_to(path)
    assert "loop" in refused(path).reason


def descriptors_under(directory: Path) -> list[str]:
    """Names of this process's open files in `directory` (other threads open files elsewhere)."""
    names = []
    for link in Path("/proc/self/fd").glob("*"):
        with contextlib.suppress(OSError):
            names.append(os.readlink(link))
    return [name for name in names if name.startswith(str(directory.resolve()))]


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="needs /proc")
def test_no_descriptor_is_left_open(tmp_path: Path, log: str) -> None:
    for path in (tmp_path, tmp_path / "none"):
        refused(path)
    source = open_source(log)
    assert descriptors_under(tmp_path) == [log]
    source.close()
    assert descriptors_under(tmp_path) == []


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="needs /proc")
def test_a_log_that_is_dropped_leaves_no_descriptor_open(tmp_path: Path, log: str) -> None:
    for _ in range(3):
        assert sum(1 for _ in binlogcli.open(log)) > 0
    gc.collect()
    assert descriptors_under(tmp_path) == []


def test_importing_the_package_loads_no_library_of_a_compression() -> None:
    program = """
import sys
before = set(sys.modules)
import binlogcli.sources
print(sorted({"zlib", "gzip", "lzma", "bz2", "zstandard", "pathlib"} & set(sys.modules) - before))
"""
    assert run(program).stdout == b"[]\n"
