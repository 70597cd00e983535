"""Where an archive goes on: what it holds, held against what the server still has."""

from __future__ import annotations

from dataclasses import dataclass

from binlogcli.errors import ServerError, counted
from binlogcli.sources.server.logs import ServerLog

ROTATE, STOP = 4, 3
CLOSING = (ROTATE, STOP)


@dataclass(frozen=True, slots=True)
class Step:
    """The log to ask for next and where. `gap` tells why something before it is missing, `cut` where the copy ends."""

    log: str
    position: int | None = None  # None: from its beginning
    gap: str = ""
    cut: int | None = None


def next_step(log: str, end: int, last_type: int, has: list[ServerLog], *, torn: bool = False) -> Step:
    """How to go on after `log`, of which the archive has all events up to `end`; `torn`: the server has no more."""
    sizes = {one.name: one.size for one in has}
    if log in sizes and not torn:
        return Step(log, min(end, sizes[log]), cut=sizes[log] if sizes[log] < end else None)
    later = [one.name for one in has if number_of(one.name) > number_of(log) and base_of(one.name) == base_of(log)]
    if not later and log in sizes:
        return Step(log, end)
    if not later:
        raise ServerError(
            f"has begun its logs anew: {has[0].name} to {has[-1].name}, where {log} should follow",
            hint="choose a new directory for them",
        )
    if log in sizes:
        lost = f"the last {counted(sizes[log] - end, 'byte')} of {log}" if sizes[log] > end else f"the end of {log}"
        return Step(later[0], gap=f"the server cannot send {lost}, which a crash has torn")
    if number_of(later[0]) == number_of(log) + 1 and last_type in CLOSING:
        return Step(later[0])
    rest = "" if last_type in CLOSING else f"the end of {log} and "
    between = number_of(later[0]) - number_of(log) - 1
    missing = f"{rest}{counted(between, 'log')}" if between else f"the end of {log}"
    return Step(later[0], gap=f"the server has purged {missing} before {later[0]}: this is not in the archive")


def number_of(name: str) -> int:
    """The number that a log's name ends in."""
    digits = name.rpartition(".")[2]
    return int(digits) if digits.isascii() and digits.isdigit() else -1


def base_of(name: str) -> str:
    """A log's name without its number."""
    return name.rpartition(".")[0]
