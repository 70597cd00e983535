"""A MySQL server as its documents describe it, for tests where none can be installed.

It shakes hands (native, caching_sha2 fast, in full over TLS or under its RSA key), answers what a replica asks, and
sends logs by position or by GTIDs as MySQL's sender does: fake rotations, format descriptions of logs that are gone on
with, groups left out with a heartbeat in their place, EOF or heartbeats at the end, semi-sync bytes.
"""

from __future__ import annotations

import hashlib
import socket
import ssl
import threading
import uuid
import zlib
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path

from binlogcli.errors import DecodeError
from binlogcli.sources.protocol.packets import (
    BINLOG_DUMP_NON_BLOCK,
    COM_BINLOG_DUMP,
    COM_BINLOG_DUMP_GTID,
    COM_REGISTER_SLAVE,
    PacketReader,
)
from binlogcli.sources.protocol.requests import BinlogDump, BinlogDumpGtid
from binlogcli.sources.server.groups import Gtid, gtid_of
from support.logs import FORMAT_DESCRIPTION, ROTATE, raw_event, raw_events
from support.network import HOST, shut
from support.packets import OK, PacketConnection, error, greeting, result_set

NONCE = b"abcdefghijklmnopqrst"
UUID = "993f1e26-e549-11f1-be96-02fc00000001"
CAPABILITIES = 0xFFFFFFFF & ~0x20 & ~0x1000000  # no compression, and rows end with EOF
SSL = 0x800
CHECKED = b"\1"  # BINLOG_CHECKSUM_ALG_CRC32, before the checksum of a format description
HEARTBEAT = 27
GTIDS = (33, 42)


@dataclass
class FakeMySQL:
    """The server: how it answers, and a record of what clients sent."""

    logs: list[Path]
    version: str = "8.4.3"
    plugin: str = "caching_sha2_password"
    password: str = ""
    cached: bool = False  # whether the password was given before: caching_sha2 then is fast
    certificate: Path | None = None  # its directory
    encrypted: bool = False
    semi_sync: bool = False
    server_id: int = 84
    uuid: str = UUID
    queries: list[str] = field(default_factory=list)
    commands: list[bytes] = field(default_factory=list)
    acknowledgements: list[bytes] = field(default_factory=list)
    logins: list[str] = field(default_factory=list)  # how they were made

    def __post_init__(self) -> None:
        self.listener = socket.create_server((HOST, 0))
        self.port = int(self.listener.getsockname()[1])
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                wire, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=Conversation(self, wire).run, daemon=True).start()

    def close(self) -> None:
        shut(self.listener)
        self.listener.close()


