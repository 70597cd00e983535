"""Where the bytes of a log come from: files, pipes, stdin, compressed or not, index files that list logs, servers.

A source knows nothing of events: whether its bytes are a log is for the log reader to say, and
`sniff.describe`, imported when it is needed, names what they are instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from binlogcli.errors import SourceError
from binlogcli.names.magics import LOG_MAGICS
from binlogcli.sources import compressed
from binlogcli.sources.files import open_raw
from binlogcli.sources.index import has_index_name, read_index
from binlogcli.sources.source import Source

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Source", "expand", "is_server", "open_source"]

SERVER_SCHEMES = ("mysql://", "mariadb://")


def is_server(path: str) -> bool:
    """Whether a path is the address of a live server."""
    return path[:10].lower().startswith(SERVER_SCHEMES)


def open_source(path: str) -> Source:
    """The bytes of the log at `path` (`-`: stdin), decompressed where its first bytes ask for that."""
    if is_server(path):
        from binlogcli.sources.server.source import open_server  # noqa: PLC0415 - imports the library of handshakes

        return open_server(path)
    raw = open_raw(path)
    try:
        compression = compressed.compression_of(raw.head(compressed.HEAD))
        return compressed.CompressedSource(raw, compression) if compression else raw
    except SourceError:
        raw.close()
        raise


def expand(paths: Sequence[str]) -> list[str]:
    """`paths` with each index file replaced by the logs it lists, in its order."""
    logs: list[str] = []
    for path in paths:
        if has_index_name(path):
            with open_source(path) as source:
                if source.head(4) not in LOG_MAGICS:  # a log may bear any name
                    logs += read_index(source)
                    continue
        logs.append(path)
    return logs
