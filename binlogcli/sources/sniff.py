"""Names for files that are no binary logs, by their first bytes and their name.

For messages only: nothing is refused here. `describe` answers where it is sure, so that a damaged log is not called
something else.
"""

from __future__ import annotations

import codecs
import os
import re
from typing import NamedTuple

from binlogcli.names.magics import LOG_MAGICS, PCAP_MAGICS, PCAPNG_MAGIC
from binlogcli.sources.compressed import compression_of
from binlogcli.sources.files import STDIN
from binlogcli.sources.log_names import SERVER_DIGITS, read_log_name


class FileKind(NamedTuple):
    """A noun phrase for the file, what to do instead, and why it is not read."""

    kind: str
    hint: str
    why: str = "not a binary log"
    witness: str = ""  # what it tells of a server, as one of the names below


# files from which `stats` reads what a server replicates, how far, and which GTIDs it has
SOURCE_INFO, RELAY_POSITION, AUTO_CNF = "replication source", "replication position", "server identity"
GTID_STATE, GTID_INDEX = "GTID state", "GTID index"
_SERVERS, _GTIDS = (f"read it with binlogcli stats --section {section}" for section in ("servers", "gtids"))

_GIVE_LOGS = "pass the binary logs (such as NAME.000001)"
_UNPACK = "unpack it and pass the logs in it"
_TABLE_DATA = f"it contains table data; {_GIVE_LOGS}"
_ENGINE_LOG = f"it is the storage engine's own log; {_GIVE_LOGS}"
_FETCH = "fetch the log from the server, which sends complete events (binlogcli pull)"
_CAPTURE = "dump, hexdump and stats read captures"
_COPY_AGAIN = "copy it again from the server or the backup"

_NO_EVENTS = f"it contains no events; {_GIVE_LOGS}"
_KEYS = "if it contains a server's keys, pass it with --key-file"

_MYSQLBINLOG = FileKind("output of mysqlbinlog", "pass the binary log from which it was made")
_SQL = FileKind(
    "SQL text, such as a dump", f"if it contains CREATE TABLE statements, pass it with --schema; {_GIVE_LOGS}"
)

_INNODB_LOG = FileKind(  # binlog_storage_engine
    "a file of the binary log that MariaDB 12.3 keeps in InnoDB (.ibb)", _FETCH, "this format is not supported"
)

_BY_START = (
    (
        b"\xfe\xfe\x0c\x01\x01\0\0\0",
        FileKind("a MariaDB GTID index (.idx)", f"{_GTIDS}; for events, pass the log", witness=GTID_INDEX),
    ),
    # differs from the former in its fifth byte
    (b"\xfe\xfe\x0c", FileKind("an Aria log control file", _ENGINE_LOG)),
    (b"\xfe\xfe\x0d\x01", _INNODB_LOG),
    (b"\xfe\xfe\x07", FileKind("a MyISAM index file", _TABLE_DATA)),
    (b"\xfe\xfe\x09", FileKind("an Aria index file", _TABLE_DATA)),
    (b"\xfe\xfe\x0b", FileKind("an Aria log", _ENGINE_LOG)),
    *((bytes([0xFE, 1, version]), FileKind("a table definition (.frm)", _NO_EVENTS)) for version in range(6, 13)),
    (b"TYPE=VIEW\n", FileKind("a view definition (.frm)", _NO_EVENTS)),
    *((magic, FileKind("a network capture (pcap)", _CAPTURE)) for magic in PCAP_MAGICS),
    (PCAPNG_MAGIC, FileKind("a network capture (pcapng)", _CAPTURE)),
    (b"Salted__", FileKind("a file encrypted by openssl", _KEYS)),
    (b"Keyring file version:", FileKind("a MySQL keyring", "pass it with --keyring")),
    # a dump of tables with binary values, or the text of such a log, may look like no text further on
    (b"-- MySQL dump", _SQL),
    (b"-- MariaDB dump", _SQL),
    (b"/*M!999999", _SQL),
    (b"# The proper term is pseudo_replica_mode", _MYSQLBINLOG),
    (b"/*!50530 SET @@SESSION.PSEUDO_SLAVE_MODE", _MYSQLBINLOG),
    (b"XBSTCK01", FileKind("a backup stream (xbstream)", f"{_UNPACK} (mbstream -x, xbstream -x)")),
    (b"PK\x03\x04", FileKind("a zip archive", _UNPACK)),
    (b"PK\x05\x06", FileKind("an empty zip archive", _GIVE_LOGS)),
    (b"7z\xbc\xaf\x27\x1c", FileKind("a 7-Zip archive", _UNPACK)),
    (b"Rar!\x1a\x07", FileKind("a RAR archive", _UNPACK)),
    (b"\x04\x22\x4d\x18", FileKind("lz4 data", "decompress it first: lz4 -dc FILE | binlogcli COMMAND -")),
    (b"SQLite format 3\0", FileKind("an SQLite database", _GIVE_LOGS)),
    (b"PAR1", FileKind("a Parquet file", _GIVE_LOGS)),
    (b"\x7fELF", FileKind("a program (ELF)", _GIVE_LOGS)),
    (b"%PDF-", FileKind("a PDF document", _GIVE_LOGS)),
    (b"\x89PNG\r\n", FileKind("a PNG image", _GIVE_LOGS)),
    (b"\xff\xd8\xff", FileKind("a JPEG image", _GIVE_LOGS)),
    (b"GIF8", FileKind("a GIF image", _GIVE_LOGS)),
    (b"\xff\xfe", FileKind("a text file (UTF-16)", _GIVE_LOGS)),
    (b"\xfe\xff", FileKind("a text file (UTF-16)", _GIVE_LOGS)),
)