class Conversation(PacketConnection):
    """One connection to a `FakeMySQL`."""

    def __init__(self, server: FakeMySQL, wire: socket.socket) -> None:
        self.server = server
        self.wire = wire
        self.checksums = True  # of fake rotations before the first format description

    def run(self) -> None:
        with self.wire:
            try:
                if self.login():
                    self.listen()
            except (OSError, EOFError, ValueError):
                return

    def refuse(self, code: int, message: str) -> None:
        self.send(error(code, message))

    # login ----------------------------------------------------------------------------------------------------

    def login(self) -> bool:
        server = self.server
        capabilities = CAPABILITIES if server.certificate else CAPABILITIES & ~SSL
        self.send(greeting(server.version, NONCE, capabilities, plugin=server.plugin, charset=0xFF))
        answer = self.receive()
        if len(answer) == 32:
            self.sequence = 2
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(f"{server.certificate}/server.pem", f"{server.certificate}/server.key")
            self.wire = context.wrap_socket(self.wire, server_side=True)
            answer = self.receive()
        rest = answer[32:].partition(b"\0")[2]
        scrambled = rest[1 : 1 + rest[0]]
        if not server.password:
            good = not scrambled
        else:
            check = {"mysql_native_password": self.native, "caching_sha2_password": self.caching_sha2}
            good = check[server.plugin](scrambled)
        if good:
            self.send(OK)
        else:
            self.refuse(1045, "Access denied for user 'r'@'localhost' (using password: YES)")
        return good

    def native(self, scrambled: bytes) -> bool:
        self.server.logins.append("native")
        once = hashlib.sha1(self.server.password.encode()).digest()
        mask = hashlib.sha1(NONCE + hashlib.sha1(once).digest()).digest()
        return scrambled == bytes(a ^ b for a, b in zip(once, mask, strict=True))

    def caching_sha2(self, scrambled: bytes) -> bool:
        password = self.server.password.encode()
        once = hashlib.sha256(password).digest()
        mask = hashlib.sha256(hashlib.sha256(once).digest() + NONCE).digest()
        if self.server.cached:
            self.server.logins.append("fast")
            good = scrambled == bytes(a ^ b for a, b in zip(once, mask, strict=True))
            if good:
                self.send(b"\x01\x03")
            return good
        self.send(b"\x01\x04")
        if isinstance(self.wire, ssl.SSLSocket):
            self.server.logins.append("TLS")
            return self.receive() == password + b"\0"
        return self.under_a_key(password)

    def under_a_key(self, password: bytes) -> bool:
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import padding, rsa

        key = rsa.generate_private_key(65537, 2048)
        if self.receive() != b"\x02":
            return False
        form = (serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
        self.send(b"\x01" + key.public_key().public_bytes(*form))
        sha1 = hashes.SHA1()
        masked = key.decrypt(self.receive(), padding.OAEP(padding.MGF1(sha1), sha1, None))
        self.server.logins.append("RSA")
        return bytes(a ^ b for a, b in zip(masked, cycle(NONCE))) == password + b"\0"

    # questions ------------------------------------------------------------------------------------------------

    def listen(self) -> None:
        while True:
            payload = self.receive()
            code = payload[0]
            if code == 0x03:
                self.answer(payload[1:].decode())
                continue
            self.server.commands.append(payload)
            if code == COM_REGISTER_SLAVE:
                self.send(OK)
            elif code in (COM_BINLOG_DUMP, COM_BINLOG_DUMP_GTID):
                self.dump(payload)
                return
            else:
                return

    def answer(self, question: str) -> None:
        server = self.server
        server.queries.append(question)
        more = 512 if server.encrypted else 0
        answers: dict[str, list[tuple[str, ...]]] = {
            "SHOW BINARY LOGS": [
                (log.name, str(log.stat().st_size + more), "Yes" if more else "No") for log in server.logs
            ],
            "SELECT @@server_id": [(str(server.server_id),)],  # MariaDB's
            "SELECT @@server_id, @@server_uuid": [(str(server.server_id), server.uuid)],
            "SHOW VARIABLES LIKE 'rpl_semi_sync_%_enabled'": [("rpl_semi_sync_source_enabled", "ON")],
        }
        rows = answers.get(question)
        if rows is None:
            self.checksums &= "binlog_checksum='NONE'" not in question
            self.send(OK)
            return
        for payload in result_set(rows, len(rows[0])):
            self.send(payload)

    # dumps ----------------------------------------------------------------------------------------------------

    def dump(self, payload: bytes) -> None:
        server = self.server
        known: set[Gtid] | None = None
        if payload[0] == COM_BINLOG_DUMP_GTID:
            by_gtid = BinlogDumpGtid.parse(payload)
            known, flags, position, first = set_of(by_gtid.gtid_set), by_gtid.flags, 4, 0
        else:
            asked = BinlogDump.parse(payload)
            flags, position = asked.flags, asked.pos
            names = [log.name for log in server.logs]
            if asked.log_ident and asked.log_ident not in names:
                self.refuse(1236, "Could not find first log file name in binary log index file")
                return
            first = names.index(asked.log_ident) if asked.log_ident else 0
        for log in server.logs[first:]:
            self.send_log(log, position, known)
            position = 4
        if flags & BINLOG_DUMP_NON_BLOCK:
            self.send(b"\xfe\0\0\x02\0")
        else:
            self.wait(server.logs[-1])

    def send_log(self, log: Path, position: int, known: set[Gtid] | None) -> None:
        self.send_event(artificial(ROTATE, position.to_bytes(8, "little") + log.name.encode(), 0, self.checksums, 0x20))
        skipped = 0
        skipping = False
        for at, event in raw_events(log.read_bytes()):
            if event[4] == FORMAT_DESCRIPTION:
                self.checksums = event[-5:-4] == CHECKED
                self.send_event(format_description(event, at, position, self.checksums))
                continue
            if at < position:
                continue
            if event[4] in GTIDS:
                skipping = known is not None and gtid_of(event) in known
            if skipping:
                skipped = at + len(event)
                continue
            if skipped:
                self.send_event(artificial(HEARTBEAT, log.name.encode(), skipped, self.checksums, 0))
                skipped = 0
            self.send_event(event, wanted=event[4] == 16)

    def send_event(self, event: bytes, *, wanted: bool = False) -> None:
        self.send(b"\0" + (bytes([0xEF, wanted]) if self.server.semi_sync else b"") + event)

    def wait(self, log: Path) -> None:
        """Send heartbeats and record acknowledgements until the replica is gone."""
        reader = PacketReader()
        self.wire.settimeout(0.1)
        while True:
            self.send_event(artificial(HEARTBEAT, log.name.encode(), log.stat().st_size, self.checksums, 0))
            try:
                data = self.wire.recv(1 << 12)
            except TimeoutError:
                continue
            if not data:
                return
            reader.feed(data)
            while (packet := reader.next()) is not None:
                self.server.acknowledgements.append(packet.payload)


def artificial(code: int, body: bytes, log_pos: int, checksums: bool, flags: int) -> bytes:
    """Return an event that is in no log."""
    return raw_event(code, body, log_pos, server_id=84, flags=flags, checksum=checksums)


def format_description(event: bytes, at: int, position: int, checksums: bool) -> bytes:
    """Return a format description as it is sent: not in use; without position and time after a later start."""
    sent = bytearray(event)
    sent[17] &= 0xFE
    if position > at:
        sent[13:17] = bytes(4)
        sent[19 + 52 : 19 + 56] = bytes(4)
        if checksums:
            sent[-4:] = zlib.crc32(sent[:-4]).to_bytes(4, "little")
    return bytes(sent)


def set_of(data: bytes) -> set[Gtid]:
    """Return each GTID of an encoded set."""
    tagged = data[7] == 1
    count = int.from_bytes(data[1:7] if tagged else data[:8], "little")
    found: set[Gtid] = set()
    at = 8
    for _ in range(count):
        sid, at = data[at : at + 16], at + 16
        tag = ""
        if tagged:
            size, at = data[at] >> 1, at + 1
            tag, at = data[at : at + size].decode(), at + size
        pieces, at = int.from_bytes(data[at : at + 8], "little"), at + 8
        for _ in range(pieces):
            start, end = (int.from_bytes(data[at + part : at + part + 8], "little") for part in (0, 8))
            at += 16
            found |= {((str(uuid.UUID(bytes=sid)), tag), number) for number in range(start, end)}
    if at != len(data):
        raise DecodeError("the set has more bytes than it says")
    return found
