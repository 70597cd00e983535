"""The sink that writes rows as the tools' pseudo-SQL: `### INSERT INTO`, `###   @1=...`, with -vv the column's type.

The columns are read as the tools read them: without what a log's metadata or a schema file knows beyond the types.
"""

from __future__ import annotations

import struct
from dataclasses import replace

from binlogcli.log import kernel
from binlogcli.log.cursor import Cursor
from binlogcli.render.mysqlbinlog import byte_loops
from binlogcli.render.mysqlbinlog.options import TextOptions
from binlogcli.render.mysqlbinlog.types import value_comment
from binlogcli.rows.column import Column, Digits, Moment, Sink
from binlogcli.rows.kept import Kept
from binlogcli.rows.numbers import IntColumn
from binlogcli.rows.out import Out
from binlogcli.rows.plan import TablePlan, make_column
from binlogcli.rows.strings import BytesColumn
from binlogcli.rows.table import ColumnInfo

DASH, COLON, POINT, SPACE, QUOTE = 45, 58, 46, 32, 39
COMMANDS = (b"### INSERT INTO ", b"### UPDATE ", b"### DELETE FROM ")
WHERE, SET = b"### WHERE\n", b"### SET\n"
OLD_DATETIME = 12


class TableText:
    """A table's readers, and all that stands around its values."""

    def __init__(self, plan: TablePlan, options: TextOptions, *, mariadb: bool) -> None:
        definition = plan.definition
        self.plan = TablePlan(definition, [plain_column(column, mariadb=mariadb) for column in plan.columns])
        self.name = table_name(options.database(definition.database), definition.table)
        self.heads = [
            command + self.name + b"\n" + (SET if operation == 0 else WHERE)
            for operation, command in enumerate(COMMANDS)
        ]
        infos = definition.columns
        self.prefixes = [b"###   @%d=" % (info.index + 1) for info in infos]
        typed = options.verbose > 1
        self.suffixes = [(value_comment(info, mariadb=mariadb, null=False) if typed else b"") + b"\n" for info in infos]
        comments = [(value_comment(info, mariadb=mariadb, null=True) if typed else b"") + b"\n" for info in infos]
        self.nulls = [prefix + b"NULL" + comment for prefix, comment in zip(self.prefixes, comments, strict=True)]


def plain_column(column: Column, *, mariadb: bool) -> Column:
    """The column read by its type alone: integers signed, strings as they are stored."""
    info: ColumnInfo = column.info
    bare = replace(info, unsigned=None, collation=None, type_name="")
    if isinstance(column, IntColumn):
        return IntColumn(bare, column.width)
    if info.code in (140, 141):
        width = info.length if info.code == 140 else 1 if info.length < 256 else 2
        return BytesColumn(bare, width, mariadb=mariadb)
    if isinstance(column, BytesColumn):
        return make_column(bare, 0, 1 << 30, mariadb=mariadb)
    return column


def quoted_name(name: str) -> bytes:
    """A name in backticks, those inside of it doubled."""
    return b"`" + name.encode("utf-8", "surrogateescape").replace(b"`", b"``") + b"`"


def table_name(database: str, table: str) -> bytes:
    """A table's name with its database's."""
    return quoted_name(database) + b"." + quoted_name(table)


