"""A server that a test has written the words of: it shakes hands, answers questions, and then does what is wanted."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable

from binlogcli.sources.protocol.packets import frame
from support.logs import FORMAT_DESCRIPTION, raw_event
from support.network import HOST

GREETING = (
    b"\x0a5.5.5-10.11.6-MariaDB\0\x01\0\0\0abcdefgh\0\xfe\xf7\x21\x02\0\xff\x81\x15" + bytes(10) + b"ijklmnopqrst\0"
    b"mysql_native_password\0"
)
OK = b"\0\0\0\x02\0\0\0"
END = b"\xfe\0\0\x02\0"
LOG = "shop-bin.000001"
Script = Callable[["FakeServer"], None]


class FakeServer:
    """Shakes hands, answers questions, and then does what the test wants."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.logs = [LOG]
        self.code = 0  # of the error that is given where there are no logs
        self.nonsense = False  # in the place of answers
        self.command = b""  # the first one that is no question
        self.listener = socket.create_server((HOST, 0))
        self.port = int(self.listener.getsockname()[1])
        self.sequence = 1
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                self.wire, _ = self.listener.accept()
                self._talk()
            except OSError:
                if self.listener.fileno() < 0:
                    return

    def _talk(self) -> None:
        with self.wire:
            if self.script.__name__.startswith("greet"):
                self.script(self)
                return
            self.send(GREETING, 0)
            self.receive()
            self.send(OK, 2)
            while (command := self.receive())[:1] == b"\x03":
                self.answer(command[1:])
            self.command = command
            self.sequence = 1
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
            self.send(b"\xff" + self.code.to_bytes(2, "little") + b"#HY000" + b"no", 1)
            return
        if rows is None:
            self.send(OK, 1)
            return
        width = len(rows[0]) if rows else 2
        parts = [bytes([width]), *(column(number) for number in range(width)), END]
        parts += [b"".join(bytes([len(value)]) + value.encode() for value in row) for row in rows]
        for number, payload in enumerate([*parts, END]):
            self.send(payload, number + 1)

    def send(self, payload: bytes, sequence: int | None = None) -> None:
        self.wire.sendall(frame(payload, self.sequence if sequence is None else sequence))
        self.sequence += 1

    def receive(self) -> bytes:
        header = self.wire.recv(4, socket.MSG_WAITALL)
        return self.wire.recv(int.from_bytes(header[:3], "little"), socket.MSG_WAITALL)

    def event(self, code: int, body: bytes, log_pos: int = 0, timestamp: int = 1, flags: int = 0) -> None:
        self.send(b"\0" + event(code, body, log_pos, timestamp, flags))

    def name(self, log: str) -> None:
        """A fake rotate."""
        self.event(4, (4).to_bytes(8, "little") + log.encode(), 0, 0, 0x20)

    def begin(self) -> int:
        """The head of a log; where it ends."""
        self.name(LOG)
        body = (
            (4).to_bytes(2, "little") + b"10.11.6-MariaDB".ljust(50, b"\0") + bytes(4) + b"\x13" + bytes(100) + b"\x01"
        )
        head = raw_event(FORMAT_DESCRIPTION, body, 4 + 19 + len(body) + 4, timestamp=1, server_id=0)
        self.send(b"\0" + head)
        return 4 + len(head)

    def close(self) -> None:
        self.listener.close()


def column(number: int) -> bytes:
    """The definition of a column of text."""
    name = bytes([1, 97 + number])
    return b"\x03def\0\0\0" + name + name + b"\x0c\x21\0\xff\0\0\0\xfd\0\0\0\0\0"


def event(code: int, body: bytes, log_pos: int, timestamp: int = 1, flags: int = 0) -> bytes:
    """Return an event without a checksum."""
    return raw_event(code, body, log_pos, timestamp=timestamp, server_id=0, flags=flags, checksum=False)
