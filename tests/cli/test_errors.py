"""What is not a log, what cannot be read, and who does not listen: one clear line each, and never a traceback."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import os
import struct
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from support.golden import GOLDEN
from support.logs import MAGIC, MARIADB, LogBuilder, small_log
from support.program import run

DONE, DAMAGED, UNUSABLE = 0, 1, 2
STOP, XID = 3, 16

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\10\6\0\0\0\x1f\x15\xc4\x89" + bytes(range(256))
GTID_INDEX = b"\xfe\xfe\x0c\x01\1\0\0\0" + struct.pack("<I", 4096) + bytes(4084)
ARIA_CONTROL = b"\xfe\xfe\x0c\x01\2\0\x08\0" + bytes(range(44))
TABLESPACE = bytes(24) + b"\0\x08" + bytes(8) + b"\0\0\0\5\0\0\0\5" + bytes(4) + b"\0\0\0\7" + bytes(16334)

SHOP = GOLDEN / "mariadb-10.11" / "rows" / "shop-bin.000001"


def complaint(folder: Path, content: bytes, name: str = "file") -> tuple[int, str]:
    """The exit status for a file, and the one line that is said of it."""
    path = folder / name
    path.write_bytes(content)
    done = run("dump", "--format", "json", path)
    (line,) = done.stderr.decode().splitlines()
    assert line.startswith(f"binlogcli: {path}: ")
    return done.returncode, line.removeprefix(f"binlogcli: {path}: ")


NO_LOGS = {
    "an empty file": (b"", "an empty file, not a binary log; "),
    "a text": (b"Dear reader,\nthis is no log.\n" * 9, "a text file, not a binary log; "),
    "a picture": (PNG, "a PNG image, not a binary log; "),
    "a tablespace": (TABLESPACE, "an InnoDB tablespace, not a binary log; "),
    "an aria control file": (ARIA_CONTROL, "an Aria log control file, not a binary log; "),
    "a gtid index": (GTID_INDEX, "a MariaDB GTID index (.idx), not a binary log; "),
    "a gtid state": (b"0-101-5\n1-102-77\n", "a MariaDB GTID state file (.state), not a binary log; "),
    "zeros": (bytes(5000), "nothing but zero bytes, not a binary log; "),
    "packed text": (gzip.compress(b"Dear reader,\nthis is no log.\n" * 9), "a text file, not a binary log; "),
    "noise": (bytes(x * x % 251 for x in range(9999)), "not a binary log: no events found"),
    "three bytes of magic": (MAGIC[:3], "not a binary log: no events found"),
    "an encrypted log": (b"\xfdbin\1" + bytes(507), "encrypted"),
}


@pytest.mark.parametrize("what", NO_LOGS)
def test_what_is_no_log_is_called_what_it_is(tmp_path: Path, what: str) -> None:
    content, words = NO_LOGS[what]
    status, line = complaint(tmp_path, content)
    assert status == UNUSABLE
    assert words in line


def test_a_missing_file_is_told_of(tmp_path: Path) -> None:
    done = run("dump", tmp_path / "missing.000001")
    assert done.returncode == UNUSABLE
    assert done.stderr.decode() == f"binlogcli: {tmp_path}/missing.000001: no such file; check the name\n"


def test_a_directory_asks_for_the_files_in_it(tmp_path: Path) -> None:
    done = run("dump", tmp_path)
    assert done.returncode == UNUSABLE
    assert done.stderr.decode() == (
        f"binlogcli: {tmp_path}: is a directory; pass the log files in it, or its .index file\n"
    )


@pytest.mark.parametrize("pack", [gzip.compress, partial(bz2.compress, compresslevel=1), lzma.compress])
def test_a_compressed_log_that_is_cut_off_gives_the_events_before_the_cut(
    tmp_path: Path, pack: Callable[[bytes], bytes]
) -> None:
    packed = pack(small_log(9000))  # bzip2 gives nothing of a block of 100 kB that is not whole
    path = tmp_path / "log.packed"
    path.write_bytes(packed[: len(packed) // 2])
    done = run("dump", "--format", "json", path)
    assert done.returncode == DAMAGED
    lines = done.stderr.decode().splitlines()
    assert any("is truncated after" in line for line in lines)
    assert all(line.startswith(f"binlogcli: {path}: at ") for line in lines)
    assert done.stdout.count(b"XID_EVENT") > 10


@pytest.mark.parametrize("form", ["json", "sql", "mysqlbinlog"])
def test_after_a_log_that_breaks_off_the_next_one_is_read(tmp_path: Path, form: str) -> None:
    path = tmp_path / "first.gz"
    packed = gzip.compress(small_log(2000))
    path.write_bytes(packed[: len(packed) // 2])
    done = run("dump", "--format", form, path, SHOP)
    assert done.returncode == DAMAGED
    assert b"customers" in done.stdout


@pytest.mark.parametrize("command", ["dump --format json", "dump --format sql", "dump", "hexdump"])
def test_after_a_log_without_an_event_the_next_one_is_read(tmp_path: Path, command: str) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"\xfebin" + b"\x55" * 300)
    done = run(*command.split(), path, SHOP)
    assert done.returncode in (DAMAGED, UNUSABLE)
    assert b"customers" in done.stdout


@pytest.mark.parametrize("command", ["dump -r {}", "dump --format json -r {}", "hexdump --export {}"])
def test_an_output_that_is_an_input_is_refused(tmp_path: Path, command: str) -> None:
    path = tmp_path / "log.svg"
    path.write_bytes(small_log())
    linked = tmp_path / "linked.svg"
    linked.symlink_to(path)
    for name in (path, linked):
        done = run(*command.format(name).split(), path)
        assert done.returncode == UNUSABLE
        assert done.stderr.decode() == f"binlogcli: {name}: is also an input; choose another name\n"
        assert path.read_bytes() == small_log()


def test_an_output_takes_the_place_of_an_older_one_when_it_is_whole(tmp_path: Path) -> None:
    path, result = tmp_path / "log", tmp_path / "result"
    path.write_bytes(small_log())
    result.write_text("older")
    done = run("dump", "-r", result, path)
    assert done.returncode == 0
    assert result.read_bytes() == run("dump", path).stdout
    assert result.stat().st_mode & 0o777 == path.stat().st_mode & 0o777
    assert sorted(file.name for file in tmp_path.iterdir()) == ["log", "result"]


@pytest.mark.parametrize("cut", [30, 130, 140, 150])
def test_a_log_that_is_cut_off_is_damaged(tmp_path: Path, cut: int) -> None:
    status, line = complaint(tmp_path, small_log()[:cut])
    assert status == DAMAGED or cut < 127
    assert line


def test_the_damage_is_a_line_of_the_output_too(tmp_path: Path) -> None:
    path = tmp_path / "log"
    log = bytearray(small_log())
    log[140] ^= 1
    path.write_bytes(log)
    done = run("dump", "--format", "json", path)
    items = [json.loads(line) for line in done.stdout.splitlines()]
    assert [item.get("type", "damage") for item in items] == [
        "FORMAT_DESCRIPTION_EVENT",
        "damage",
        "XID_EVENT",
        "XID_EVENT",
        "STOP_EVENT",
    ]
    assert list(items[1]) == ["file", "pos", "end", "damage"]
    assert done.returncode == DAMAGED
    (line,) = done.stderr.decode().splitlines()
    assert line.startswith(f"binlogcli: {path}: at 127: checksum mismatch: stored 0x")
    assert line.endswith("(31 bytes not read); use --no-verify to read it anyway")


def test_a_log_that_is_fine_is_silent(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(small_log())
    done = run("dump", "--format", "json", path)
    assert (done.returncode, done.stderr, done.stdout.count(b"\n")) == (DONE, b"", 5)


def test_one_source_that_cannot_be_used_does_not_keep_the_others_from_being_read(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(small_log())
    done = run("dump", "--format", "json", path, tmp_path / "missing", path)
    assert (done.returncode, done.stdout.count(b"\n"), done.stderr.count(b"\n")) == (UNUSABLE, 10, 1)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_source_that_may_not_be_read_does_not_keep_the_others_from_it(tmp_path: Path) -> None:
    path, secret = tmp_path / "log", tmp_path / "secret"
    path.write_bytes(small_log())
    secret.touch(0)
    done = run("dump", "--format", "json", secret, path)
    assert (done.returncode, done.stdout.count(b"\n")) == (UNUSABLE, 5)
    hint = "run as a user who may read it, such as the server's own"
    assert done.stderr.decode() == f"binlogcli: {secret}: permission denied; {hint}\n"


def test_nothing_through_a_pipe_asks_for_a_log() -> None:
    done = run("dump")
    assert done.returncode == UNUSABLE
    assert done.stderr == b"binlogcli: -: no bytes at all, not a binary log; pass a log, or pipe one into the command\n"


def test_a_log_comes_through_a_pipe() -> None:
    for arguments in (("-",), ()):
        done = run("dump", "--format", "json", *arguments, given=small_log())
        assert (done.returncode, done.stdout.count(b"\n")) == (DONE, 5)
        assert json.loads(done.stdout.splitlines()[0])["file"] == "-"


@pytest.mark.parametrize("command", ["dump", "hexdump --json", "stats --section summary"])
def test_a_log_comes_through_a_named_pipe(command: str, tmp_path: Path) -> None:
    fifo, path = tmp_path / "log", tmp_path / "plain" / "log"
    path.parent.mkdir()
    path.write_bytes(small_log())
    os.mkfifo(fifo)
    writer = threading.Thread(target=fifo.write_bytes, args=(small_log(),))  # opens when both are there
    writer.start()
    done = run(*command.split(), fifo.name, cwd=tmp_path)
    writer.join()
    assert (done.returncode, done.stderr) == (DONE, b"")
    assert done.stdout == run(*command.split(), path.name, cwd=path.parent).stdout


def test_a_pipe_is_nothing_to_read_twice(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    done = run("to-parquet", "-o", "lake", "pipe", cwd=tmp_path)
    assert done.returncode == UNUSABLE
    assert done.stderr == (
        b"binlogcli: pipe: logs are read more than once, but a pipe can be read only once; write it to a file first\n"
    )


def test_an_index_stands_for_its_logs_in_its_order(tmp_path: Path) -> None:
    for name in ("bin.000002", "bin.000001"):
        (tmp_path / name).write_bytes(small_log(1))
    (tmp_path / "bin.index").write_text("./bin.000001\n./bin.000002\n./bin.000003\n")
    done = run("dump", "--format", "json", tmp_path / "bin.index")
    files = [json.loads(line)["file"] for line in done.stdout.splitlines()]
    assert [Path(file).name for file in files] == ["bin.000001"] * 3 + ["bin.000002"] * 3
    assert done.returncode == UNUSABLE
    assert b"bin.000003: no such file" in done.stderr


def test_statistics_count_a_log_once_however_often_it_is_given(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes(small_log(3))
    (tmp_path / "link").symlink_to("a.log")
    done = run("stats", "--format", "json", "--section", "summary", "a.log", "./a.log", "link", cwd=tmp_path)
    assert done.returncode == 0
    assert [log["file"] for log in json.loads(done.stdout)["summary"]["logs"]] == ["a.log"]
    assert done.stderr == (
        b"binlogcli: ./a.log: specified more than once, counted once\nbinlogcli: link: specified more than once, "
        b"counted once\n"
    )


def test_a_name_that_would_steer_the_terminal_is_shown_harmless(tmp_path: Path) -> None:
    done = run("dump", tmp_path / "a\x1b[31mb\nc")
    assert b"a\\x1b[31mb" in done.stderr
    assert b"\x1b" not in done.stderr
    assert done.stderr.count(b"\n") == 1


def test_debug_shows_where_an_error_was_raised(tmp_path: Path) -> None:
    assert b"Traceback" in run("--debug", "dump", tmp_path / "missing").stderr
    assert b"Traceback" not in run("dump", tmp_path / "missing").stderr


def test_a_sealed_log_is_damage_that_names_the_key_options(tmp_path: Path) -> None:
    log = LogBuilder(MARIADB).describe().add(164, b"\1" + bytes(16)).add(XID, bytes(8))
    status, line = complaint(tmp_path, bytes(log.log))
    assert status == DAMAGED
    assert "encrypted from this position" in line
    assert "--key-file" in line
