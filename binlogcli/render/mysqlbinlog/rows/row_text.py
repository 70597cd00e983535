"""The sink that writes rows as the tools' pseudo-SQL: `### INSERT INTO`, `###   @1=...`, with -vv the column's type.

Values are read by column type alone, as the tools do, without what optional metadata or a schema file adds.
"""

from __future__ import annotations

import struct

from binlogcli.binary import kernel
from binlogcli.binary.cursor import Cursor
from binlogcli.binary.digits import Digits
from binlogcli.binary.text_buffer import TextBuffer, negated
from binlogcli.errors import DecodeError
from binlogcli.names.column_types import BLOB_COMPRESSED, DATETIME, VARCHAR_COMPRESSED, VECTOR
from binlogcli.render.identifiers import qualified_name
from binlogcli.render.mysqlbinlog.options import TextOptions
from binlogcli.render.mysqlbinlog.rows import byte_loops
from binlogcli.render.mysqlbinlog.rows.type_comments import value_comment
from binlogcli.render.mysqlbinlog.sql_text import one_line
from binlogcli.rows.column import Column, Moment, Sink
from binlogcli.rows.plan import TablePlan, make_column
from binlogcli.rows.plan_cache import PlanCache
from binlogcli.rows.readers.numbers import IntColumn
from binlogcli.rows.readers.strings import BytesColumn, VectorColumn
from binlogcli.rows.table.column_info import ColumnInfo

_DASH, _COLON, _POINT, _SPACE, _QUOTE, _CLOSING = 45, 58, 46, 32, 39, 41
_WINDOW = 1 << 16  # bytes of a long value that are written at a time
_COMMANDS = (b"### INSERT INTO ", b"### UPDATE ", b"### DELETE FROM ")
_INVALID_JSON = b"Invalid JSON"
_WHERE, _SET = b"### WHERE\n", b"### SET\n"


class TableText:
    """The texts around the values of a table's rows, and a plan that reads them as the tools do; one per table plan."""

    def __init__(self, plan: TablePlan, options: TextOptions, *, mariadb: bool) -> None:
        definition = plan.definition
        self.plan = TablePlan(definition, [_plain_column(column, mariadb=mariadb) for column in plan.columns])
        self.name = one_line(qualified_name(options.database(definition.database), definition.table))
        self.heads = [
            command + self.name + b"\n" + (_SET if operation == 0 else _WHERE)
            for operation, command in enumerate(_COMMANDS)
        ]
        infos = definition.columns
        self.prefixes = [b"###   @%d=" % (info.index + 1) for info in infos]
        typed = options.verbose > 1
        self.suffixes = [(value_comment(info, mariadb=mariadb, null=False) if typed else b"") + b"\n" for info in infos]
        self.joints = [b"", *(end + start for end, start in zip(self.suffixes, self.prefixes[1:], strict=False))]
        comments = [(value_comment(info, mariadb=mariadb, null=True) if typed else b"") + b"\n" for info in infos]
        self.nulls = [prefix + b"NULL" + comment for prefix, comment in zip(self.prefixes, comments, strict=True)]


def _plain_column(column: Column, *, mariadb: bool) -> Column:
    """Return a column that reads values by type alone: integers signed, strings as stored."""
    info: ColumnInfo = column.info
    bare = info.copy()
    bare.unsigned, bare.collation, bare.type_name = None, None, ""
    if isinstance(column, IntColumn):
        return IntColumn(bare, column.width)
    if info.code in (BLOB_COMPRESSED, VARCHAR_COMPRESSED):
        width = info.length if info.code == BLOB_COMPRESSED else 1 if info.length < 256 else 2
        return _StoredColumn(bare, column, width, mariadb=mariadb)
    if isinstance(column, VectorColumn) and info.code != VECTOR:
        return _StoredColumn(bare, column, column.prefix, mariadb=mariadb)
    if isinstance(column, BytesColumn):
        return make_column(bare, 0, 1 << 30, mariadb=mariadb)
    return column


class _StoredColumn(BytesColumn):
    """A value that the tools print as stored (COMPRESSED, MariaDB's VECTOR); `column` finds what is wrong in it."""

    def __init__(self, info: ColumnInfo, column: Column, prefix: int, *, mariadb: bool) -> None:
        super().__init__(info, prefix, mariadb=mariadb)
        self.column = column
        self.nowhere = Sink()

    def read(self, cursor: Cursor, sink: Sink) -> None:
        """Read the value at the cursor into the sink."""
        at = cursor.pos
        self.nowhere.problem = ""
        self.column.read(cursor, self.nowhere)
        sink.problem = sink.problem or self.nowhere.problem
        cursor.pos = at
        BytesColumn.read(self, cursor, sink)


