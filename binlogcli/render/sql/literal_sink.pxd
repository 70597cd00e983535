cimport cython
from binlogcli.binary.cursor cimport Cursor
from binlogcli.rows.value_texts cimport put_clock, put_date
from binlogcli.binary.text_buffer cimport TextBuffer
from binlogcli.render.sql.quoting cimport put_string
from binlogcli.binary.digits cimport Digits
from binlogcli.rows.column cimport Column, Moment, Sink
from binlogcli.rows.readers.strings cimport BytesColumn

cdef int _QUOTE, _DASH, _SPACE

@cython.final
cdef class LiteralImage:
    cdef readonly TextBuffer text
    cdef Py_ssize_t[::1] starts, places
    cdef readonly Py_ssize_t width, count
    cdef public bint present
    cdef readonly dict floats, readings, deferred
    @cython.locals(at=Py_ssize_t)
    cdef int prepare(self, Py_ssize_t width) except -1
    cdef int begin(self) except -1
    cdef int start(self, Py_ssize_t index) except -1
    cdef int end(self) except -1
    @cython.locals(place=Py_ssize_t)
    cdef bytes literal(self, Py_ssize_t index)

cdef class LiteralSink(Sink):
    cdef readonly LiteralImage before, after
    cdef LiteralImage image
    cdef bint mariadb
    cdef list names
    cdef public bytes axis_order
    cdef readonly str row_problem
    cpdef int note_problem(self, Column column, str reason) except -1
    cdef int take_plan(self, object plan) except -1
    cdef int begin_row(self) except -1
    cdef int begin_image(self, bint after) except -1
    cdef int end_image(self) except -1
    cdef TextBuffer begin(self, Column column)
    cdef int put_deferred(self, Column column, object literal) except -1
    cdef int put_null(self, Column column) except -1
    cdef int put_int(self, Column column, Py_ssize_t value) except -1
    cdef put_unsigned_reading(self, Column column, Py_ssize_t value)
    cdef int put_uint(self, Column column, unsigned long long value) except -1
    cdef int put_float(self, Column column, double value) except -1
    cdef int put_double(self, Column column, double value) except -1
    cdef int put_decimal(self, Column column, Digits digits) except -1
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
    cdef int put_set(self, Column column, unsigned long long bits) except -1
    cdef int put_text(self, Column column, Cursor data, Py_ssize_t start, Py_ssize_t end) except -1
    @cython.locals(out=TextBuffer)
    cdef int put_characters(self, BytesColumn column, Cursor data, Py_ssize_t start, Py_ssize_t end) except -1
    @cython.locals(raw=bytes)
    cdef int put_bytes(self, Column column, Cursor data, Py_ssize_t start, Py_ssize_t end) except -1
    cdef int put_json(self, Column column, Cursor data, Py_ssize_t start, Py_ssize_t end) except -1
    cdef int put_json_diff(self, Column column, Cursor data, Py_ssize_t start, Py_ssize_t end) except -1
    cdef int put_geometry(self, Column column, Cursor data, Py_ssize_t start, Py_ssize_t end) except -1
    cdef int put_vector(self, Column column, Cursor data, Py_ssize_t start, Py_ssize_t end) except -1
