from binlogcli.binary cimport kernel
from binlogcli.binary.byte_search cimport ByteSearch
from binlogcli.binary.cursor cimport Cursor
from binlogcli.binary.digits cimport Digits
from binlogcli.binary.text_buffer cimport TextBuffer
from binlogcli.events.tables cimport Rows
from binlogcli.rows.column cimport Column, Moment, Sink
from binlogcli.rows.digit_search cimport DigitSearch
from binlogcli.rows.images cimport RowImages
from binlogcli.rows.plan cimport TablePlan
from binlogcli.rows.readers.strings cimport BytesColumn
from binlogcli.rows.value_texts cimport put_clock, put_date
from binlogcli.rows.walk cimport RowWalker
cimport cython

cdef int _END, _DASH, _SPACE, NOT, ALL
cdef bytes _OPAQUE

cdef class RowSearch(Sink):
    cdef readonly object grep
    cdef bint by_needles, in_letters, plain, as_hex, mariadb, by_row, sign_open
    cdef readonly bint unsure
    cdef readonly ByteSearch raw
    cdef ByteSearch texts
    cdef DigitSearch digits
    cdef TextBuffer out
    cdef RowWalker walker
    cdef RowImages images
    cdef object known
    cdef TablePlan plan
    cdef bytes plan_reach
    cdef bint reaches_some, begun_by_row
    cdef object begun
    cdef const unsigned char[::1] reach
    cdef list ends, ranges
    cpdef bint passes_over(self, Rows event, TablePlan plan) except -1
    cdef bint in_raw(self, Rows event) except -1
    cdef bytes reach_of(self, TablePlan plan)
    cpdef list find(self, Rows event)
    cdef bint in_values(self, Rows event) except -1
    @cython.locals(images=RowImages, plan=TablePlan)
    cdef bint in_integers(self, Rows event, DigitSearch digits) except -1
    cdef int begin_rows(self, object plan) except -1
    cdef int begin_row(self) except -1
    cdef int end_row(self) except -1
    cdef bint row_matches(self) except -1
    @cython.locals(content=bytes, place=Py_ssize_t, at=Py_ssize_t)
    cdef bint value_matches(self) except -1
    @cython.locals(start=Py_ssize_t)
    cdef bint one_matches(self, bytes content, Py_ssize_t at) except -1
    cdef int end_value(self) except -1
    cdef int put_str(self, str text) except -1
    cdef int put_int(self, Column column, Py_ssize_t value) except -1
    cdef int put_uint(self, Column column, unsigned long long value) except -1
    cdef int put_float(self, Column column, double value) except -1
    cdef int put_double(self, Column column, double value) except -1
    cdef int put_decimal(self, Column column, Digits digits) except -1
    cdef int put_bits(self, Column column, unsigned long long value) except -1
    cdef int put_year(self, Column column, int value) except -1
    cdef int put_date(self, Column column, Moment moment) except -1
    cdef int put_time(self, Column column, Moment moment) except -1
    cdef int put_datetime(self, Column column, Moment moment) except -1
    cdef int put_timestamp(self, Column column, Moment moment) except -1
    cdef int put_enum(self, Column column, Py_ssize_t index) except -1
    cdef int put_set(self, Column column, unsigned long long bits) except -1
    @cython.locals(known=BytesColumn, reach=int)
    cdef int put_text(self, Column column, Cursor data, Py_ssize_t start, Py_ssize_t end) except -1
    cdef int put_decoded(self, Column column, Cursor data, Py_ssize_t start, Py_ssize_t end) except -1
    cdef int put_bytes(self, Column column, Cursor data, Py_ssize_t start, Py_ssize_t end) except -1
    cdef int raw_bytes(self, Column column, Cursor data, Py_ssize_t start, Py_ssize_t end) except -1
    cdef int copy(self, Cursor data, Py_ssize_t start, Py_ssize_t end) except -1
    @cython.locals(reach=int)
    cdef int put_json(self, Column column, Cursor data, Py_ssize_t start, Py_ssize_t end) except -1
    cdef int put_json_diff(self, Column column, Cursor data, Py_ssize_t start, Py_ssize_t end) except -1
    cdef int put_geometry(self, Column column, Cursor data, Py_ssize_t start, Py_ssize_t end) except -1
    cdef int put_vector(self, Column column, Cursor data, Py_ssize_t start, Py_ssize_t end) except -1
