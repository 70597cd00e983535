"""Logs as text, within the test's own process: what is written, and the damage that is told."""

from __future__ import annotations

from datetime import UTC
from pathlib import Path
from typing import Any

from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.crypto.keys import Keys
from binlogcli.events.log import Log
from binlogcli.events.stream import ReadOptions
from binlogcli.log.gaps import Damage
from binlogcli.render.mysqlbinlog.options import TextOptions
from binlogcli.render.mysqlbinlog.printer import Mysqlbinlog


class HastyPrinter(Mysqlbinlog):
    """Holds nothing of a statement back: all parts of it but the first come from a second reading."""

    def new_text(self, *, mariadb: bool) -> Any:
        text = super().new_text(mariadb=mariadb)
        text.held_bytes = 0
        return text


class FragmentingPrinter(HastyPrinter):
    """Takes every statement of more than one event for one that is too large for a server."""

    def new_text(self, *, mariadb: bool) -> Any:
        text = super().new_text(mariadb=mariadb)
        text.encoded_limit = 0
        return text


def text_and_damage(
    *paths: Path | str, printer: type[Mysqlbinlog] = Mysqlbinlog, keys: Keys | None = None, **options: Any
) -> tuple[bytes, list[Damage]]:
    """The text of logs, times in UTC, and what was damaged."""
    pieces: list[bytes] = []
    damage: list[Damage] = []
    given = TextOptions(**{"zone": UTC, **options})
    made = printer(TextBuffer(), given, lambda piece: pieces.append(bytes(piece)))
    for path in paths:
        with Log(str(path), ReadOptions(keys=keys)) as log:
            made.run(log, damage.append)
    made.finish()
    return b"".join(pieces), damage


def text_of(*paths: Path | str, **options: Any) -> bytes:
    """The text of logs, times in UTC."""
    return text_and_damage(*paths, **options)[0]
