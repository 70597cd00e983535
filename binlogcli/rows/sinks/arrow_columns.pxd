cimport cython
from binlogcli.binary.cursor cimport Cursor
from binlogcli.rows.sinks cimport column_loops
from binlogcli.rows.sinks cimport lists
from binlogcli.binary.digits cimport Digits
from binlogcli.rows.column cimport Column, Moment, Sink
from binlogcli.rows.sinks.arrow_buffer cimport ColumnBuffer
from binlogcli.binary.json_writer cimport json_bytes
from binlogcli.rows.readers.strings cimport BytesColumn

cdef Py_ssize_t _SECOND, _DAY_SECONDS

cdef class ColumnSink(Sink):
    cdef readonly list columns, before
    cdef list now
    cdef bint mariadb
    cdef public bint updating
    cdef public list patched
    cdef readonly Py_ssize_t row
    cdef public Py_ssize_t used
    cdef public Py_ssize_t row_width
    cdef public Py_ssize_t limit
    cdef public int dates, texts
    cdef public str refusal
    cdef readonly bint refused_date
    cdef readonly set two_readings
    cdef const unsigned char[::1] lengths
    cpdef expect_updates(self, list before)
    cpdef set turned(self)
    cdef int begin_image(self, bint after) except -1
    cdef int end_row(self) except -1
    @cython.locals(buffer=ColumnBuffer)
    cpdef int drop_row(self) except -1
    @cython.locals(buffer=ColumnBuffer)
    cdef ColumnBuffer at(self, Column column)
    cdef int put_null(self, Column column) except -1
    cdef int put_int(self, Column column, Py_ssize_t value) except -1
    @cython.locals(buffer=ColumnBuffer)
    cdef int put_uint(self, Column column, unsigned long long value) except -1
    @cython.locals(buffer=ColumnBuffer)
    cdef int put_float(self, Column column, double value) except -1
    @cython.locals(buffer=ColumnBuffer)
    cdef int put_double(self, Column column, double value) except -1
    @cython.locals(buffer=ColumnBuffer)
    cdef int put_decimal(self, Column column, Digits digits) except -1
    @cython.locals(buffer=ColumnBuffer)
    cdef int put_bits(self, Column column, unsigned long long value) except -1
    cdef int put_year(self, Column column, int value) except -1
    @cython.locals(buffer=ColumnBuffer)
    cdef int put_date(self, Column column, Moment moment) except -1
    @cython.locals(value=Py_ssize_t)
    cdef int put_time(self, Column column, Moment moment) except -1
    @cython.locals(buffer=ColumnBuffer, seconds=Py_ssize_t)
    cdef int put_datetime(self, Column column, Moment moment) except -1
    @cython.locals(buffer=ColumnBuffer)
    cdef int put_timestamp(self, Column column, Moment moment) except -1
    cdef bint is_date(self, Moment moment) except -1
    cdef int put_undated(self, Column column, ColumnBuffer buffer, str text) except -1
    @cython.locals(buffer=ColumnBuffer)
    cdef int put_enum(self, Column column, Py_ssize_t index) except -1
    @cython.locals(buffer=ColumnBuffer)
    cdef int put_set(self, Column column, unsigned long long bits) except -1
    @cython.locals(number=Py_ssize_t)
    cdef int put_members(self, ColumnBuffer buffer, unsigned long long bits) except -1
    cdef int put_text(self, Column column, Cursor data, Py_ssize_t start, Py_ssize_t end) except -1
    @cython.locals(kind=int)
    cdef put_characters(
        self, BytesColumn column, ColumnBuffer buffer, Cursor data, Py_ssize_t start, Py_ssize_t end)
    @cython.locals(after=Py_ssize_t)
    cdef bint recode(self, ColumnBuffer buffer, Cursor data, Py_ssize_t start, Py_ssize_t end) except -1
    cdef int put_odd(self, BytesColumn column, ColumnBuffer buffer, bytes raw) except -1
    @cython.locals(buffer=ColumnBuffer)
    cdef int put_bytes(self, Column column, Cursor data, Py_ssize_t start, Py_ssize_t end) except -1
    cdef int put_json(self, Column column, Cursor data, Py_ssize_t start, Py_ssize_t end) except -1
    cdef int put_json_diff(self, Column column, Cursor data, Py_ssize_t start, Py_ssize_t end) except -1
    cdef int put_document(self, Column column, object document) except -1
    @cython.locals(buffer=ColumnBuffer)
    cdef int put_geometry(self, Column column, Cursor data, Py_ssize_t start, Py_ssize_t end) except -1
    cdef int put_vector(self, Column column, Cursor data, Py_ssize_t start, Py_ssize_t end) except -1

cdef Py_ssize_t _days_of(Py_ssize_t year, Py_ssize_t month, Py_ssize_t day)
