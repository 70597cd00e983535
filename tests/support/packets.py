"""Packets that a server sends beside events, and a connection that counts them."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Sequence

from binlogcli.sources.protocol.packets import frame
from support.bodies import u2, u4

OK = b"\0\0\0\x02\0\0\0"
EOF = b"\xfe\0\0\x02\0"
SERVER_STATUS_AUTOCOMMIT = 2


def greeting(
    version: str,
    nonce: bytes,
    capabilities: int,
    *,
    plugin: str = "mysql_native_password",
    connection_id: int = 7,
    charset: int = 8,
    mariadb_capabilities: int = 0,
) -> bytes:
    """Return a server's first packet; `nonce` has the 20 bytes that passwords are scrambled with."""
    head = b"\x0a" + version.encode() + b"\0" + u4(connection_id) + nonce[:8] + b"\0" + u2(capabilities & 0xFFFF)
    head += bytes([charset]) + u2(SERVER_STATUS_AUTOCOMMIT) + u2(capabilities >> 16) + bytes([len(nonce) + 1])
    return head + bytes(6) + u4(mariadb_capabilities) + nonce[8:] + b"\0" + plugin.encode() + b"\0"


def error(code: int, message: str, state: str = "HY000") -> bytes:
    """Return an ERR packet."""
    return b"\xff" + u2(code) + b"#" + state.encode() + message.encode()


def column(number: int) -> bytes:
    """Return the definition of a column of text, named by a letter."""
    name = bytes([1, 97 + number])
    return b"\x03def\0\0\0" + name + name + b"\x0c\x21\0\xff\0\0\0\xfd\0\0\0\0\0"


def result_set(rows: Sequence[Sequence[str]], width: int) -> Iterator[bytes]:
    """Yield the packets of a result set of that many columns of text."""
    yield bytes([width])
    yield from (column(number) for number in range(width))
    yield EOF
    yield from (b"".join(bytes([len(value)]) + value.encode() for value in row) for row in rows)
    yield EOF


class PacketConnection:
    """The server's side of one connection: packets, numbered as the protocol wants it."""

    wire: socket.socket
    sequence: int = 0

    def send(self, payload: bytes) -> None:
        """Send a packet with the number that follows the last one's."""
        self.wire.sendall(frame(payload, self.sequence))
        self.sequence = (self.sequence + 1) & 0xFF

    def receive(self) -> bytes:
        """Return the payload of the client's next packet; EOFError where the client is gone."""
        header = self.exactly(4)
        self.sequence = header[3] + 1
        return self.exactly(int.from_bytes(header[:3], "little"))

    def exactly(self, size: int) -> bytes:
        """Return that many bytes; EOFError where the client is gone."""
        data = b""
        while len(data) < size:
            piece = self.wire.recv(size - len(data))
            if not piece:
                raise EOFError
            data += piece
        return data
