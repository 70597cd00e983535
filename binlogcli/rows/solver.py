"""Finds the precision of MariaDB's old TIME(n), DATETIME(n), TIMESTAMP(n), which stands nowhere in a log.

Every assignment of 0 to 6 digits is tried on all rows of an event, column by column; it fits if the rows end exactly
where the event does and all values are legal. Only when one assignment fits is it used.
"""

from __future__ import annotations

from binlogcli.errors import DecodeError
from binlogcli.log.cursor import Cursor
from binlogcli.rows.column import Column, Moment, Sink
from binlogcli.rows.image import DELETE, UPDATE, WRITE
from binlogcli.rows.plan import OLD_TEMPORAL, TablePlan, make_plan

MAX_STEPS = 200_000  # values looked at before giving up
MAX_DEPTH = 200  # columns to be solved; the search calls itself for each
NULLS = -1  # beside the precisions by column index: where the null bits of the image stand


class LegalSink(Sink):
    """Refuses values that no server writes."""

    def put_time(self, column: Column, moment: Moment) -> None:
        """A TIME: minutes and seconds below 60, hours up to 838."""
        if moment.hour > 838 or moment.minute > 59 or moment.second > 59:
            raise DecodeError("no legal TIME")

    def put_datetime(self, column: Column, moment: Moment) -> None:
        """A DATETIME: each part within its range."""
        date = moment.year <= 9999 and moment.month <= 12 and moment.day <= 31
        if not date or moment.hour > 23 or moment.minute > 59 or moment.second > 59:
            raise DecodeError("no legal DATETIME")


class TooManyStepsError(Exception):
    """The search was given up."""


class Solver:
    """The search over one event's rows."""

    def __init__(self, plan: TablePlan, data: bytes, end: int) -> None:
        self.plan = plan
        self.cursor = Cursor(data)
        self.end = end
        self.sink = LegalSink()
        self.steps = 0
        self.fits: list[dict[int, int]] = []
        infos = plan.definition.columns
        self.readers = {at: [OLD_TEMPORAL[infos[at].code](infos[at], fsp) for fsp in range(7)] for at in plan.ambiguous}

    def solve(self, pos: int, images: list[list[Column]]) -> dict[int, int] | None:
        """The one assignment that fits rows of these images from `pos` to the end, or None."""
        if len(self.readers) > MAX_DEPTH:
            raise TooManyStepsError
        self.search(pos, images, 0, 0, {})
        return self.fits[0] if len(self.fits) == 1 else None

    def search(self, pos: int, images: list[list[Column]], image: int, column: int, known: dict[int, int]) -> None:
        """Read on from a column of an image; branch at a column whose precision is not assumed yet."""
        columns = images[image]
        nulls = pos if column == 0 else known[NULLS]
        if column == 0:
            pos += (len(columns) + 7) // 8
            known = {**known, NULLS: nulls}
        while True:
            if column == len(columns):
                image = (image + 1) % len(images)
                column = 0
                if image == 0 and pos == self.end:
                    self.fits.append({at: fsp for at, fsp in known.items() if at >= 0})
                    return
                if pos >= self.end:
                    return
                columns = images[image]
                nulls = pos
                known = {**known, NULLS: nulls}
                pos += (len(columns) + 7) // 8
                continue
            if pos > self.end:
                return
            if self.cursor.data[nulls + (column >> 3)] >> (column & 7) & 1:
                column += 1
                continue
            index = columns[column].index
            if index in self.readers and index not in known:
                self.branch(pos, images, image, column, known)
                return
            reader = self.readers[index][known[index]] if index in self.readers else columns[column]
            pos = self.read(reader, pos)
            if pos < 0:
                return
            column += 1

    def branch(self, pos: int, images: list[list[Column]], image: int, column: int, known: dict[int, int]) -> None:
        """Try each precision of the column at `pos`."""
        index = images[image][column].index
        for fsp, reader in enumerate(self.readers[index]):
            after = self.read(reader, pos)
            if after >= 0 and len(self.fits) < 2:
                self.search(after, images, image, column + 1, {**known, index: fsp})

    def read(self, reader: Column, pos: int) -> int:
        """The place after a value, or -1 where it is not legal."""
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise TooManyStepsError
        try:
            self.cursor.point(pos, self.end)
            skip_value(reader, self.cursor, self.sink)
        except DecodeError:
            return -1
        return self.cursor.pos


def skip_value(reader: Column, cursor: Cursor, sink: Sink) -> None:
    """Read one value for nothing but its legality."""
    reader.read(cursor, sink)


def solve(plan: TablePlan, data: bytes, start: int, end: int, operation: int, before: bytes, after: bytes) -> TablePlan:
    """A plan without ambiguous columns for this event, or one whose `reason` says why there is none."""
    images = {
        WRITE: [plan.present(before)],
        UPDATE: [plan.present(before), plan.present(after)],
        DELETE: [plan.present(before)],
    }[operation]
    found = None
    try:
        found = Solver(plan, data, end).solve(start, images) if start < end else {}
    except TooManyStepsError:
        reason = "too many assignments to try"
    else:
        reason = "more than one or no assignment of digits fits"
    if found is None:
        names = ", ".join(plan.names[at] for at in plan.ambiguous)
        return TablePlan(
            plan.definition,
            [],
            f"the log does not say how many digits of a second {names} have ({reason}); pass --schema",
        )
    key = tuple(sorted(found.items()))
    solved = plan.solved.get(key)
    if solved is None:
        solved = make_plan(plan.definition, found)
        plan.solved[key] = solved
    return solved
