"""A relay between a client and a server whose connections a test breaks."""

from __future__ import annotations

import select
import socket
import threading
from typing import Self

from binlogcli.errors import DecodeError
from binlogcli.sources.protocol.packets import PacketReader
from binlogcli.sources.protocol.requests import Acknowledgement
from support.network import HOST, shut

_LOGIN = 1 << 10  # bytes of a server before it sends logs, and more


class Proxy:
    """A relay to a port whose connections can be cut at any time, also within a packet."""

    def __init__(self, target: int) -> None:
        self.target = target
        self.refuses = False
        self._listener = socket.create_server((HOST, 0))
        self.port = int(self._listener.getsockname()[1])
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._limit: int | None = None
        self._limits: list[int] = []
        self._flips: list[int] = []
        self._flip_every = 0
        self._flip_in = (b"", 0, 0)
        self._open = True
        self.acknowledged: dict[str, int] = {}  # the furthest place in each log
        self.acknowledgements = 0
        self.connections = 0
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def open(self) -> int:
        """The number of connections that neither side has closed."""
        return sum(client.fileno() >= 0 for client, _ in self._pairs)

    def cut(self) -> None:
        """Break all connections."""
        pairs, self._pairs = self._pairs, []
        for pair in pairs:
            for one in pair:
                shut(one)

    def cut_after(self, *counts: int) -> None:
        """Break the next connections, each after this number of bytes from the server."""
        self._limit, *self._limits = counts

    def flip_after(self, *counts: int) -> None:
        """Change a bit on the next connections, each after this number of bytes from the server."""
        self._flips = list(counts)

    def flip_every(self, count: int) -> None:
        """Change a bit of each `count` bytes from the server, over all connections but their first kilobyte."""
        self._flip_every = count
        self._flips = [count]

    def flip_in(self, pattern: bytes, at: int, times: int = 1) -> None:
        """Change a bit of the byte `at` bytes after the beginning of a pattern, the first few times that it comes."""
        self._flip_in = (pattern, at, times)

    def close(self) -> None:
        self._open = False
        shut(self._listener)
        self._listener.close()
        self.cut()

    def _accept(self) -> None:
        while self._open:
            try:
                client, _ = self._listener.accept()
                if self.refuses:
                    client.close()
                    continue
                server = self._reach(client)
            except OSError:
                continue
            self.connections += 1
            self._pairs.append((client, server))
            threading.Thread(target=self._pass_on, args=(client, server), daemon=True).start()

    def _reach(self, client: socket.socket) -> socket.socket:
        """Connect to the server; if there is none, close the client's connection."""
        try:
            return socket.create_connection((HOST, self.target))
        except OSError:
            client.close()
            raise

    def _listen(self, reader: PacketReader, data: bytes) -> None:
        """Record a client's acknowledgements."""
        reader.feed(data)
        while (packet := reader.next()) is not None:
            if packet.payload[:1] == b"\xef":
                ack = Acknowledgement.parse(packet.payload)
                self.acknowledged[ack.log_file_name] = max(
                    ack.log_file_pos, self.acknowledged.get(ack.log_file_name, 0)
                )
                self.acknowledgements += 1

    def _flipped(self, data: bytes, passed: int) -> bytes:
        """Return bytes of a server, after `passed` others of the connection, with the bits changed that are due."""
        changed = bytearray(data)
        pattern, at, times = self._flip_in
        place = data.find(pattern) if times else -1
        if 0 <= place < len(data) - at:
            changed[place + at] ^= 0x10
            self._flip_in = (pattern, at, times - 1)
        if self._flip_every and passed >= _LOGIN:
            while self._flips[0] < len(data):
                changed[self._flips[0]] ^= 1 << self._flips[0] % 8
                self._flips[0] += self._flip_every
            self._flips[0] -= len(data)
        elif self._flips and not self._flip_every and passed <= self._flips[0] < passed + len(data):
            changed[self._flips.pop(0) - passed] ^= 0x10
        return bytes(changed)

    def _pass_on(self, client: socket.socket, server: socket.socket) -> None:
        said = PacketReader()
        passed = 0
        sides = {side.fileno(): side for side in (client, server)}
        poll = select.poll()
        for number in sides:
            poll.register(number, select.POLLIN)
        try:
            while self._open:
                for number, _ in poll.poll():
                    ready = sides[number]
                    data = ready.recv(1 << 16)
                    if not data:
                        return
                    if ready is client:
                        self._listen(said, data)
                    else:
                        data, passed = self._flipped(data, passed), passed + len(data)
                    if ready is server and self._limit is not None:
                        left = self._limit
                        if left < len(data):
                            self._limit = self._limits.pop(0) if self._limits else None
                            client.sendall(data[:left])
                            return
                        self._limit = left - len(data)
                    (server if ready is client else client).sendall(data)
        except (OSError, ValueError, DecodeError):
            return
        finally:
            shut(client)
            shut(server)
            client.close()
            server.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
