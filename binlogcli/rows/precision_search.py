"""Finds the precision of MariaDB's old TIME(n), DATETIME(n), TIMESTAMP(n), which is not in the log.

An assignment of 0 to 6 digits of a second to the columns fits if the rows of an event end exactly where the event does
and all values are legal: a wrong width shifts everything after it, so few assignments do. The search reads the rows
column by column and branches where the precision of a column is not assumed yet; an illegal value or a wrong end cuts
the branch off. It is used only if exactly one assignment fits.

Tried first is what fitted earlier rows of the table, then no fraction at all (values of three or eight bytes, which
other columns hardly ever imitate), then everything. Precisions of 1 and 2 and of 3, 4 and 5 have one width; but read
with a wrong number of digits a present-day year becomes one of antiquity, and most TIMEs become less than -671 hours.
So a first round refuses such values (`_LikelySink`), a second one takes all legal values.

The search is exponential in theory: it stops after `_MAX_STEPS` values, and the rows are reported as unreadable.
"""

from __future__ import annotations

from binlogcli.binary.cursor import Cursor
from binlogcli.errors import DecodeError
from binlogcli.rows.column import Column, Moment, Sink
from binlogcli.rows.images import UPDATE, RowImages
from binlogcli.rows.plan import OLD_TEMPORAL, TablePlan, make_plan

_MAX_STEPS = 50_000  # values looked at before giving up; real tables take some hundreds
_MAX_DEPTH = 200  # columns to be solved; the search calls itself for each
_OLDEST_YEAR = 1000  # the vendors support DATETIME from here on
_LONGEST_NEGATIVE = 671  # hours: a tenth of the range above its lower end, 838:59:59 below zero
_SOLVED_KEPT = 8  # assignments of a table that are kept, and tried first
_NULLS = -1  # beside the precisions by column index: where the null bits of the image stand


class _LegalSink(Sink):
    """Raises `DecodeError` at temporal values that no server writes."""

    def put_date(self, column: Column, moment: Moment) -> None:
        """Check the month."""
        if moment.month > 12:
            raise DecodeError("not a valid DATE")

    def put_time(self, column: Column, moment: Moment) -> None:
        """Check the ranges: minutes and seconds below 60, hours up to 838."""
        if moment.hour > 838 or moment.minute > 59 or moment.second > 59:
            raise DecodeError("not a valid TIME")

    def put_datetime(self, column: Column, moment: Moment) -> None:
        """Check the range of each part."""
        date = moment.year <= 9999 and moment.month <= 12 and moment.day <= 31
        if not date or moment.hour > 23 or moment.minute > 59 or moment.second > 59:
            raise DecodeError("not a valid DATETIME")


class _LikelySink(_LegalSink):
    """Also raises `DecodeError` at values with a fraction that look like ones read with a wrong precision."""

    def put_time(self, column: Column, moment: Moment) -> None:
        """Check that a TIME is not in the lowest tenth of the range."""
        if moment.fsp and moment.negative and moment.hour >= _LONGEST_NEGATIVE:
            raise DecodeError("not a plausible TIME")
        _LegalSink.put_time(self, column, moment)

    def put_datetime(self, column: Column, moment: Moment) -> None:
        """Check that the year is 1000 or later, or that the date is zero."""
        if moment.fsp and moment.year < _OLDEST_YEAR and (moment.year or moment.month or moment.day):
            raise DecodeError("not a plausible DATETIME")
        _LegalSink.put_datetime(self, column, moment)


class _TooManyStepsError(Exception):
    """The search took more than `_MAX_STEPS` values or `_MAX_DEPTH` columns."""


