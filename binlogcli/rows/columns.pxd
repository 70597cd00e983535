cimport cython
from binlogcli.log cimport kernel
from binlogcli.log.cursor cimport Cursor
from binlogcli.rows cimport column_loops
from binlogcli.rows.column cimport Column, Digits, Moment, Sink
from binlogcli.rows.json_value cimport json_bytes
from binlogcli.rows.out cimport Out
from binlogcli.rows.strings cimport BytesColumn

cdef Py_ssize_t END_SIZE, MOST_BYTES, SECOND, DAY_SECONDS

@cython.final
cdef class ColumnBuffer:
    cdef readonly int width
    cdef readonly int unit
    cdef readonly Py_ssize_t count
    cdef readonly Py_ssize_t nulls
    cdef readonly Py_ssize_t size
    cdef readonly Py_ssize_t room
    cdef Py_ssize_t ends_room
    cdef Py_ssize_t valid_room
    cdef Py_ssize_t expected
    cdef Py_ssize_t ends_expected
    cdef readonly object data
    cdef readonly object ends
    cdef readonly object valid
    cdef unsigned char[::1] chars
    cdef unsigned char[::1] places
    cdef unsigned char[::1] bits
    cdef public list labels
    cdef public Py_ssize_t label_count
    cdef public ColumnBuffer more
    cdef readonly bint recoding
    cdef const unsigned char[::1] table
    cdef public bint addresses
    cdef public bint turned
    cpdef expect(self, Py_ssize_t size)
    cpdef expect_like(self, ColumnBuffer other)
    @cython.locals(room=Py_ssize_t, least=Py_ssize_t, data=bytearray)
    cdef int grow(self, Py_ssize_t more) except -1
    cpdef recode_by(self, bytes table)
    cpdef int put(self, unsigned long long value) except -1
    cpdef int put_many(self, unsigned long long value, Py_ssize_t count) except -1
    cpdef int put_up(self, unsigned long long value, Py_ssize_t count) except -1
    cdef int put_wide(self, unsigned long long value, bint negative) except -1
    cdef int put_digits(self, Digits digits) except -1
    cpdef int append(self, bytes data) except -1
    cdef int append_range(self, Cursor data, Py_ssize_t start, Py_ssize_t end) except -1
    cdef int append_out(self, Out out) except -1
    @cython.locals(at=Py_ssize_t)
    cdef int close_value(self) except -1
    @cython.locals(room=Py_ssize_t, ends=bytearray)
    cdef int grow_ends(self) except -1
    cpdef int put_null(self) except -1
    cpdef int pad(self, Py_ssize_t count) except -1
    @cython.locals(end=Py_ssize_t)
    cdef int pad_numbers(self, Py_ssize_t count) except -1
    @cython.locals(room=Py_ssize_t, valid=bytearray)
    cdef int grow_valid(self, Py_ssize_t count) except -1
    cpdef int finish(self, Py_ssize_t count) except -1
    cpdef int cut(self, Py_ssize_t count) except -1
    cdef Py_ssize_t end_of(self, Py_ssize_t count) except -1
    cdef Py_ssize_t label(self, str text) except -1

cdef class ColumnSink(Sink):
    cdef readonly list columns
    cdef readonly list before
    cdef list now
    cdef bint mariadb
    cdef public bint updating
    cdef public list patched
    cdef readonly Py_ssize_t row
    cdef public Py_ssize_t used
    cdef Py_ssize_t row_width
    cdef public Py_ssize_t limit
    cdef public int dates
    cdef public int texts
    cdef public str problem
    cdef public str refusal
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

cdef Py_ssize_t days_of(Py_ssize_t year, Py_ssize_t month, Py_ssize_t day)
