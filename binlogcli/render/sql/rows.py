"""The sink that writes one SQL statement per row change, or the statement that undoes the change.

An UPDATE sets the columns that changed. UPDATE and DELETE find their row by the primary key where the log or a schema
names one, else by all known columns with LIMIT 1. A number whose sign is not known is looked for by both readings, of
which the column can hold only one; where it is written, only the signed one can be, and `doubts` names the column.
"""

from __future__ import annotations

import math

from binlogcli.binary.text_buffer import TextBuffer
from binlogcli.render.escape import visible
from binlogcli.render.sql.literal_sink import LiteralImage, LiteralSink
from binlogcli.render.sql.quoting import put_part, same_part
from binlogcli.render.sql.table_texts import TableTexts
from binlogcli.rows.plan import TablePlan
from binlogcli.rows.plan_cache import PlanCache

_NOTHING_CHANGED = b": no column changed"
_HISTORY = b": a row of its history, which the server keeps by itself"
_FOREVER = (b"'2038-01-19 03:14:07.999999'", b"'2106-02-07 06:28:15.999999'")  # the latter since MariaDB 11.5


class SqlRows(LiteralSink):
    """Writes statements into `out`, each followed by `comment`; `ends` holds the end of each when `inverse` is set."""

    def __init__(self, out: TextBuffer) -> None:
        super().__init__()
        self.out = out
        self.texts: TableTexts = None  # type: ignore[assignment]  # set before the first row
        self.known: PlanCache[TableTexts] = PlanCache()
        self.comment = b";\n"
        self.inverse = False
        self.ends: list[int] = []
        self.row_at = 0
        self.begun = False
        self.statements = 0
        self.changed: set[int] = set()  # columns that the inverse UPDATEs of an event set
        self.doubts: set[int] = set()  # columns of an event that are set to a number whose sign is not known

    def table(self, plan: TablePlan) -> TableTexts:
        """Return the texts of a table, kept per plan."""
        known = self.known.get(plan)
        if known is None:
            known = self.known.keep(plan, TableTexts(plan))
        return known

    def begin_rows(self, plan: TablePlan) -> None:
        """Prepare for the rows of a table."""
        self.take_plan(plan)
        self.texts = self.table(plan)
        self.names = self.texts.names

    def begin_event(self, comment: bytes) -> None:
        """Prepare for an event's rows; `comment` ends each statement."""
        self.comment = comment
        self.ends.clear()
        self.doubts.clear()
        self.changed.clear()
        self.begun = False

    def begin_row(self) -> None:
        """Begin a row."""
        self.row_problem = ""
        self.before.present = False
        self.after.present = False
        self.begun = True
        self.row_at = self.out.size

    def end_row(self) -> None:
        """Write the row's statement from its images."""
        if self.row_problem:
            words = b": this row cannot be read: " + visible(self.row_problem).encode("utf-8", "replace")
            self.out.put(b"-- " + _one_line(self.texts.target) + words)
        elif self.texts.period >= 0:
            self._put_version()
        else:
            self._put_change(self.before.present, self.after.present)
        self.out.put(self.comment)
        self.statements += 1
        if self.inverse:
            self.ends.append(self.out.size)
        if self.out.full():
            self.out.breathe()
            self.row_at = self.out.size

    def _put_change(self, before: bool, after: bool) -> None:
        """Write the statement that turns the image before, if any, into the one after, if any, or its inverse."""
        if not before:
            self._put_insert(self.after) if not self.inverse else self._put_delete(self.after)
        elif not after:
            self._put_delete(self.before) if not self.inverse else self._put_insert(self.before)
        elif self.inverse:
            self._put_update(self.after, self.before)
        else:
            self._put_update(self.before, self.after)

    def _put_version(self) -> None:
        """Write the change of a row WITH SYSTEM VERSIONING; rows of its history become comments.

        A row whose period ends is deleted. The session's time is set: the server takes the times of a period from it.
        """
        at = self.texts.period
        end, start, new_end = self.before.literal(at + 1), self.after.literal(at), self.after.literal(at + 1)
        before = self.before.present and _is_open(end)
        after = self.after.present and _is_open(new_end or end)
        if not before and not after:
            words = (
                b"INSERT INTO " if not self.before.present else b"UPDATE " if self.after.present else b"DELETE FROM "
            )
            self.out.put(b"-- " + words + _one_line(self.texts.target) + _HISTORY)
            return
        clock = start if after else new_end
        if clock and not self.inverse:
            self.out.put(b"SET @@session.timestamp=UNIX_TIMESTAMP(" + clock + b");\n")
        self._put_change(before, after)

    def _put_insert(self, image: LiteralImage) -> None:
        """Write INSERT; column names are left out only where none are known and all columns are set."""
        out, texts = self.out, self.texts
        out.put(b"INSERT INTO ")
        out.put(texts.target)
        if texts.named or not texts.plain or image.count < texts.width:
            self._put_names(image)
        out.put(b" VALUES (")
        filled = False
        index = 0
        while index < texts.width:
            place = image.places[index]
            if place >= 0 and texts.settable[index]:
                if filled:
                    out.put(b", ")
                filled = True
                self._put_literal(image, index)
            index += 1
        out.put_char(41)  # )
        for index in image.readings:
            self._note_doubt(index)

    def _note_doubt(self, index: int) -> None:
        """Note that a column is set to a number whose sign is not known."""
        if self.texts.settable[index]:
            self.doubts.add(index)

    def _put_names(self, image: LiteralImage) -> None:
        """Write the names of the image's columns that can be set."""
        out, texts = self.out, self.texts
        out.put(b" (")
        separator = b""
        index = 0
        while index < texts.width:
            if image.places[index] >= 0 and texts.settable[index]:
                out.put(separator)
                out.put(texts.names[index])
                separator = b", "
            index += 1
        out.put_char(41)  # )

    def _put_delete(self, image: LiteralImage) -> None:
        """Write DELETE of the row with this image."""
        self.out.put(b"DELETE FROM ")
        self.out.put(self.texts.target)
        self._put_where(image, image)

    def _put_update(self, old: LiteralImage, new: LiteralImage) -> None:
        """Write UPDATE of the columns that differ; a comment where none does."""
        out, texts = self.out, self.texts
        start = out.size
        out.put(b"UPDATE ")
        out.put(texts.target)
        separator = b" SET "
        kept = self.inverse
        changed = 0
        index = 0
        while index < texts.width:
            place = new.places[index]
            different = place >= 0 and not self.same(old, new, index)
            if place >= 0 and texts.settable[index] and (different or (kept and texts.temporal[index])):
                changed += different
                if kept and different:
                    self.changed.add(index)
                out.put(separator)
                out.put(texts.names[index])
                out.put_char(61)  # =
                self._put_literal(new, index)
                if new.readings and index in new.readings:
                    self._note_doubt(index)
                separator = b", "
            index += 1
        if changed == 0 and texts.period >= 0 and not self.inverse:  # a new version of the row with equal values
            out.put(b" SET " + texts.names[0] + b"=" + texts.names[0])
        elif changed == 0:
            out.size = start
            out.put(b"-- UPDATE " + _one_line(texts.target) + _NOTHING_CHANGED)
            return
        self._put_where(old, new)

    def same(self, old: LiteralImage, new: LiteralImage, index: int) -> bool:
        """Whether a column has equal literals in both images."""
        first, second = old.places[index], new.places[index]
        if first < 0:
            return False
        if old.deferred or new.deferred:
            one, two = old.deferred.get(index), new.deferred.get(index)
            if one is not None or two is not None:
                return one is not None and two is not None and one.same(two)
        start, end = old.starts[first], old.starts[first + 1]
        at = new.starts[second]
        return end - start == new.starts[second + 1] - at and same_part(old.text, start, end, new.text, at)

    def _put_where(self, image: LiteralImage, other: LiteralImage) -> None:
        """Write the condition that finds the row of `image`; columns it lacks did not change and are in `other`."""
        texts = self.texts
        if texts.key and self._has_key(image, other):
            separator = b" WHERE "
            for index in texts.key:
                self.out.put(separator)
                self._put_equal(image if image.places[index] >= 0 else other, index, texts.equals[index], b"")
                separator = b" AND "
            return
        self._put_whole_row(image, other)
        self.out.put(b" LIMIT 1")

    def _has_key(self, image: LiteralImage, other: LiteralImage) -> bool:
        """Whether all columns of the primary key are known."""
        for index in self.texts.key:
            if image.places[index] < 0 and (other.places[index] < 0 or not self.inverse):
                return False
        return True

    def _put_whole_row(self, image: LiteralImage, other: LiteralImage) -> None:
        """Write a condition on every known column."""
        texts = self.texts
        separator = b" WHERE "
        index = 0
        while index < texts.width:
            source = image if image.places[index] >= 0 or not self.inverse else other
            if source.places[index] >= 0 and texts.shown[index]:
                self.out.put(separator)
                self._put_equal(source, index, texts.compared[index], texts.endings[index])
                separator = b" AND "
            index += 1

    def _put_equal(self, image: LiteralImage, index: int, before: bytes, after: bytes) -> None:
        """Write the condition that a column has the image's value, which stands between `before` and `after`."""
        if image.readings and index in image.readings:
            self.out.put(self.texts.names[index] + b" IN (" + image.readings[index] + b")")
            return
        self.out.put(before)
        self._put_value(image, index)
        self.out.put(after)

    def _put_value(self, image: LiteralImage, index: int) -> None:
        """Write a value to compare with; a FLOAT as the double that the server compares."""
        if image.floats and index in image.floats and math.isfinite(image.floats[index]):
            text = repr(image.floats[index])
            self.out.put((text if "e" in text else text + "e0").encode("ascii"))
            return
        self._put_literal(image, index)

    def _put_literal(self, image: LiteralImage, index: int) -> None:
        """Write a column's literal."""
        if image.deferred and index in image.deferred:
            image.deferred[index].write(self.out)
        else:
            place = image.places[index]
            put_part(self.out, image.text, image.starts[place], image.starts[place + 1])


def _is_open(end: bytes) -> bool:
    """Whether a row's period has no end yet; an image without the end has an open one."""
    return not end or end in _FOREVER


def _one_line(target: bytes) -> bytes:
    """Return a table's name for a comment."""
    return target.replace(b"\n", b"\\n").replace(b"\r", b"\\r")