class RowText(Sink):
    """Writes rows into `out`; `rows` counts them."""

    def __init__(self, out: Out, options: TextOptions, mariadb: bool) -> None:
        self.out = out
        self.options = options
        self.verbose = options.verbose
        self.mariadb = mariadb
        self.known: Kept[TableText] = Kept()
        self.plan: TablePlan | None = None
        self.table: TableText = None  # type: ignore[assignment] # set with the plan
        self.prefixes: list[bytes] = []
        self.suffixes: list[bytes] = []
        self.nulls: list[bytes] = []
        self.operation = 0
        self.first_head = b""
        self.rows = 0

    def text_of(self, plan: TablePlan) -> TableText:
        """The texts of a table, made once per definition."""
        known = self.known.get(plan)
        if known is None:
            known = self.known.keep(plan, TableText(plan, self.options, mariadb=self.mariadb))
        return known

    def use(self, plan: TablePlan, operation: int) -> TablePlan:
        """Rows of a table follow; the plan to read them by."""
        table = self.table if plan is self.plan else self.text_of(plan)
        self.table = table
        self.plan = plan
        self.prefixes = table.prefixes
        self.suffixes = table.suffixes
        self.nulls = table.nulls
        self.operation = operation
        self.first_head = table.heads[operation]
        return table.plan

    def begin_row(self) -> None:
        """A row follows."""
        self.rows += 1

    def begin_image(self, after: bool) -> None:
        """The state of the row before or after the change follows."""
        if after and self.operation == 1:
            self.out.put(SET)
        else:
            self.out.put(self.first_head)

    def put_null(self, column: Column) -> None:
        """Write the whole line."""
        add(self.out, self.nulls[column.index])

    def put_int(self, column: Column, value: int) -> None:
        """A number; a negative one also as if it were unsigned."""
        out = self.out
        add(out, self.prefixes[column.index])
        if value >= 0:
            add_number(out, value, 1)
        else:
            number = column  # an IntColumn
            out.put_int(value)
            out.put(b" (")
            out.put_uint(unsigned_of(value, number.width))  # type: ignore[attr-defined]
            out.put_char(41)
        add(out, self.suffixes[column.index])

    def put_float(self, column: Column, value: float) -> None:
        """Six digits, padded to 20 characters."""
        add(self.out, self.prefixes[column.index])
        self.out.put(b"%-20g" % value)
        add(self.out, self.suffixes[column.index])

    def put_double(self, column: Column, value: float) -> None:
        """Twenty digits."""
        add(self.out, self.prefixes[column.index])
        self.out.put(b"%.20g" % value)
        add(self.out, self.suffixes[column.index])

    def put_decimal(self, column: Column, digits: Digits) -> None:
        """A number."""
        add(self.out, self.prefixes[column.index])
        self.out.put_digits(digits)
        add(self.out, self.suffixes[column.index])

    def put_bits(self, column: Column, value: int) -> None:
        """As many binary digits as the column has."""
        add(self.out, self.prefixes[column.index])
        self.out.put(b"b'")
        bit = column.info.length
        while bit > 0:
            bit -= 1
            self.out.put_char(48 + (value >> bit & 1))
        self.out.put_char(QUOTE)
        add(self.out, self.suffixes[column.index])

    def put_year(self, column: Column, value: int) -> None:
        """Four digits; the zero year is counted from 1900 like all others."""
        add(self.out, self.prefixes[column.index])
        self.out.put_padded(value or 1900, 4)
        add(self.out, self.suffixes[column.index])

    def put_date(self, column: Column, moment: Moment) -> None:
        """With colons."""
        out = self.out
        add(out, self.prefixes[column.index])
        add_char(out, QUOTE)
        add_date(out, moment, COLON)
        add_char(out, QUOTE)
        add(out, self.suffixes[column.index])

    def put_time(self, column: Column, moment: Moment) -> None:
        """A sign, hours to seconds, the fraction."""
        out = self.out
        add(out, self.prefixes[column.index])
        add_char(out, QUOTE)
        if moment.negative:
            add_char(out, DASH)
        add_clock(out, moment)
        add_char(out, QUOTE)
        add(out, self.suffixes[column.index])

    def put_datetime(self, column: Column, moment: Moment) -> None:
        """In quotes, but for MySQL's old DATETIME."""
        out = self.out
        bare = not self.mariadb and column.info.code == OLD_DATETIME
        add(out, self.prefixes[column.index])
        if not bare:
            add_char(out, QUOTE)
        add_date(out, moment, DASH)
        add_char(out, SPACE)
        add_clock(out, moment)
        if not bare:
            add_char(out, QUOTE)
        add(out, self.suffixes[column.index])

    def put_timestamp(self, column: Column, moment: Moment) -> None:
        """Seconds since the epoch."""
        add(self.out, self.prefixes[column.index])
        add_number(self.out, moment.seconds, 1)
        if moment.fsp > 0:
            add_fraction(self.out, moment)
        add(self.out, self.suffixes[column.index])

    def put_enum(self, column: Column, index: int) -> None:
        """The member's number."""
        add(self.out, self.prefixes[column.index])
        self.out.put_uint(index)
        add(self.out, self.suffixes[column.index])

    def put_set(self, column: Column, bits: int) -> None:
        """Binary digits, byte by byte from the lowest."""
        add(self.out, self.prefixes[column.index])
        self.out.put(b"b'")
        for byte in range(column.info.length):
            for bit in range(8):
                self.out.put_char(48 + (bits >> (8 * byte + 7 - bit) & 1))
        self.out.put_char(QUOTE)
        add(self.out, self.suffixes[column.index])

    def put_text(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """The bytes, in quotes."""
        add(self.out, self.prefixes[column.index])
        self.quoted(data, start, end)
        add(self.out, self.suffixes[column.index])

    def put_bytes(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """The bytes, in quotes."""
        self.put_text(column, data, start, end)

    def put_geometry(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """The bytes, in quotes."""
        self.put_text(column, data, start, end)

    def put_json(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """The document as MySQL prints it, in quotes."""
        from binlogcli.render.mysqlbinlog.json_text import document_text  # noqa: PLC0415 - only MySQL has JSON

        add(self.out, self.prefixes[column.index])
        text = Cursor(document_text(data.data[start:end]))
        self.quoted(text, 0, text.size)
        add(self.out, self.suffixes[column.index])

    def put_json_diff(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """The changes as calls of JSON functions."""
        from binlogcli.render.mysqlbinlog.json_text import diff_text  # noqa: PLC0415 - only MySQL has JSON

        add(self.out, self.prefixes[column.index])
        self.out.put(diff_text(data.data[start:end], column.index + 1))
        add(self.out, self.suffixes[column.index])

    def put_vector(self, column: Column, data: Cursor, start: int, end: int) -> None:
        """A list of numbers."""
        add(self.out, self.prefixes[column.index])
        floats = struct.unpack(f"<{(end - start) // 4}f", data.data[start:end])
        self.out.put(b"[" + b",".join(b"%.5e" % number for number in floats) + b"]")
        add(self.out, self.suffixes[column.index])

    def quoted(self, data: Cursor, start: int, end: int) -> None:
        """Bytes in quotes, with the escapes of the dialect."""
        out = self.out
        out.ensure(4 * (end - start) + 10)
        out.size = byte_loops.put_quoted(out.chars, out.size, data.view, start, end, not self.mariadb)


def unsigned_of(value: int, width: int) -> int:
    """A negative number of `width` bytes read as an unsigned one."""
    mask = 0xFFFFFFFFFFFFFFFF
    return value & (mask >> (64 - 8 * width))


def add(out: Out, text: bytes) -> None:
    """Bytes as they are; `Out.put` without a call."""
    if out.size + len(text) > out.room:
        out.grow(len(text))
    out.size = kernel.put_all(out.chars, out.size, text)


def add_char(out: Out, char: int) -> None:
    """One byte."""
    if out.size >= out.room:
        out.grow(1)
    out.chars[out.size] = char
    out.size += 1


def add_number(out: Out, value: int, width: int) -> None:
    """A number in decimal with zeros before it up to `width`."""
    if out.size + 64 > out.room:
        out.grow(64)
    out.size = kernel.put_number(out.chars, out.size, value, width)


def add_two(out: Out, value: int) -> None:
    """A number of two digits or more."""
    if value > 99:
        add_number(out, value, 2)
    else:
        add_char(out, 48 + value // 10)
        add_char(out, 48 + value % 10)


def add_date(out: Out, moment: Moment, separator: int) -> None:
    """Year, month and day."""
    add_number(out, moment.year, 4)
    add_char(out, separator)
    add_two(out, moment.month)
    add_char(out, separator)
    add_two(out, moment.day)


def add_clock(out: Out, moment: Moment) -> None:
    """hh:mm:ss and the fraction that the column has."""
    add_two(out, moment.hour)
    add_char(out, COLON)
    add_two(out, moment.minute)
    add_char(out, COLON)
    add_two(out, moment.second)
    if moment.fsp > 0:
        add_fraction(out, moment)


def add_fraction(out: Out, moment: Moment) -> None:
    """The digits of a second that the column has."""
    add_char(out, POINT)
    add_number(out, moment.micro, 6)
    out.size -= 6 - moment.fsp
