"""Read, explain and convert the binary logs of MySQL and MariaDB.

`open` gives the events of a log; everything else stands in the packages below.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from binlogcli.crypto.keys import Keys
    from binlogcli.events.log import Log
    from binlogcli.schema.catalog import Schema

__version__ = "0.1.0"


def open(  # noqa: A001
    path: str,
    *,
    verify: bool = True,
    max_event_size: int = 1 << 30,
    schema: Schema | None = None,
    keys: Keys | None = None,
) -> Log:
    """The log at a path ("-" is stdin): iterate over it for its events.

    `verify` checks checksums; `max_event_size` caps events and what they decompress to; `schema` is a
    `binlogcli.schema.catalog.Schema` for what the log does not say of its tables; `keys`, of
    `binlogcli.crypto.keys.load_keys`, open it where it is encrypted.
    """
    from binlogcli.events.log import Log  # noqa: PLC0415 - importing the package costs nothing until it is used
    from binlogcli.events.stream import ReadOptions  # noqa: PLC0415

    return Log(path, ReadOptions(verify=verify, max_event_size=max_event_size, keys=keys), schema)
