"""From the bytes of a file to those of a plain log: decrypted where keys were given, refused where it is not a log.

The library of ciphers is imported when an encrypted log is opened with its keys, and not before.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from binlogcli.crypto.key_options import PASSWORD_VARIABLE, KeyOptions
from binlogcli.names.magics import ENCRYPTED_MAGIC
from binlogcli.sources.opening import refuse_other_files

if TYPE_CHECKING:
    from binlogcli.crypto.keys import Keys
    from binlogcli.sources.source import Source


@contextmanager
def open_keys(options: KeyOptions) -> Iterator[Keys | None]:
    """Give the keys that the options name, and overwrite them at the end; None where none are named."""
    if not options.given:
        yield None
        return
    from binlogcli.crypto.keys import load_keys  # imports the library of ciphers

    with load_keys(options, os.environ.get(PASSWORD_VARIABLE)) as keys:
        yield keys


def open_plain_log(source: Source, keys: Keys | None) -> Source:
    """Return a source of the log's plain bytes, which replaces `source`.

    Raise `SourceError` if the file is not a log or stays encrypted, `KeyFileError` where a key does not fit; `source`
    is closed then.
    """
    try:
        plain = source if keys is None else open_decrypted(source, keys)
        refuse_other_files(plain)
    except BaseException:
        source.close()
        raise
    return plain


def encryption_of(source: Source) -> str | None:
    """Return the server family that encrypted the log, "MySQL" or "MariaDB"; None where it is plain."""
    if source.head(4) == ENCRYPTED_MAGIC:
        return "MySQL"
    from binlogcli.crypto.start import find_encryption  # only where keys were given

    return "MariaDB" if find_encryption(source) else None


def open_decrypted(source: Source, keys: Keys) -> Source:
    """Return a source of the log's plain bytes, as its server sends them.

    It is `source` itself where the log is plain, or where there are only keys of the other family.
    """
    kind = encryption_of(source)
    if kind == "MySQL" and keys.keyring is not None:
        from binlogcli.crypto.mysql import MysqlSource  # only for encrypted logs

        return MysqlSource(source, keys.keyring)
    if kind == "MariaDB" and keys.key_file is not None:
        from binlogcli.crypto.mariadb import MariadbSource  # only for encrypted logs

        return MariadbSource(source, keys.key_file, keys.algorithm)
    return source
