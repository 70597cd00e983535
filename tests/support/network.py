"""Ports and addresses of 127.0.0.1."""

from __future__ import annotations

import contextlib
import socket

HOST = "127.0.0.1"


def free_port() -> int:
    """Return a TCP port that is free at this moment."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def shut(one: socket.socket) -> None:
    """End a connection, or what waits for connections; closing alone would not wake a thread that waits on it."""
    with contextlib.suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)


def url_of(port: int, log: str = "") -> str:
    """Return the address of a server on this machine, or of one of its logs."""
    return f"mysql://root@{HOST}:{port}/{log}"
