"""Tells logs from other files that `stats` reads, without importing what reads those."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from binlogcli.errors import SourceError
from binlogcli.names.magics import LOG_MAGICS
from binlogcli.sources.files import is_pipe
from binlogcli.sources.opening import is_server, open_source

if TYPE_CHECKING:
    from binlogcli.stats.witnesses.reading import Witness


def witnesses_among(paths: Sequence[str], sections: Sequence[str]) -> list[Witness]:
    """Return those of the paths that are files beside logs, if their section is among these, or there are none."""
    found = []
    for path in paths:
        if is_server(path) or is_pipe(path) or _begins_as_log(path):
            continue
        from binlogcli.stats.witnesses.reading import find_witness  # only for other files

        witness = find_witness(path)
        if witness is not None and (not sections or witness.section in sections):
            found.append(witness)
    return found


def _begins_as_log(path: str) -> bool:
    """Whether a file has the first bytes of a log, or cannot be read."""
    try:
        with open_source(path) as source:
            return source.head(4) in LOG_MAGICS
    except SourceError:
        return True
