"""A MariaDB server whose part of the conversation a test writes."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable

from support.bodies import u2, u8
from support.logs import ARTIFICIAL, FORMAT_DESCRIPTION, ROTATE, raw_event
from support.network import HOST, shut
from support.packets import OK, PacketConnection, error, greeting, result_set

CAPABILITIES = 0x81FFF7FE  # without TLS and the compressed protocol
GREETING = greeting("5.5.5-10.11.6-MariaDB", b"abcdefghijklmnopqrst", CAPABILITIES, connection_id=1, charset=0x21)
LOG = "shop-bin.000001"
Script = Callable[["FakeMariaDB"], None]


class FakeMariaDB(PacketConnection):
    """A server of one connection at a time that shakes hands, answers questions, and then runs a script.

    A script whose name begins with `greet` runs in the place of the handshake.
    """

    def __init__(self, script: Script) -> None:
        self.script = script
        self.logs = [LOG]
        self.code = 0  # of the error that is given where there are no logs
        self.nonsense = False  # whether answers make no sense
        self.command = b""  # the first one that is not a question
        self.listener = socket.create_server((HOST, 0))
        self.port = int(self.listener.getsockname()[1])
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                self.wire, _ = self.listener.accept()
                self.sequence = 0
                self._talk()
            except (OSError, EOFError):
                if self.listener.fileno() < 0:
                    return

    def _talk(self) -> None:
        with self.wire:
            if self.script.__name__.startswith("greet"):
                self.script(self)
                return
            self.send(GREETING)
            self.receive()
            self.send(OK)
            while (command := self.receive())[:1] == b"\x03":
                self.answer(command[1:])
            self.command = command
            self.script(self)

    def answer(self, question: bytes) -> None:
        answers: dict[bytes, list[tuple[str, ...]]] = {
            b"SHOW BINARY LOGS": [(log, "1000000") for log in self.logs],
            b"SELECT @@server_id": [("5",)],
        }
        rows = answers.get(question)
        if rows is not None and self.nonsense:
            rows = [("-x",)]
        if rows == [] and self.code:
            self.send(error(self.code, "no"))
            return
        if rows is None:
            self.send(OK)
            return
        for payload in result_set(rows, len(rows[0]) if rows else 2):
            self.send(payload)

    def event(self, code: int, body: bytes, log_pos: int = 0, timestamp: int = 1, flags: int = 0) -> None:
        """Send an event without a checksum."""
        self.send(b"\0" + event(code, body, log_pos, timestamp, flags))

    def name(self, log: str) -> None:
        """Send a fake rotate."""
        self.event(ROTATE, u8(4) + log.encode(), 0, 0, ARTIFICIAL)

    def begin(self) -> int:
        """Send the head of a log; return where it ends."""
        self.name(LOG)
        body = u2(4) + b"10.11.6-MariaDB".ljust(50, b"\0") + bytes(4) + b"\x13" + bytes(100) + b"\0"
        head = raw_event(FORMAT_DESCRIPTION, body, 4 + 19 + len(body) + 4, timestamp=1, server_id=0)
        self.send(b"\0" + head)
        return 4 + len(head)

    def close(self) -> None:
        shut(self.listener)
        self.listener.close()


def event(code: int, body: bytes, log_pos: int, timestamp: int = 1, flags: int = 0) -> bytes:
    """Return an event without a checksum."""
    return raw_event(code, body, log_pos, timestamp=timestamp, server_id=0, flags=flags, checksum=False)
