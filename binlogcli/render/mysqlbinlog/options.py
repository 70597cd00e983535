"""What the text is to hold, under the names that mysqlbinlog's options have."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import tzinfo
from types import MappingProxyType
from typing import NamedTuple

AUTO, NEVER, DECODE_ROWS = "auto", "never", "decode-rows"


class TextOptions(NamedTuple):
    """`mariadb` says whose wording it is, None: that of the log's own family."""

    verbose: int = 0
    base64_output: str = AUTO
    short_form: bool = False
    hexdump: bool = False
    print_table_metadata: bool = False
    rewrite_db: Mapping[str, str] = MappingProxyType({})
    disable_log_bin: bool = False
    set_charset: str = ""
    skip_gtids: bool = False
    idempotent: bool = False
    flashback: bool = False
    offset: int = 0
    local_load: str | None = None
    mariadb: bool | None = None
    zone: tzinfo | None = None
    begins_at: int = 0  # the place in the first log that was asked for
    filtered: bool = False  # whether statements are chosen by database or table

    @property
    def encoded(self) -> bool:
        """Whether row events are printed in base64."""
        return self.base64_output == AUTO and not self.short_form

    def database(self, name: str) -> str:
        """A database's name, or the one it is rewritten to."""
        return self.rewrite_db.get(name, name)
