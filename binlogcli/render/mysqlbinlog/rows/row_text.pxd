cimport cython
from binlogcli.binary cimport kernel
from binlogcli.binary.cursor cimport Cursor
from binlogcli.render.mysqlbinlog.rows cimport byte_loops
from binlogcli.binary.text_buffer cimport TextBuffer, negated
from binlogcli.binary.digits cimport Digits
from binlogcli.rows.column cimport Column, Moment, Sink
from binlogcli.rows.readers.numbers cimport IntColumn
from binlogcli.rows.plan cimport TablePlan
from binlogcli.rows.readers.strings cimport BytesColumn

cdef int _DASH, _COLON, _POINT, _SPACE, _QUOTE, _CLOSING
cdef Py_ssize_t _WINDOW

@cython.final
cdef class TableText:
    cdef readonly TablePlan plan
    cdef readonly list prefixes, suffixes, joints, nulls
    cdef readonly bytes name
    cdef readonly list heads

cdef class _StoredColumn(BytesColumn):
    cdef Column column
    cdef Sink nowhere
    @cython.locals(at=Py_ssize_t)
    cdef int read(self, Cursor cursor, Sink sink) except -1

cdef class RowText(Sink):
    cdef public TextBuffer out
    cdef readonly bint mariadb
    cdef int verbose
    cdef object options, known
    cdef TablePlan plan
    cdef TableText table
    cdef list prefixes, suffixes, joints
    cdef Py_ssize_t unclosed
    cdef list nulls
    cdef int operation
    cdef bytes first_head
    cdef readonly Py_ssize_t rows
    cdef TableText text_of(self, TablePlan plan)
    @cython.locals(table=TableText)
    cdef TablePlan use(self, TablePlan plan, int operation)
    cdef int begin_row(self) except -1
    cdef int begin_image(self, bint after) except -1
    @cython.locals(before=Py_ssize_t)
    cdef int _begin_value(self, Py_ssize_t index) except -1
    cpdef int end_value(self) except -1
    cdef int end_image(self) except -1
    cdef int put_null(self, Column column) except -1
    @cython.locals(number=IntColumn, out=TextBuffer)
    cdef int put_int(self, Column column, Py_ssize_t value) except -1
    cdef int put_float(self, Column column, double value) except -1
    cdef int put_double(self, Column column, double value) except -1
    cdef int put_decimal(self, Column column, Digits digits) except -1
    @cython.locals(bit=int)
    cdef int put_bits(self, Column column, unsigned long long value) except -1
    cdef int put_year(self, Column column, int value) except -1
    @cython.locals(out=TextBuffer)
    cdef int put_date(self, Column column, Moment moment) except -1
    @cython.locals(out=TextBuffer)
    cdef int put_time(self, Column column, Moment moment) except -1
    @cython.locals(out=TextBuffer)
    cdef int put_datetime(self, Column column, Moment moment) except -1
    cdef int put_timestamp(self, Column column, Moment moment) except -1
    cdef int put_enum(self, Column column, Py_ssize_t index) except -1
    @cython.locals(byte=int, bit=int)
    cdef int put_set(self, Column column, unsigned long long bits) except -1
    cdef int put_text(self, Column column, Cursor data, Py_ssize_t start, Py_ssize_t end) except -1
    cdef int put_bytes(self, Column column, Cursor data, Py_ssize_t start, Py_ssize_t end) except -1
    cdef int put_json(self, Column column, Cursor data, Py_ssize_t start, Py_ssize_t end) except -1
    cdef int put_json_diff(self, Column column, Cursor data, Py_ssize_t start, Py_ssize_t end) except -1
    cdef int put_geometry(self, Column column, Cursor data, Py_ssize_t start, Py_ssize_t end) except -1
    cdef int put_vector(self, Column column, Cursor data, Py_ssize_t start, Py_ssize_t end) except -1
    cdef int quoted(self, Cursor data, Py_ssize_t start, Py_ssize_t end) except -1
    @cython.locals(window=TextBuffer, stop=Py_ssize_t)
    cdef _put_quoted_windows(self, TextBuffer out, Cursor data, Py_ssize_t start, Py_ssize_t end)

cdef inline int add(TextBuffer out, bytes text) except -1
cdef inline int _add_char(TextBuffer out, unsigned char char) except -1
cdef inline int _add_number(TextBuffer out, unsigned long long value, int width) except -1
cdef int _add_date(TextBuffer out, Moment moment, unsigned char separator) except -1
cdef int _add_clock(TextBuffer out, Moment moment) except -1
cdef int _add_fraction(TextBuffer out, Moment moment) except -1
@cython.locals(mask="unsigned long long")
cdef unsigned long long _unsigned_of(Py_ssize_t value, int width)
