"""Encrypted logs read as plain ones: a source of encrypted bytes becomes a source of plain ones.

The library of ciphers is imported when keys are given, and not before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from binlogcli.names.magics import ENCRYPTED_MAGIC

if TYPE_CHECKING:
    from binlogcli.crypto.keys import Keys
    from binlogcli.sources.source import Source

__all__ = ["KeyOptions", "encryption_of", "open_decrypted"]


PASSWORD_VARIABLE = "BINLOGCLI_KEY_FILE_PASSWORD"  # noqa: S105 - its name


class KeyOptions(NamedTuple):
    """Where keys are. A password comes from its file or from the environment, never as an argument."""

    key_file: str | None = None
    password_file: str | None = None
    algorithm: str = "auto"
    keyring: str | None = None

    @property
    def given(self) -> bool:
        """Whether there are keys at all."""
        return self.key_file is not None or self.keyring is not None


def encryption_of(source: Source) -> str | None:
    """The server family whose encryption a log is under, or None where it is plain."""
    if source.head(4) == ENCRYPTED_MAGIC:
        return "MySQL"
    from binlogcli.crypto.start import find_encryption  # noqa: PLC0415 - only where keys were given

    return "MariaDB" if find_encryption(source) else None


def open_decrypted(source: Source, keys: Keys) -> Source:
    """A source of the plain bytes of a log, as its server sends them; the same source where there is nothing to do.

    That is where the log is plain, or where the keys are for the other family's logs.
    """
    kind = encryption_of(source)
    if kind == "MySQL" and keys.keyring is not None:
        from binlogcli.crypto.mysql import MysqlSource  # noqa: PLC0415 - only for encrypted logs

        return MysqlSource(source, keys.keyring)
    if kind == "MariaDB" and keys.key_file is not None:
        from binlogcli.crypto.mariadb import MariadbSource  # noqa: PLC0415 - only for encrypted logs

        return MariadbSource(source, keys.key_file, keys.algorithm)
    return source
