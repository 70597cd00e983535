"""The keys of a command: read once, used for all its logs, overwritten at the end."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from binlogcli.crypto.key_file import KeyFile, read_key_file
from binlogcli.crypto.key_options import KeyOptions
from binlogcli.crypto.keyring import Keyring, read_keyring
from binlogcli.crypto.secret import openness, read_secret, wipe
from binlogcli.errors import KeyFileError

_LONGEST_PASSWORD = 4096


class Keys:
    """The keys of a key file (MariaDB) and of a keyring (MySQL); made by `load_keys`."""

    def __init__(
        self, key_file: KeyFile | None = None, keyring: Keyring | None = None, algorithm: str = "auto"
    ) -> None:
        self.key_file = key_file
        self.keyring = keyring
        self.algorithm = algorithm
        self.warnings: list[str] = []

    def wipe(self) -> None:
        """Overwrite all keys."""
        for keys in (self.key_file, self.keyring):
            if keys is not None:
                keys.wipe()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.wipe()


def load_keys(options: KeyOptions, password: str | None = None) -> Keys:
    """Read the files that the options name; a password file goes before `password`."""
    keys = Keys(algorithm=options.algorithm)
    secret: bytearray | None = None
    if options.password_file is not None:
        secret = _read_password(options.password_file)
    elif password:
        secret = bytearray(password, "utf-8", "surrogateescape")
    try:
        if options.key_file is not None:
            keys.key_file = read_key_file(options.key_file, secret)
        if options.keyring is not None:
            keys.keyring = read_keyring(options.keyring, secret)
    except KeyFileError:
        keys.wipe()
        raise
    finally:
        if secret is not None:
            wipe(secret)
    for path in (options.key_file, options.password_file, options.keyring):
        warning = openness(path) if path is not None else None
        if warning is not None:
            keys.warnings.append(warning)
    return keys


def _read_password(path: str) -> bytearray:
    """Read a password as the server does: without the line's end, up to the first NUL."""
    secret = read_secret(path, "the password file")
    nul = secret.find(0)
    if nul >= 0:
        del secret[nul:]
    while secret and secret[-1] in b"\r\n":
        del secret[-1]
    if not secret or len(secret) > _LONGEST_PASSWORD:
        size = len(secret)
        wipe(secret)
        reason = "the password file is empty" if size == 0 else f"{size} bytes are too many for a password"
        raise KeyFileError(reason, file=path, hint="the file must contain only the password")
    return secret
