"""Events about the log itself, in the words of both families."""

from __future__ import annotations

from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.events.control import FormatDescription, Incident, Rotate, StartEncryption, StartV3
from binlogcli.events.event import Event
from binlogcli.events.mariadb import BinlogCheckpoint, GtidList
from binlogcli.gtids.text import mariadb_gtid
from binlogcli.names.event_types import PREVIOUS_GTIDS_LOG_EVENT

DELIMITER = b"/*!*/;\n"
IN_USE, ARTIFICIAL, RELAY_LOG = 1, 0x20, 0x40
INCIDENTS = (b"NONE", b"LOST_EVENTS")


def encoded_text(text: str) -> bytes:
    """A name as the bytes that it was in the log."""
    return text.encode("utf-8", "surrogateescape")


def put_start(out: TextBuffer, event: FormatDescription | StartV3, stamp: bytes) -> None:
    """The first line of a format description, and whether the log was closed."""
    version = encoded_text(event.server_version)
    out.put(b"\tStart: binlog v %d, server v %s created %s" % (event.binlog_version, version, stamp))
    out.put(b" at startup\n" if event.created else b"\n")
    if event.flags & IN_USE:
        out.put(b"# Warning: this binlog is either in use or was not closed properly.\n")


def put_rotate(out: TextBuffer, event: Rotate) -> None:
    """The log goes on in another file."""
    out.put(b"\tRotate to " + encoded_text(event.new_log_ident) + b"  pos: %d\n" % event.pos)


def put_incident(out: TextBuffer, event: Incident) -> None:
    """Something is missing from the log; a syntax error keeps it from being replayed unseen."""
    name = INCIDENTS[event.incident] if event.incident < len(INCIDENTS) else b"UNKNOWN"
    out.put(b"\n# Incident: " + name + b"\nRELOAD DATABASE; # Shall generate syntax error\n")


def put_gtid_list(out: TextBuffer, event: GtidList) -> None:
    """The last GTID of each domain and server: of a domain, the one that was written last is the last."""
    written = sorted(event.list, key=lambda gtid: (gtid[0], gtid[2]))
    texts = [mariadb_gtid(*gtid) for gtid in written]
    out.put(b"\tGtid list [" + ",\n# ".join(texts).encode("ascii") + b"]\n")


def put_checkpoint(out: TextBuffer, event: BinlogCheckpoint) -> None:
    """Crash recovery may begin at that file."""
    out.put(b"\tBinlog checkpoint " + encoded_text(event.binlog_file_name) + b"\n")


def put_encryption(out: TextBuffer, event: StartEncryption) -> None:
    """What follows was encrypted."""
    out.put(b"# Encryption scheme: %d, key_version: %d" % (event.crypto_scheme, event.key_version))
    out.put(b", nonce: " + event.nonce.hex().encode("ascii") + b"\n# The rest of the binlog is encrypted!\n")


def read_to(event: Event, wanted: int) -> int:
    """Where the tool says that a log's format stands: at the event that it had read last when it went on elsewhere.

    It looks for another format up to the place that was asked for; behind the GTIDs of earlier logs, at one event.
    """
    place, end = event.start, event.end
    at = event.at + event.length
    while end < wanted:
        head = event.data[at : at + 19]
        if len(head) < 19:
            break
        place = end
        if head[4] != PREVIOUS_GTIDS_LOG_EVENT:
            break
        length = int.from_bytes(head[9:13], "little")
        end += length
        at += length
    return place
