"""What a SOURCE of the command line is, and its bytes: files, servers, captures and index files are distinguished here.

A name tells the address of a server, stdin and an index file. The first bytes tell compressed data, which is read
through, a capture, a log, and whatever else `sniff` can name. Sources know nothing of events; `crypto.opening` comes
after this, for encrypted logs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from binlogcli.errors import KeyNeededError, SourceError
from binlogcli.names.magics import CAPTURE_MAGICS, ENCRYPTED_MAGIC, LOG_MAGICS, MAGIC, PCAPNG_MAGIC
from binlogcli.sources import compressed
from binlogcli.sources.files import is_pipe, open_raw
from binlogcli.sources.index import has_index_name, read_index
from binlogcli.sources.urls import local_path

if TYPE_CHECKING:
    from collections.abc import Sequence

    from binlogcli.sources.server.address import Address
    from binlogcli.sources.source import Source

_SERVER_SCHEMES = ("mysql://", "mariadb://")
_SNIFFED = 1 << 16  # first bytes in which a file that is not a log is recognized


def is_server(path: str) -> bool:
    """Whether a path has the form of a server's address; the address itself may be wrong."""
    return path[:10].lower().startswith(_SERVER_SCHEMES)


def address_of(path: str, *, remote: bool = False) -> Address | None:
    """Return the server's log that a SOURCE names; None for a file. `remote`: SOURCEs are names of a server's logs."""
    if not remote and not is_server(path):
        return None
    from binlogcli.sources.server.address import Address, read_address  # only for servers

    return Address(log=path) if remote else read_address(path)


def open_source(path: str) -> Source:
    """Open the bytes at `path` (`-`: stdin; an address: the server's log), decompressed if their first bytes say so."""
    address = address_of(path)
    if address is not None:
        from binlogcli.sources.server.source import open_server  # imports the library of handshakes

        return open_server(address)
    raw = open_raw(local_path(path))
    try:
        compression = compressed.compression_of(raw.head(compressed.HEAD))
        return compressed.CompressedSource(raw, compression) if compression else raw
    except SourceError:
        raw.close()
        raise


def is_capture(source: Source) -> bool:
    """Whether the bytes are those of a network capture."""
    return source.head(len(PCAPNG_MAGIC)) in CAPTURE_MAGICS


def is_plain_file(path: str) -> bool:
    """Whether a path is a file that holds one log and can be read again; also True for one that cannot be read."""
    if is_server(path) or is_pipe(path):
        return False
    try:
        with open_source(path) as source:
            return not is_capture(source)
    except SourceError:
        return True


def expand(paths: Sequence[str]) -> list[str]:
    """Return the paths with each index file replaced by the logs it lists, in its order."""
    logs: list[str] = []
    for path in paths:
        if has_index_name(path):
            with open_source(path) as source:
                if source.head(4) not in LOG_MAGICS:  # a log may bear any name
                    logs += read_index(source)
                    continue
        logs.append(path)
    return logs


def refuse_other_files(source: Source) -> None:
    """Raise `SourceError` with the name of what the file is, unless it may be a plain log, however damaged."""
    if source.head(len(MAGIC)) == MAGIC:  # of a log that is being written, no more may be there
        return
    head = source.head(_SNIFFED)
    if head.startswith(ENCRYPTED_MAGIC):
        raise KeyNeededError("the log is encrypted by MySQL", file=source.name, offset=0, hint="pass --keyring")
    from binlogcli.sources.sniff import describe  # only for what is not a log

    what = describe(head, source.name)
    if what is not None:
        raise SourceError(f"{what.kind}, {what.why}", file=source.name, hint=what.hint)


def no_event_error(path: str) -> SourceError:
    """Return the error of a file that `sniff` has no name for and that holds no event."""
    hint = "check the name; unpack or decrypt the file first if another program packed or encrypted it"
    return SourceError("not a binary log: no events found", file=path, hint=hint)
