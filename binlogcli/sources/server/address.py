"""Addresses of servers: `mysql://USER@HOST[:PORT]/[LOG]`, with `?from=first`, `?gtid=SET` or `?socket=PATH`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from binlogcli.errors import SourceError

_FORM = "write mysql://USER@HOST[:PORT]/[LOG]"
_SECRET = re.compile(r"://([^/@:?#]*):.*@", re.DOTALL)  # whatever is in it: a password may hold a / or #


@dataclass(frozen=True, slots=True)
class Address:
    """A server and one of its logs; its newest where `log` is empty."""

    host: str = ""
    port: int = 0
    socket: str = ""
    user: str = ""
    log: str = ""
    from_first: bool = False
    gtid: str | None = None

    def url(self, log: str) -> str:
        """Return the address of one of the server's logs."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        place = f"{quote(self.user, safe='')}@{host}" if self.user else host
        port = f":{self.port}" if self.port else ""
        query = f"?socket={quote(self.socket)}" if self.socket else ""
        return f"mysql://{place}{port}/{log}{query}"


def without_secret(source: str) -> str:
    """Return an address without the password it may hold."""
    return _SECRET.sub(r"://\1:...@", source)


def read_address(source: str) -> Address:
    """Return the parts of an address; raise `SourceError` for one that is wrong or holds a password."""
    shown = without_secret(source)
    if shown != source:
        raise SourceError(
            "a password in an address is visible to other users",
            file=shown,
            hint="omit it, and use --password, --password-file, MYSQL_PWD or an option file",
        )
    try:
        parts = urlsplit(source)
        port = parts.port or 0
        place = parts.netloc.rpartition("@")[2]
        host = (parts.hostname or "") if place.startswith("[") else unquote(place.partition(":")[0])
    except ValueError as error:
        raise SourceError(f"not a server address: {error}", file=shown, hint=_FORM) from error
    log = unquote(parts.path.removeprefix("/"))
    if "/" in log or parts.fragment:
        raise SourceError("not the address of a log: a log name cannot contain / or #", file=shown, hint=_FORM)
    socket, from_first, gtid = _query(shown, parts.query)
    if host.startswith("/"):
        host, socket = "", host
    if from_first and log:
        raise SourceError("?from=first starts with the first log: omit the name of the log", file=shown, hint=_FORM)
    return Address(host, port, socket, unquote(parts.username or ""), log, from_first, gtid)


def _query(shown: str, query: str) -> tuple[str, bool, str | None]:
    socket, from_first, gtid = "", False, None
    for name, value in parse_qsl(query, keep_blank_values=True):
        if name == "socket":
            socket = value
        elif name == "gtid":
            gtid = value
        elif (name, value) == ("from", "first"):
            from_first = True
        else:
            hint = "allowed are gtid=, from=first and socket="
            raise SourceError(f"{name}={value} is not allowed in an address", file=shown, hint=hint)
    return socket, from_first, gtid
