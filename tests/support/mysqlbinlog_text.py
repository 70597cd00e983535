"""The text of logs, made within the test's process, and the damage reported meanwhile."""

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
    """A printer that keeps nothing of a statement: all parts but the first come from a second reading."""

    def new_text(self, *, mariadb: bool) -> Any:
        text = super().new_text(mariadb=mariadb)
        text.held_bytes = 0
        return text


class FragmentingPrinter(HastyPrinter):
    """A printer that splits each statement of more than one event, as if it were too large for a server."""

    def new_text(self, *, mariadb: bool) -> Any:
        text = super().new_text(mariadb=mariadb)
        text.encoded_limit = 0
        return text


def text_and_damage(
    *paths: Path | str, printer: type[Mysqlbinlog] = Mysqlbinlog, keys: Keys | None = None, **options: Any
) -> tuple[bytes, list[Damage]]:
    """Return the text of logs, with times in UTC, and the damage in them."""
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
    """Return the text of logs, with times in UTC."""
    return text_and_damage(*paths, **options)[0]
