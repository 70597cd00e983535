"""What a file is called that is not a binary log, and that no log is ever called so."""

from __future__ import annotations

import gzip
import io
import random
import tarfile
import zlib
from pathlib import Path

import pytest

from binlogcli.sources.sniff import describe
from support.program import run


def kind(head: bytes, name: str = "x") -> str:
    what = describe(head, name)
    assert what is not None
    assert what.hint
    return what.kind


def tar() -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("shop-bin.000001"))
    return out.getvalue()


def tablespace(space: int = 7, page_type: int = 8, pages: int = 4) -> bytes:
    number = space.to_bytes(4, "big")
    header = bytes(8) + b"\xff" * 8 + bytes(8) + page_type.to_bytes(2, "big") + bytes(8) + number
    return (header + number + bytes(4) + pages.to_bytes(4, "big")).ljust(16384, b"\0")


def redo(maker: bytes, start: bytes = b"\0\0\0\6") -> bytes:
    return (start + bytes(10) + b"\x30\0" + maker).ljust(512, b"\0")


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b"", "an empty file"),
        (bytes(65536), "nothing but zero bytes"),
        (b"\0", "nothing but zero bytes"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "PNG"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", "JPEG"),
        (b"GIF89a\1\0", "GIF"),
        (b"%PDF-1.7\n", "PDF"),
        (b"\x7fELF\2\1\1", "ELF"),
        (b"PK\3\4\x14\0", "zip"),
        (tar(), "a tar archive"),
        (b"SQLite format 3\0\x10\0", "SQLite"),
        (b"PAR1\x15\4", "Parquet"),
        (b"XBSTCK01\0\0", "xbstream"),
        (b"Salted__\1\2\3\4", "encrypted by openssl"),
        (b"\x04\x22\x4d\x18\x64", "lz4"),
        (gzip.compress(b"x", mtime=0), "gzip data within compressed data"),
        (b"\xd4\xc3\xb2\xa1\2\0\4\0", "(pcap)"),
        (b"\xa1\xb2\x3c\x4d\0\2\0\4", "(pcap)"),
        (b"\x0a\x0d\x0d\x0a\x1c\0\0\0", "(pcapng)"),
        (b"\xff\xfeS\0E\0T\0", "UTF-16"),
        (b"\xfe\xfe\x0c\1\1\0\0\0\0\x10\0\0", "GTID index"),
        (b"\xfe\xfe\x0c\1\x22\xb1\xa3\x0d", "Aria log control file"),
        (b"\xfe\xfe\x0b\1MARIALOG", "an Aria log"),
        (b"\xfe\xfe\x09\3\x08\0", "Aria index"),
        (b"\xfe\xfe\x0d\1\x0e\0\0\0", "the binary log that MariaDB 12.3 keeps in InnoDB"),
        (b"\xfe\xfe\7\1\0\1", "MyISAM index"),
        (b"\xfe\1\x0a\x0c\x15\0\x59\0", ".frm"),
        (b"TYPE=VIEW\nquery=select", "view definition"),
        (tablespace(), "an InnoDB tablespace"),
        (tablespace(space=0), "an InnoDB tablespace"),
        (redo(b"MySQL 8.4.3"), "an InnoDB redo log"),
        (redo(b"MariaDB 10.11.19", b"Phys"), "an InnoDB redo log"),
        (b'{"version":"1.0","elements":[{"user":""', "a MySQL keyring"),
        (b"Keyring file version:2.0\x58\0\0\0", "a MySQL keyring"),
    ],
)
def test_files_with_a_mark_are_named(head: bytes, expected: str) -> None:
    assert expected in kind(head)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("/var/lib/mysql/shop/orders.MYD", "MyISAM data"),
        ("orders.MAD", "Aria data"),
        ("/var/lib/mysql/ib_logfile1", "redo log"),
        ("#innodb_redo/#ib_redo12", "redo log"),
        ("ib_logfile0.gz", "redo log"),
    ],
)
def test_files_without_a_mark_are_told_by_their_name(name: str, expected: str) -> None:
    assert expected in kind(b"\x03\0\x0e\1\xfe\xfd", name)


@pytest.mark.parametrize("head", [b"\xfe\xfe\x0d\1\x0e\0\0\0", bytes(16384)], ids=["begun", "empty"])
@pytest.mark.parametrize("command", ["dump", "hexdump", "stats", "decrypt -o -", "to-parquet --dry-run -o lake"])
def test_each_command_says_that_a_log_in_innodb_is_not_read(command: str, head: bytes, tmp_path: Path) -> None:
    path = tmp_path / "binlog-000000.ibb"
    path.write_bytes(head)
    done = run(*command.split(), path)
    assert done.returncode == 2
    said = done.stderr.decode().splitlines()
    assert [
        line for line in said if "keeps in InnoDB (.ibb), this format is not supported; fetch the log" in line
    ] == said


