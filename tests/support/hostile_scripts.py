"""Scripts for `FakeMariaDB` that break the protocol, each with the message that its client ends with."""

from __future__ import annotations

import socket
import time

from binlogcli.sources.protocol.packets import LARGEST_CHUNK, frame
from support.fake_mariadb import GREETING, LOG, FakeMariaDB, Script, event
from support.packets import EOF, OK, column


def greet_with_nonsense(server: FakeMariaDB) -> None:
    server.wire.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n" * 100)


def greet_up_to_the_flags(server: FakeMariaDB) -> None:
    server.send(GREETING[: GREETING.index(b"\0") + 1 + 4 + 8 + 1 + 2])  # thread, salt, filler, capability flags


def greet_and_stall(server: FakeMariaDB) -> None:
    server.wire.sendall(b"\x4a\0\0\0\x0a5.5")
    time.sleep(30)


def greet_in_drops(server: FakeMariaDB) -> None:
    for byte in frame(GREETING, 0):
        server.wire.sendall(bytes([byte]))
        time.sleep(0.4)


def greet_without_end(server: FakeMariaDB) -> None:
    while True:
        server.wire.sendall(frame(bytes(LARGEST_CHUNK), 0)[:-4])


def greet_without_tls(server: FakeMariaDB) -> None:
    server.send(GREETING)
    server.receive()


def greet_with_broken_tls(server: FakeMariaDB) -> None:
    server.send(GREETING.replace(b"\xfe\xf7", b"\xfe\xff"))
    server.receive()
    server.wire.sendall(b"no TLS here" * 100)


def greet_and_break_off_in_tls(server: FakeMariaDB) -> None:
    server.send(GREETING.replace(b"\xfe\xf7", b"\xfe\xff"))
    server.receive()
    server.wire.recv(1 << 16)  # the client's first words in TLS
    server.wire.shutdown(socket.SHUT_WR)
    server.wire.recv(1 << 16)


def answers_that_make_no_sense(server: FakeMariaDB) -> None:
    server.send(EOF)


def answer_with(server: FakeMariaDB, head: list[bytes], payload: bytes, count: int) -> None:
    """Answer the first query with `head` and then `count` times the payload."""
    server.send(GREETING)
    for _ in range(2):
        server.receive()
        server.send(OK)
    server.receive()
    pieces = [*head, *([payload] * count)]
    for at in range(0, len(pieces), 1000):
        server.wire.sendall(b"".join(frame(one, at + number + 1) for number, one in enumerate(pieces[at : at + 1000])))


def greet_with_rows_without_end(server: FakeMariaDB) -> None:
    answer_with(server, [b"\1", column(0), EOF], b"\x011", 2_000_000)


def greet_with_columns_without_end(server: FakeMariaDB) -> None:
    answer_with(server, [b"\xfd\xff\xff\xff"], column(0), 400_000)


def greet_with_a_long_error(server: FakeMariaDB) -> None:
    server.send(b"\xff\x10\x04" + b"#08004" + b"no " * 1_000_000)


def greet_and_want_the_password(server: FakeMariaDB) -> None:
    server.send(GREETING)
    server.receive()
    server.send(b"\xfemysql_clear_password\0")
    server.receive()


def marks_without_end(server: FakeMariaDB) -> None:
    server.begin()
    while True:
        server.event(27, LOG.encode(), 300, 0)


def logs_without_end(server: FakeMariaDB) -> None:
    for number in range(1, 1_000_000):
        server.name(f"shop-bin.{number:06}")


def stall(server: FakeMariaDB) -> None:
    time.sleep(30)


def stall_in_an_event(server: FakeMariaDB) -> None:
    at = server.begin()
    server.wire.sendall(frame(b"\0" + event(2, bytes(5000), at + 5019), server.sequence)[:300])
    time.sleep(30)


def trickle(server: FakeMariaDB) -> None:
    at = server.begin()
    for byte in frame(b"\0" + event(2, bytes(5000), at + 5019), server.sequence):
        server.wire.sendall(bytes([byte]))
        time.sleep(0.2)


def heartbeats_without_end(server: FakeMariaDB) -> None:
    server.begin()
    while True:
        server.event(27, LOG.encode(), 300, 0)
        time.sleep(0.1)


def packets_without_end(server: FakeMariaDB) -> None:
    at = server.begin()
    head = event(2, bytes(LARGEST_CHUNK), at + 5)
    server.wire.sendall(frame(b"\0" + head, server.sequence)[: LARGEST_CHUNK + 4])
    while True:
        server.wire.sendall(LARGEST_CHUNK.to_bytes(3, "little") + b"\0" + bytes(LARGEST_CHUNK))


def an_event_larger_than_any(server: FakeMariaDB) -> None:
    at = server.begin()
    head = bytearray(event(2, bytes(LARGEST_CHUNK), at))
    head[9:13] = b"\xff\xff\xff\xff"
    server.wire.sendall(frame(b"\0" + bytes(head), server.sequence))


def a_length_of_its_own(server: FakeMariaDB) -> None:
    at = server.begin()
    head = bytearray(event(2, bytes(50), at + 69))
    head[9:13] = (10).to_bytes(4, "little")
    server.send(b"\0" + bytes(head))


def another_place(server: FakeMariaDB) -> None:
    at = server.begin()
    server.event(2, bytes(50), at + 70)


def a_large_mark(server: FakeMariaDB) -> None:
    server.begin()
    server.event(27, b"x" * 100_000, 300, 0)


def no_name_at_first(server: FakeMariaDB) -> None:
    server.event(2, bytes(50), 73)


def another_log(server: FakeMariaDB) -> None:
    server.name("other.000001")


def an_unknown_status(server: FakeMariaDB) -> None:
    server.begin()
    server.send(b"\x42" + bytes(60))


def an_empty_packet(server: FakeMariaDB) -> None:
    server.begin()
    server.send(b"")


def an_error_without_words(server: FakeMariaDB) -> None:
    server.send(b"\xff")


def an_error_with_escapes(server: FakeMariaDB) -> None:
    server.send(b"\xff\xd4\x04#HY000\x1b[2J\x1b]0;owned\x07")


SILENT = "no data for 1 s: the connection is considered broken; use --server-timeout to wait longer"


SCRIPTS: list[tuple[Script, str]] = [
    (greet_with_nonsense, "not a MySQL or MariaDB server: Packet sequence number wrong"),
    (greet_up_to_the_flags, "not a MySQL or MariaDB server"),
    (greet_and_stall, "no answer within 1 s"),
    (greet_in_drops, "no answer within 1 s"),
    (greet_without_end, "the server's answer does not end"),
    (answers_that_make_no_sense, "sends an invalid answer"),
    (stall, SILENT),
    (stall_in_an_event, SILENT),
    (trickle, SILENT),
    (heartbeats_without_end, SILENT),
    (packets_without_end, "sends invalid data"),
    (an_event_larger_than_any, "the maximum of"),
    (a_length_of_its_own, "an event of 10 bytes in a packet that holds 69"),
    (another_place, "instead of"),
    (a_large_mark, "that is not an event"),
    (no_name_at_first, "did not send the name of the log first"),
    (another_log, "sends the log 'other.000001' instead of"),
    (an_unknown_status, "a packet that starts with 0x42"),
    (an_empty_packet, "is not an event"),
    (an_error_without_words, "refuses the request without giving a reason; see the server's error log"),
    (an_error_with_escapes, "\\x1b[2J"),
]