class _PrecisionSearch:
    """The search over one event's rows. Precisions are dictionaries: column index to digits of a second."""

    def __init__(self, plan: TablePlan, data: bytes, end: int) -> None:
        self.plan = plan
        self.cursor = Cursor(data)
        self.end = end
        self.sink: Sink = _LegalSink()
        self.likely = False
        self.steps = 0
        self.fits: list[dict[int, int]] = []
        infos = plan.definition.columns
        self.readers = {at: [OLD_TEMPORAL[infos[at].code](infos[at], fsp) for fsp in range(7)] for at in plan.ambiguous}

    def solve(self, pos: int, images: list[list[Column]]) -> dict[int, int] | None:
        """Return the only assignment with which the rows from `pos` on can be read, or None."""
        plain = dict.fromkeys(self.readers, 0)
        earlier = [dict(key) for key in self.plan.solved]
        first = [known for known in earlier if known != plain]
        for self.likely in (True, False):
            self.sink = _LikelySink() if self.likely else _LegalSink()
            for known in (*first, plain, {}):
                self.fits.clear()
                if len(self.readers) - len(known) > _MAX_DEPTH:
                    raise _TooManyStepsError
                self.search(pos, images, 0, 0, known)
                if len(self.fits) == 1:
                    return self.fits[0]
            if self.fits:
                return None
        return None

    def search(self, pos: int, images: list[list[Column]], image: int, column: int, known: dict[int, int]) -> None:
        """Read on from a column of an image; branch at a column of unknown precision. Results go to `fits`."""
        columns = images[image]
        nulls = pos if column == 0 else known[_NULLS]
        if column == 0:
            pos = self.after_nulls(columns, pos)
            known = {**known, _NULLS: nulls}
        while pos >= 0:
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
                known = {**known, _NULLS: nulls}
                pos = self.after_nulls(columns, pos)
                continue
            if self.cursor.data[nulls + (column >> 3)] >> (column & 7) & 1:
                column += 1
                continue
            index = columns[column].index
            if index in self.readers and index not in known:
                self.branch(pos, images, image, column, known)
                return
            reader = self.readers[index][known[index]] if index in self.readers else columns[column]
            pos = self.read(reader, pos)
            column += 1

    def after_nulls(self, columns: list[Column], pos: int) -> int:
        """Return the place after the null bits of an image, or -1 where they are not legal.

        A column that is NOT NULL must not be NULL. The bits that belong to no column are set by all servers.
        """
        after = pos + (len(columns) + 7) // 8
        if after > self.end:
            return -1
        bits = int.from_bytes(self.cursor.data[pos:after], "little")
        if self.likely and (bits >> len(columns)) + 1 != 1 << (after - pos) * 8 - len(columns):
            return -1
        for at, column in enumerate(columns):
            if bits >> at & 1 and not column.info.nullable:
                return -1
        return after

    def branch(self, pos: int, images: list[list[Column]], image: int, column: int, known: dict[int, int]) -> None:
        """Try each precision of the column at `pos`."""
        index = images[image][column].index
        for fsp, reader in enumerate(self.readers[index]):
            if self.steps > _MAX_STEPS:
                raise _TooManyStepsError
            after = self.read(reader, pos)
            if after >= 0 and len(self.fits) < 2:
                self.search(after, images, image, column + 1, {**known, index: fsp})

    def read(self, reader: Column, pos: int) -> int:
        """Return the place after a value, or -1 where it is not legal."""
        self.steps += 1
        try:
            self.cursor.point(pos, self.end)
            _skip_value(reader, self.cursor, self.sink)
        except DecodeError:
            return -1
        return self.cursor.pos


def _skip_value(reader: Column, cursor: Cursor, sink: Sink) -> None:
    """Read one value into the sink, which checks it."""
    reader.read(cursor, sink)


def find_precisions(rows: RowImages) -> TablePlan:
    """Return a plan without ambiguous columns for these rows, or one whose `reason` says why there is none."""
    plan = rows.plan
    images = [plan.present(rows.before)]
    if rows.operation == UPDATE:
        images.append(plan.present(rows.after))
    found = None
    try:
        found = _PrecisionSearch(plan, rows.data, rows.end).solve(rows.start, images) if rows.start < rows.end else {}
    except _TooManyStepsError:
        reason = "too many combinations to try"
    else:
        reason = "no combination of digits matches, or more than one does"
    if found is None:
        names = ", ".join(plan.names[at] for at in plan.ambiguous)
        return TablePlan(
            plan.definition,
            [],
            f"the log does not say how many fractional digits {names} have ({reason}); pass --schema",
        )
    key = tuple(sorted(found.items()))
    solved = plan.solved.get(key)
    if solved is None:
        solved = make_plan(plan.definition, found)
        if len(plan.solved) >= _SOLVED_KEPT:
            plan.solved.clear()
        plan.solved[key] = solved
    return solved