MYSQLBINLOG = b"""# The proper term is pseudo_replica_mode, but we use this compatibility alias
/*!50530 SET @@SESSION.PSEUDO_SLAVE_MODE=1*/;
DELIMITER /*!*/;
# at 4
#261121  0:00:00 server id 1  end_log_pos 126 CRC32 0x5415a8fb \tStart: binlog v 4
"""
ERROR_LOG = b"2026-11-21  0:00:00 0 [Note] Starting MariaDB 10.11 source revision\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (MYSQLBINLOG, "output of mysqlbinlog"),
        (MYSQLBINLOG[MYSQLBINLOG.index(b"# at") :], "output of mysqlbinlog"),
        (b"-- MySQL dump 10.13  Distrib 8.4.3\n--\n", "SQL text"),
        (b"/*M!999999\\- enable the sandbox mode */ \n-- MariaDB dump", "SQL text"),
        (b"\xef\xbb\xbf\n/*!40101 SET NAMES utf8mb4 */;\n", "SQL text"),
        (b"# tables\n\ncreate table t (a int);\n", "SQL text"),
        (b"-- MySQL dump\nINSERT INTO t VALUES ('caf\xe9 \x01\x02');\n" * 5, "SQL text"),
        (b"./shop-bin.000001\n./shop-bin.000002\n", "a list of logs"),
        (b"/var/lib/mysql/shop-bin.1000000\r\n", "a list of logs"),
        (b"0-1-100\n1-101-7\n", "state file"),
        (b"0-1-100", "state file"),
        (b"1;770A8A65DA156D24EE2A093277530142\n2;770A8A65DA156D24EE2A093277530142\n", "MariaDB key file"),
        (b"# Time: 2026-11-21T00:00:00\n# User@Host: root[root]\nSET timestamp=1;", "slow query log"),
        (b"mysqld, Version: 8.4\nTime                 Id Command    Argument\n", "general query log"),
        (ERROR_LOG, "error log"),
        (b"00000000: fe62 696e a2ff 9b5e 0f01 0000  .bin\n", "hex dump"),
        (b"00000000  fe 62 69 6e a2 ff 9b 5e  |.bin|\n", "hex dump"),
        (b"/mJpbqL/m14PAQAAAHkAAAB9AAAAAAAEADEwLjExLjE5", "base64"),
        (b'{"file": "shop-bin.000001", "pos": 4}\n', "JSON"),
        (b"[]", "JSON"),
        (b"<!DOCTYPE html>\n<html>", "web page"),
        (b"hello\n", "a text file"),
        ("Grüße, здравствуйте".encode(), "a text file"),
        ("здравствуйте".encode()[:-1], "a text file"),
        ("Grüße an alle".encode("latin-1"), "a text file"),
    ],
)
def test_texts_are_named(text: bytes, expected: str) -> None:
    assert expected in kind(text)


def test_a_log_is_never_called_anything_else() -> None:
    for magic in (b"\xfebin", b"\xfdbin"):
        for head in (magic, magic + bytes(100), magic + b"SET NAMES utf8;\n" * 9, *(magic[:n] for n in (1, 2, 3))):
            for name in ("shop-bin.000001", "ib_logfile0", "t.MYD", "shop-bin.index"):
                assert describe(head, name) is None


def test_events_without_the_first_four_bytes_may_be_a_log() -> None:
    event = b"\x5b\x1e\x29\xdb\x0f\1\0\0\0\x77\0\0\0\x7b\0\0\0\0\0\4\x0010.11.19-MariaDB".ljust(119, b"\0")
    assert describe(event, "carved") is None
    assert describe(b"\0bin" + event, "shop-bin.000001") is None


def test_pages_that_only_look_like_a_tablespace_are_not_named() -> None:
    assert describe(b"\1" + tablespace(page_type=17855)[1:], "x") is None
    assert describe(b"\1" + tablespace(pages=0)[1:], "x") is None
    assert describe(tablespace()[:49], "x") is None


def test_noise_is_not_named() -> None:
    chance = random.Random(4)
    assert all(describe(b"\x80\1\0" + chance.randbytes(4000), "x") is None for _ in range(50))


def test_any_head_is_described_or_not_but_never_fails() -> None:
    chance = random.Random(5)
    samples = [tablespace(), tar(), MYSQLBINLOG, zlib.compress(b"x"), redo(b"MySQL 8")]
    for _ in range(500):
        data = bytearray(chance.choice(samples)[: chance.randint(0, 700)])
        for _ in range(chance.randint(0, 3) if data else 0):
            data[chance.randrange(len(data))] = chance.randrange(256)
        describe(bytes(data), "x")


def test_a_hostile_text_takes_no_time() -> None:
    for unit in (b"# at 1\n", b"{", b"{ ", b"<", b"\n", b"1 [Not", b"1" * 60 + b"\n", b"1-", b"1-1-1 ", b"/*!*/", b"0"):
        describe(unit * (65536 // len(unit)), "x")