# files without a mark of their own, and those that a server has made before it writes to them
_BY_ENDING = (
    (".ibb", _INNODB_LOG),
    (".MYD", FileKind("a MyISAM data file", _TABLE_DATA)),
    (".MAD", FileKind("an Aria data file", _TABLE_DATA)),
)

# the first that is found in a text names it
_BY_WORDS = (
    (rb"(?m)DELIMITER /\*!\*/;|^# at \d+\n#\d{6} ", _MYSQLBINLOG),
    # comments and settings at the head of a dump
    (rb"\A(-- (MySQL|MariaDB|mysql)|/\*M?!\d{5}|SET )", _SQL),
    (rb"(?im)^(create|alter|drop|insert into|replace into|lock tables) ", _SQL),
    (rb"(?m)^# (Time: \d|User@Host: )", FileKind("a slow query log", _GIVE_LOGS)),
    (rb"(?m)^Time +Id +Command +Argument", FileKind("a general query log", _GIVE_LOGS)),
    (rb"(?m)^\d[^\n]{15,60} \[(Note|System|Warning|ERROR)\] ", FileKind("a server's error log", _GIVE_LOGS)),
    (rb"\A0{7,8}:? ", FileKind("a hex dump", "convert it to binary first: xxd -r FILE | binlogcli COMMAND -")),
    # LOG_MAGICS in base64
    (rb"\A/[mW]Jpb", FileKind("a log in base64", "decode it first: base64 -d FILE | binlogcli COMMAND -")),
    (rb"(?s)\A\{(?=.*\"version\"\s*:)(?=.*\"elements\"\s*:)", FileKind("a MySQL keyring", "pass it with --keyring")),
    (rb"\A(\{\s*[\"}]|\[\s*[\[{\"\]])", FileKind("JSON text", _GIVE_LOGS)),
    (
        rb"(?i)\A<(\?xml|!doctype|html)",
        FileKind("a web page or XML", "if it came from a download, fetch the log again"),
    ),
    (rb"", FileKind("a text file", _GIVE_LOGS)),
)

_SOURCE_INFO = FileKind("a replica's connection (master.info)", _SERVERS, witness=SOURCE_INFO)
_RELAY_POSITION = FileKind("a replica's position (relay-log.info)", _SERVERS, witness=RELAY_POSITION)
_AUTO_CNF = FileKind("a MySQL server's identity (auto.cnf)", _SERVERS, witness=AUTO_CNF)
_REDO_LOG = FileKind("an InnoDB redo log", _ENGINE_LOG)


def describe(head: bytes, name: str) -> FileKind | None:
    """Return what the file is that begins with `head` (64 KiB are plenty); None where it may be a binary log."""
    if not head:
        if name == STDIN:
            return FileKind("no bytes at all", "pass a log, or pipe one into the command")
        return FileKind("an empty file", f"if it is a log, {_COPY_AGAIN}")
    if any(head.startswith(magic) or magic.startswith(head) for magic in LOG_MAGICS):
        return None
    if not head.strip(b"\0"):
        return _of_name(name) or FileKind(
            "nothing but zero bytes", f"such a file can result from a crash or an incomplete copy; {_COPY_AGAIN}"
        )
    return _of_start(head) or _of_structure(head) or _of_name(name) or _of_text(head)


