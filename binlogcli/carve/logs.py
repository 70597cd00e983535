"""Puts the fragments of a file together to logs.

The idea: a fragment follows another one of its log where its position is not before the other's end, and neither is its
time, where a server wrote both, and both have checksums or none has. Of several logs that fit, the one is taken whose
end is at the same position, else the one that was written last before the fragment: servers write one log at a time.
A log that begins, and what follows a ROTATE or STOP event, is a log of its own. So copies of a log stay apart, as do
logs whose positions are the same.

How events are laid out is what the format description in the log says, else that of the nearest log of that server,
else what servers of the family write today.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from binlogcli.carve.fragment import Fragment
from binlogcli.log.format import NAMELESS_MARIADB, LogFormat
from binlogcli.names.event_types import (
    ANNOTATE_ROWS_EVENT,
    GTID_LOG_EVENT,
    ROTATE_EVENT,
    START_ENCRYPTION_EVENT,
    STOP_EVENT,
)

OWN, NEAREST, ASSUMED = "own", "nearest", "assumed"
_MARIADB, _MYSQL = "MariaDB", "MySQL"
_SLACK = 3600  # seconds that a clock may have gone back
_LAST_EVENTS = (ROTATE_EVENT, STOP_EVENT)


@dataclass(slots=True)
class FoundLog:
    """A log of which fragments were found, in the order of their positions."""

    name: str = ""
    fragments: list[Fragment] = field(default_factory=list)
    log_format: LogFormat = field(default_factory=LogFormat)
    format_from: str = OWN  # or NEAREST: of another log, or ASSUMED

    @property
    def last(self) -> Fragment:
        """The fragment with the last positions."""
        return self.fragments[-1]

    @property
    def encrypted(self) -> bool:
        """Whether the events after those found are encrypted."""
        return self.last.last_type == START_ENCRYPTION_EVENT

    def position_of(self, offset: int) -> int | None:
        """Return where in the log the byte at an offset of the file is; None where it is not in the log."""
        for fragment in self.fragments:
            if fragment.offset <= offset < fragment.end:
                return fragment.position + offset - fragment.offset
        return None


def logs_of(name: str, fragments: Sequence[Fragment]) -> list[FoundLog]:
    """Return the logs that the fragments of the file `name` are of, in the order in which they were written."""
    logs: list[FoundLog] = []
    for fragment in sorted(fragments, key=lambda one: (one.first_time, one.position, one.offset)):
        log = None if fragment.begins else _log_for(fragment, logs)
        if log is None:
            log = FoundLog()
            logs.append(log)
        log.fragments.append(fragment)
    logs.sort(key=lambda log: (log.fragments[0].first_time, log.fragments[0].offset))
    for number, log in enumerate(logs, 1):
        log.name = f"{name}:log-{number}"
        _set_format(log, fragments)
    return logs


def _log_for(fragment: Fragment, logs: Sequence[FoundLog]) -> FoundLog | None:
    """Return the log that a fragment continues; None where it continues none."""
    fitting = [log for log in logs if _continues(log.last, fragment)]
    if not fitting:
        return None
    return min(fitting, key=lambda log: _distance(log.last, fragment))


def _distance(last: Fragment, fragment: Fragment) -> tuple[bool, int, int]:
    """Return how far a fragment is from the end of a log: in its positions, in time, in the file."""
    gap = fragment.position != last.last_position
    return gap, abs(fragment.first_time - last.last_time), abs(fragment.offset - last.end)


def _continues(last: Fragment, fragment: Fragment) -> bool:
    """Whether a fragment may be of the log that ends with another one."""
    if last.last_type in _LAST_EVENTS or fragment.position < last.last_position:
        return False
    if last.summed != fragment.summed or last.proof != fragment.proof:
        return False
    if not set(last.server_ids) & set(fragment.server_ids):
        return False
    if {_family(last), _family(fragment)} == {_MARIADB, _MYSQL}:
        return False
    return not (last.last_time and fragment.first_time) or fragment.first_time >= last.last_time - _SLACK


def _family(fragment: Fragment) -> str:
    """Return which family of servers wrote the events, as their types or their format description tell; or ""."""
    if fragment.log_format is not None:
        return _MARIADB if fragment.log_format.mariadb else _MYSQL
    if any(fragment.types[ANNOTATE_ROWS_EVENT:]):
        return _MARIADB
    return _MYSQL if any(fragment.types[GTID_LOG_EVENT:ANNOTATE_ROWS_EVENT]) else ""


def _set_format(log: FoundLog, fragments: Sequence[Fragment]) -> None:
    """Set how the events of a log are laid out, and where that is known from."""
    first = log.fragments[0]
    if first.log_format is not None:
        log.log_format, log.format_from = first.log_format, OWN
        return
    near = [other for other in fragments if other.log_format is not None and _fits(other.log_format, other, log)]
    if near:
        nearest = min(near, key=lambda other: abs(other.offset - first.offset))
        log.log_format, log.format_from = nearest.log_format or LogFormat(), NEAREST
    else:
        version = NAMELESS_MARIADB if _MARIADB in map(_family, log.fragments) else ""
        log.log_format, log.format_from = LogFormat(server_version=version), ASSUMED
    log.log_format = log.log_format._replace(checksum=1 if first.summed else 0)


def _fits(log_format: LogFormat, of: Fragment, log: FoundLog) -> bool:
    """Whether the events of a log can be laid out as a format description of another log says."""
    sizes = log_format.post_header_len
    if not set(of.server_ids) & set(log.fragments[0].server_ids):
        return False
    for fragment in log.fragments:
        codes = [code for code, found in enumerate(fragment.types) if found]
        if codes and codes[-1] > len(sizes):
            return False
        if _family(fragment) not in ("", _MARIADB if log_format.mariadb else _MYSQL):
            return False
    return True