class RowText(Sink):
    """Writes rows into `out` as pseudo-SQL and counts them in `rows`."""

    def __init__(self, out: TextBuffer, options: TextOptions, mariadb: bool) -> None:
        super().__init__()
        self.out = out
        self.options = options
        self.verbose = options.verbose
        self.mariadb = mariadb
        self.known: PlanCache[TableText] = PlanCache()
        self.plan: TablePlan | None = None
        self.table: TableText = None  # type: ignore[assignment] # set with the plan
        self.prefixes: list[bytes] = []
        self.suffixes: list[bytes] = []
        self.joints: list[bytes] = []
        self.unclosed = -1  # the column whose value is written, but not yet the end of its line
        self.nulls: list[bytes] = []
        self.operation = 0
        self.first_head = b""
        self.rows = 0

    def text_of(self, plan: TablePlan) -> TableText:
        """Return the texts of a table, kept per plan."""
        known = self.known.get(plan)
        if known is None:
            known = self.known.keep(plan, TableText(plan, self.options, mariadb=self.mariadb))
        return known

    def use(self, plan: TablePlan, operation: int) -> TablePlan:
        """Prepare for rows of a table changed by `operation`; return the plan to read them with."""
        table = self.table if plan is self.plan else self.text_of(plan)
        self.table = table
        self.plan = plan
        self.prefixes = table.prefixes
        self.suffixes = table.suffixes
        self.joints = table.joints
        self.nulls = table.nulls
        self.operation = operation
        self.first_head = table.heads[operation]
        return table.plan

    def begin_row(self) -> None:
        """Count a row, and write those before it out where they are many."""
        self.rows += 1
        self.out.breathe()

    def _begin_value(self, index: int) -> None:
        """Write the end of the last value's line and the start of this one's, as one piece for neighbours."""
        before = self.unclosed
        self.unclosed = index
        if before + 1 == index and before >= 0:
            add(self.out, self.joints[index])
        else:
            if before >= 0:
                add(self.out, self.suffixes[before])
            add(self.out, self.prefixes[index])

    def end_value(self) -> None:
        """Write the end of the last value's line."""
        if self.unclosed >= 0:
            add(self.out, self.suffixes[self.unclosed])
            self.unclosed = -1

    def end_image(self) -> None:
        """End a row image."""
        self.end_value()

    def begin_image(self, after: bool) -> None:
        """Write the line before the values of an image."""
        if after and self.operation == 1:
            self.out.put(_SET)
        else:
            self.out.put(self.first_head)

    def put_null(self, column: Column) -> None:
        """Write the line of a NULL."""
        self.end_value()
        add(self.out, self.nulls[column.index])

    def put_int(self, column: Column, value: int) -> None:
        """Write a number; a negative one also as the unsigned number of the same bits."""
        out = self.out
        self._begin_value(column.index)
        if value >= 0:
            _add_number(out, value, 1)
        else:
            number = column  # an IntColumn
            _add_char(out, _DASH)
            _add_number(out, negated(value), 1)
            add(out, b" (")
            _add_number(out, _unsigned_of(value, number.width), 1)  # type: ignore[attr-defined]
            _add_char(out, _CLOSING)

    def put_float(self, column: Column, value: float) -> None:
        """Write six significant digits, padded to 20 characters."""
        self._begin_value(column.index)
        self.out.put(b"%-20g" % value)

    def put_double(self, column: Column, value: float) -> None:
        """Write twenty significant digits."""
        self._begin_value(column.index)
        self.out.put(b"%.20g" % value)

    def put_decimal(self, column: Column, digits: Digits) -> None:
        """Write a number."""
        self._begin_value(column.index)
        self.out.put_digits(digits)

    def put_bits(self, column: Column, value: int) -> None:
        """Write as many binary digits as the column has."""
        self._begin_value(column.index)
        self.out.put(b"b'")
        bit = column.info.length
        while bit > 0:
            bit -= 1
            self.out.put_char(48 + (value >> bit & 1))
        self.out.put_char(_QUOTE)

    def put_year(self, column: Column, value: int) -> None:
        """Write four digits; year 0 as 1900, as the tools do."""
        self._begin_value(column.index)
        self.out.put_padded(value or 1900, 4)

    def put_date(self, column: Column, moment: Moment) -> None:
        """Write a date with colons."""
        out = self.out
        self._begin_value(column.index)
        _add_char(out, _QUOTE)
        _add_date(out, moment, _COLON)
        _add_char(out, _QUOTE)

    def put_time(self, column: Column, moment: Moment) -> None:
        """Write a time in quotes."""
        out = self.out
        self._begin_value(column.index)
        _add_char(out, _QUOTE)
        if moment.negative:
            _add_char(out, _DASH)
        _add_clock(out, moment)
        _add_char(out, _QUOTE)

    def put_datetime(self, column: Column, moment: Moment) -> None:
        """Write date and time, in quotes except for MySQL's old DATETIME."""
        out = self.out
        bare = not self.mariadb and column.info.code == DATETIME
        self._begin_value(column.index)
        if not bare:
            _add_char(out, _QUOTE)
        _add_date(out, moment, _DASH)
        _add_char(out, _SPACE)
        _add_clock(out, moment)
        if not bare:
            _add_char(out, _QUOTE)

    def put_timestamp(self, column: Column, moment: Moment) -> None:
        """Write seconds since 1970 with the fraction that the column has."""
        self._begin_value(column.index)
        _add_number(self.out, moment.seconds, 1)
        if moment.fsp > 0:
            _add_fraction(self.out, moment)

    def put_enum(self, column: Column, index: int) -> None:
        """Write the member's number."""
        self._begin_value(column.index)
        self.out.put_uint(index)

    def put_set(self, column: Column, bits: int) -> None:
        """Write the bits, byte by byte from the lowest."""
        self._begin_value(column.index)
        self.out.put(b"b'")
        for byte in range(column.info.length):
            for bit in range(8):
                self.out.put_char(48 + (bits >> (8 * byte + 7 - bit) & 1))
        self.out.put_char(_QUOTE)

    def put_text(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Write the bytes in quotes."""
        self._begin_value(column.index)
        self.quoted(data, start, end)

    def put_bytes(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Write the bytes in quotes."""
        self.put_text(column, data, start, end)

    def put_geometry(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Write the bytes in quotes."""
        self.put_text(column, data, start, end)

    def put_json(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Write the document as MySQL prints it, in quotes."""
        from binlogcli.render.mysqlbinlog.rows.json_text import document_text  # only MySQL has JSON

        self._begin_value(column.index)
        self.unclosed = -1  # an unreadable document ends the line
        try:
            text = Cursor(document_text(data.data[start:end]))
        except DecodeError as error:
            self.note_problem(column, str(error))
            text = Cursor(_INVALID_JSON)
        self.quoted(text, 0, text.size)
        self.unclosed = column.index

    def put_json_diff(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Write the changes as calls of JSON functions."""
        from binlogcli.render.mysqlbinlog.rows.json_text import diff_text  # only MySQL has JSON

        self._begin_value(column.index)
        self.unclosed = -1  # unreadable changes end the line
        try:
            text = diff_text(data.data[start:end], column.index + 1)
        except DecodeError as error:
            self.note_problem(column, str(error))
            text = _INVALID_JSON
        self.out.put(text)
        self.unclosed = column.index

    def put_vector(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """Write a list of numbers with six significant digits."""
        self._begin_value(column.index)
        floats = struct.unpack(f"<{(end - start) // 4}f", data.data[start:end])
        self.out.put(b"[" + b",".join(b"%.5e" % number for number in floats) + b"]")

    def quoted(self, data: Cursor, start: int, end: int) -> None:
        """Write bytes in quotes with the escapes of the dialect."""
        out = self.out
        if end - start > _WINDOW:
            self._put_quoted_windows(out, data, start, end)
        else:
            out.ensure(4 * (end - start) + 10)
            out.size = byte_loops.put_quoted(out.chars, out.size, data.view, start, end, not self.mariadb)

    def _put_quoted_windows(self, out: TextBuffer, data: Cursor, start: int, end: int) -> None:
        """Write many bytes in quotes, a window at a time: each is quoted by itself, and loses its quotes."""
        window = TextBuffer()
        out.put_char(_QUOTE)
        while start < end:
            stop = min(end, start + _WINDOW)
            window.ensure(4 * (stop - start) + 10)
            window.size = byte_loops.put_quoted(window.chars, 0, data.view, start, stop, not self.mariadb)
            out.put(bytes(window.content()[1 : window.size - 1]))
            out.breathe()
            start = stop
        out.put_char(_QUOTE)


def _unsigned_of(value: int, width: int) -> int:
    """Return a negative number of `width` bytes as the unsigned number of the same bits."""
    mask = 0xFFFFFFFFFFFFFFFF
    return value & (mask >> (64 - 8 * width))


def add(out: TextBuffer, text: bytes) -> None:
    """Write bytes; `TextBuffer.put` as an inlined function."""
    if out.size + len(text) > out.room:
        out.grow(len(text))
    out.size = kernel.put_all(out.chars, out.size, text)


def _add_char(out: TextBuffer, char: int) -> None:
    """Write one byte."""
    if out.size >= out.room:
        out.grow(1)
    out.chars[out.size] = char
    out.size += 1


def _add_number(out: TextBuffer, value: int, width: int) -> None:
    """Write a number in decimal, padded with zeros to `width` digits."""
    if out.size + 64 > out.room:
        out.grow(64)
    out.size = kernel.put_number(out.chars, out.size, value, width)


def _add_date(out: TextBuffer, moment: Moment, separator: int) -> None:
    """Write year, month and day."""
    if out.size + 64 > out.room:
        out.grow(64)
    out.size = byte_loops.put_date(out.chars, out.size, moment.year, moment.month, moment.day, separator)


def _add_clock(out: TextBuffer, moment: Moment) -> None:
    """Write hh:mm:ss and as many digits of the fraction as the column has."""
    if out.size + 64 > out.room:
        out.grow(64)
    out.size = byte_loops.put_clock(out.chars, out.size, moment.hour, moment.minute, moment.second)
    if moment.fsp > 0:
        _add_fraction(out, moment)


def _add_fraction(out: TextBuffer, moment: Moment) -> None:
    """Write a point and as many digits of the second's fraction as the column has."""
    _add_char(out, _POINT)
    _add_number(out, moment.micro, 6)
    out.size -= 6 - moment.fsp
