"""The logs that a server has. Their names are the server's words, and must be checked before they name a file."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

from binlogcli.errors import ServerError
from binlogcli.sources.server.connection import ER_ACCESS_DENIED, ServerConnection

_UNKNOWN_VARIABLE = 1193  # ER_UNKNOWN_SYSTEM_VARIABLE
_UUID_LENGTH = 36
_NO_BINARY_LOG = 1381  # ER_NO_BINARY_LOGGING
_LOG_BIN = "enable it with log_bin in the server's option file"
NO_PRIVILEGE = {1227, ER_ACCESS_DENIED}  # 1227: ER_SPECIFIC_ACCESS_DENIED
ENCRYPTED_HEADER = 512  # of MySQL's encrypted logs: counted in the size, never sent


@dataclass(frozen=True, slots=True)
class ServerLog:
    """A log that the server has, and the number of bytes that a dump of it would send now."""

    name: str
    size: int


def server_identity(connection: ServerConnection) -> tuple[str, str]:
    """Return a server's id, and its UUID, which MySQL has from 5.6 on; "" without one."""
    if not connection.mariadb:
        try:
            row = connection.rows("SELECT @@server_id, @@server_uuid")[0]
            return str(row[0]), str(row[1])[:_UUID_LENGTH]
        except ServerError as error:
            if error.code != _UNKNOWN_VARIABLE:
                raise
    return str(connection.rows("SELECT @@server_id")[0][0]), ""


def server_logs(connection: ServerConnection) -> list[ServerLog]:
    """Return all logs, oldest first; raise `ServerError` if there are none."""
    found = []
    rows = _ask(connection, "SHOW BINARY LOGS")
    with sensible(connection):
        for row in rows:
            encrypted = len(row) > 2 and str(row[2]).lower() == "yes"
            size = int(str(row[1])) - (ENCRYPTED_HEADER if encrypted else 0)
            found.append(ServerLog(str(row[0]), max(size, 0)))
    if not found:
        raise ServerError("has no binary log", file=connection.place, hint=_LOG_BIN)
    return found


def size_from(logs: list[ServerLog], log: str, position: int) -> int:
    """Return the number of bytes from a position of `log` on; of all logs where `log` is not among them."""
    names = [one.name for one in logs]
    if log not in names:
        return sum(one.size for one in logs)
    return max(sum(one.size for one in logs[names.index(log) :]) - position, 0)


@contextlib.contextmanager
def sensible(connection: ServerConnection) -> Iterator[None]:
    """Raise `ServerError` for results that do not have the expected form."""
    try:
        yield
    except (ValueError, LookupError, TypeError) as error:
        hint = "check that the address is that of a MySQL or MariaDB server, not of a proxy"
        raise ServerError("sends an invalid answer", file=connection.place, hint=hint) from error


def first_log(connection: ServerConnection) -> str:
    """Return the name of the oldest log."""
    return server_logs(connection)[0].name


def newest_log(connection: ServerConnection) -> str:
    """Return the name of the log that is being written."""
    return server_logs(connection)[-1].name


def _ask(connection: ServerConnection, question: str) -> list[tuple[object, ...]]:
    try:
        return connection.rows(question)
    except ServerError as error:
        if error.code == _NO_BINARY_LOG:
            raise ServerError(
                "does not write a binary log", file=connection.place, hint=_LOG_BIN, code=error.code
            ) from error
        if error.code in NO_PRIVILEGE:
            error.hint = "specify the log, or grant BINLOG MONITOR (MySQL: REPLICATION CLIENT)"
        raise