def witness_of(head: bytes, name: str) -> str | None:
    """Return what of a server a file tells, as SOURCE_INFO and its like; None for other files."""
    what = None if head[:4] in LOG_MAGICS else describe(head, name)
    return what.witness or None if what is not None else None


def _of_start(head: bytes) -> FileKind | None:
    for start, what in _BY_START:
        if head.startswith(start):
            return what
    if (compression := compression_of(head)) is not None:  # the outer layer has been opened already
        return FileKind(f"{compression} data within compressed data", "decompress it once first")
    return None


def _of_structure(head: bytes) -> FileKind | None:
    if head[257:262] == b"ustar":
        return FileKind("a tar archive", _UNPACK)
    # The first page of a tablespace, big-endian: page number 0 at 4, page type 8 (FSP_HDR) at 24, the number
    # of the space both in the page's header (34) and in the space's (38), the space's size in pages at 46
    if (
        head[4:8] == b"\0\0\0\0"
        and head[24:26] == b"\0\x08"
        and len(head) >= 50
        and head[34:38] == head[38:42]
        and head[46:50] != b"\0\0\0\0"
    ):
        return FileKind("an InnoDB tablespace", _TABLE_DATA)
    # the name of the program that made a redo log stands at 16 of its first block
    if head[16:].startswith((b"MySQL ", b"MariaDB ", b"MEB ", b"ibbackup ", b"xtrabkup ")):
        return _REDO_LOG
    return None


def _of_name(name: str) -> FileKind | None:
    base = name.rpartition("/")[2]
    if base.startswith(("ib_logfile", "#ib_redo")):  # as old as to name no maker, or not the first of its set
        return _REDO_LOG
    for ending, what in _BY_ENDING:
        if base.endswith(ending):
            return what
    return None


_CONTROL = bytes({*range(0x20)} - {*b"\t\n\r\f"})
_HIGH = bytes(range(0x80, 0x100))


def _is_text(head: bytes) -> bool:
    if b"\0" in head:
        return False
    if (len(head) - len(head.translate(None, _CONTROL))) * 100 > len(head):
        return False
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)  # a letter may be cut at the end of `head`
    except UnicodeDecodeError:
        # text in a character set of one byte is mostly in ASCII
        return (len(head) - len(head.translate(None, _HIGH))) * 4 <= len(head)
    return True


def _of_text(head: bytes) -> FileKind | None:
    if not _is_text(head):
        return None
    text = head.removeprefix(codecs.BOM_UTF8).lstrip()
    return _of_replica(text) or _of_lines(text) or next(what for pattern, what in _BY_WORDS if re.search(pattern, text))


def _of_replica(text: bytes) -> FileKind | None:
    """Return what a file of a replica is: by its numbers, which stand in certain lines."""
    if re.match(rb"\[auto\]\s*\n\s*server[-_]uuid\s*=", text):
        return _AUTO_CNF
    lines = [line.removesuffix(b"\r") for line in text.split(b"\n")]
    counted = lines[0].isdigit() and len(lines[0]) < 4
    fields = lines[1:] if counted else lines
    numbers = [at for at, line in enumerate(fields[:7]) if line.isdigit() and len(line) < 20]
    if len(fields) < 4:
        return None
    # relay log, position, log, position
    if {1, 3} <= {*numbers} and _names_log(fields[0]) and (not fields[2] or _names_log(fields[2])):
        return _RELAY_POSITION
    # log, position, host, user, password, port, seconds between two attempts; MySQL 4.0 had logs such as NAME.001
    is_log = re.fullmatch(rb".+\.\d{3,10}", fields[0])
    return _SOURCE_INFO if {1, 5, 6} <= {*numbers} and (counted or is_log) else None


def _names_log(line: bytes) -> bool:
    parts = read_log_name(os.fsdecode(line))
    return parts is not None and len(parts.base) > 1 and len(parts.digits) in SERVER_DIGITS


def _of_lines(text: bytes) -> FileKind | None:
    lines = text.split()
    if len(lines) > 1:
        lines.pop()  # it may be cut
    if lines and all(re.fullmatch(rb"\d+-\d+-\d+", line) for line in lines):
        return FileKind("a MariaDB GTID state file (.state)", _GTIDS, witness=GTID_STATE)
    if lines and all(_names_log(line) for line in lines):
        return FileKind(
            "a list of logs, as in an index file", "pass it under a name that ends in .index, or pass the logs in it"
        )
    if lines and all(re.fullmatch(rb"\d+;[0-9A-Fa-f]{32,64}", line) for line in lines):
        return FileKind("a MariaDB key file", "pass it with --key-file")
    return None
