"""The options of the text, under the names that mysqlbinlog gives them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import tzinfo
from types import MappingProxyType
from typing import NamedTuple

AUTO, NEVER, DECODE_ROWS = "auto", "never", "decode-rows"


class TextOptions(NamedTuple):
    """What the user chose for the text; `mariadb` picks the dialect, None takes that of each log."""

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
    begins_at: int = 0  # start position in the first log
    filtered: bool = False  # the last rows of a statement may not be chosen

    @property
    def encoded(self) -> bool:
        """Whether row events are printed in base64."""
        return self.base64_output == AUTO and not self.short_form

    def database(self, name: str) -> str:
        """Return the name to print for a database: its new one where --rewrite-db has one."""
        return self.rewrite_db.get(name, name)
