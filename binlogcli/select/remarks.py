"""What is said of a choice of events once all logs were read: which filters have matched nothing, and why."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, NamedTuple

from binlogcli.errors import counted
from binlogcli.select.times import time_text
from binlogcli.select.values.where import WhereError

if TYPE_CHECKING:
    from binlogcli.select.by_name import NameChoice
    from binlogcli.select.by_operation import OperationChoice
    from binlogcli.select.choice import Choice
    from binlogcli.select.patterns import TypeChoice
    from binlogcli.select.values.conditions import RowFilter


class Outcome(NamedTuple):
    """What a choice of events has come to in the end."""

    choice: Choice
    notes: list[str]  # that were made on the way
    shown: int  # events
    late: bool  # whether an event was at the start time or later
    begun: bool  # whether an event was at the start position or after it
    names: NameChoice
    operations: OperationChoice
    types: TypeChoice
    types_seen: bytes  # 1 for each type of which an event was in range, else 0
    servers_seen: Collection[int]
    rows: RowFilter | None
    matched_nothing: bool  # `--grep` has


def remarks_of(outcome: Outcome) -> list[str]:
    """Return the lines to print at the end: filters that matched nothing, a start position between events."""
    problem = problem_of(outcome.rows)
    found = [*outcome.notes, *_unmatched(outcome)]
    if outcome.rows is not None and problem is None:
        found += _rows_left_out(outcome.rows, where=outcome.choice.where is not None)
    if outcome.matched_nothing:
        found.append("--grep: nothing matched")
    if not found and outcome.shown == 0 and problem is None:
        found.append(f"no event matched the filters{_times(outcome.choice)}")
    return found


def problem_of(rows: RowFilter | None) -> WhereError | None:
    """Return an error where a column of `--where` was in no table, else None."""
    if rows is None or not rows.lacking:
        return None
    for column in rows.lacking.values():
        if column not in rows.found:
            if column.startswith("@"):
                return WhereError(f"--where: no table has a column {column}", hint="@1 is the first column")
            hint = "if the log has no column names, write @N or pass --schema"
            return WhereError(f"--where: no table has a column named {column}", hint=hint)
    return None


def _times(choice: Choice) -> str:
    """Return what was understood of the times, to end a message."""
    since = "" if choice.start_time is None else f" from {time_text(choice.start_time, choice.zone)} on"
    until = "" if choice.stop_time is None else f" before {time_text(choice.stop_time, choice.zone)}"
    return f",{since}{until}" if since or until else ""


def _rows_left_out(rows: RowFilter, *, where: bool) -> list[str]:
    """Return a line on tables that lack a column which others have, and one where no row matched `--where`."""
    tables = list(rows.lacking)
    lines = []
    if tables:
        more = f" and {counted(len(tables) - 3, 'more table')}" if len(tables) > 3 else ""
        lines.append(f"--where: rows of {', '.join(tables[:3])}{more} do not match: the table lacks that column")
    if where and rows.matched == 0:
        lines.append("--where: no row matched")
    if rows.unsure:
        names = list(rows.unsure)
        lines.append(
            f"--where: unknown whether {', '.join(names[:3])} is UNSIGNED: rows match as signed or as unsigned; if "
            f"it is UNSIGNED, pass --assume-unsigned {names[0]}"
        )
    return lines


def _unmatched(outcome: Outcome) -> list[str]:
    """Return a line for each filter that matched nothing."""
    choice = outcome.choice
    if choice.start_time is not None and not outcome.late:
        return [f"{choice.since}: no events at or after {time_text(choice.start_time, choice.zone)}"]
    if choice.start_position and not outcome.begun:
        return [f"--start-position {choice.start_position}: no events at or after this position"]
    lines = [*outcome.names.unmatched(), *outcome.operations.unmatched()]
    unseen = [number for number in choice.server_ids if number not in outcome.servers_seen]
    lines += [f"--server-id {number}: nothing matched" for number in unseen]
    lines += [
        f"{option}: none of these transactions was found"
        for option, gtids in (("--include-gtids", choice.include_gtids), ("--exclude-gtids", choice.exclude_gtids))
        if gtids is not None and not gtids.found
    ]
    return lines or outcome.types.unmatched(outcome.types_seen)
