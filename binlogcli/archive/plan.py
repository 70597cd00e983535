"""Where an archive continues: its end, compared with the logs that the server still has."""

from __future__ import annotations

from dataclasses import dataclass

from binlogcli.errors import ServerError, counted
from binlogcli.names.event_types import ROTATE_EVENT, STOP_EVENT
from binlogcli.sources.log_names import read_log_name
from binlogcli.sources.server.logs import ServerLog

CLOSING = (ROTATE_EVENT, STOP_EVENT)


@dataclass(frozen=True, slots=True)
class Step:
    """The log to request next and from where; `gap`: why events before it are missing, `cut`: where to cut the copy."""

    log: str
    position: int | None = None  # None: from its beginning
    gap: str = ""
    cut: int | None = None


def next_step(log: str, end: int, last_type: int, has: list[ServerLog], *, torn: bool = False) -> Step:
    """Return how to continue after `log`, which the archive has up to `end`; `torn`: the server cannot send more."""
    sizes = {one.name: one.size for one in has}
    if log in sizes and not torn:
        return Step(log, min(end, sizes[log]), cut=sizes[log] if sizes[log] < end else None)
    steps = {one.name: _steps_between(log, one.name) for one in has}
    later = [name for name, count in steps.items() if count > 0]
    if not later and log in sizes:
        return Step(log, end)
    if not later:
        raise ServerError(
            f"has reset its logs: it has {has[0].name} to {has[-1].name}, but {log} should follow",
            hint="choose a new directory for the new logs",
        )
    if log in sizes:
        lost = f"the last {counted(sizes[log] - end, 'byte')} of {log}" if sizes[log] > end else f"the end of {log}"
        return Step(later[0], gap=f"the server cannot send {lost}: a crash has damaged it")
    between = steps[later[0]] - 1
    if between == 0 and last_type in CLOSING:
        return Step(later[0])
    rest = "" if last_type in CLOSING else f"the end of {log} and "
    missing = f"{rest}{counted(between, 'log')}" if between else f"the end of {log}"
    return Step(later[0], gap=f"the server has purged {missing} before {later[0]}; it is missing from the archive")


def _steps_between(before: str, after: str) -> int:
    """Return by how much the second log's number is higher; 0 where the names are not of one series."""
    one, other = read_log_name(before), read_log_name(after)
    return other.number - one.number if one is not None and other is not None and one.base == other.base else 0
