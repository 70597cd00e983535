"""Where the keys of encrypted logs are, as the command line names them; read without the library of ciphers."""

from __future__ import annotations

from typing import NamedTuple

PASSWORD_VARIABLE = "BINLOGCLI_KEY_FILE_PASSWORD"  # noqa: S105 - its name


class KeyOptions(NamedTuple):
    """Files of keys. A password comes from its file or from the environment, never as an argument."""

    key_file: str | None = None
    password_file: str | None = None
    algorithm: str = "auto"
    keyring: str | None = None

    @property
    def given(self) -> bool:
        """Whether a key file or keyring is named."""
        return self.key_file is not None or self.keyring is not None
