"""Read, explain and convert the binary logs of MySQL and MariaDB.

`open` returns a log whose events can be iterated over, `read_lake` a table that `to-parquet` has made; all else is in
the packages below.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from binlogcli.crypto.keys import Keys
    from binlogcli.events.log import Log
    from binlogcli.schema.catalog import Catalog

__version__ = "0.1.0"


def open(  # noqa: A001
    path: str,
    *,
    verify: bool = True,
    max_event_size: int = 1 << 30,
    schema: Catalog | None = None,
    keys: Keys | None = None,
) -> Log:
    """Open the log at a path ("-" is stdin) as an iterable of events, `Damage` and `Padding`.

    `verify` turns the check of checksums on or off. `max_event_size` limits events and their decompressed content, in
    bytes. `schema`, a `binlogcli.schema.catalog.Catalog`, has what a log does not tell of its tables, such as the names
    of columns; it learns from the statements of each log that is opened with it. Without one, the statements of this
    log alone tell. `keys`, from `binlogcli.crypto.keys.load_keys`, decrypt an encrypted log. `SourceError` if the path
    cannot be read as a log.
    """
    from binlogcli.events.log import Log  # importing the package alone loads nothing else
    from binlogcli.events.stream import ReadOptions
    from binlogcli.schema.catalog import Catalog

    options = ReadOptions(verify=verify, max_event_size=max_event_size, keys=keys)
    return Log(path, options, Catalog() if schema is None else schema)


def read_lake(directory: str, table: str, columns: Sequence[str] | None = None) -> pa.RecordBatchReader:
    """Return the rows that `to-parquet` has made of a table, all its versions as one, as a stream of Arrow batches.

    `table` is DATABASE.TABLE; without `columns` all are read. `LakeError` if there is no such directory, table or
    column.
    """
    from binlogcli.lake.lake_table import read_table

    return read_table(directory, table, columns)
