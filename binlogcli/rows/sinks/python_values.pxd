cimport cython
from binlogcli.binary.cursor cimport Cursor
from binlogcli.binary.digits cimport Digits
from binlogcli.rows.column cimport Column, Moment, Sink
from binlogcli.rows.readers.strings cimport BytesColumn

cdef class ValueSink(Sink):
    cdef public list rows
    cdef object row
    cdef dict image
    cdef readonly object last
    cdef bint mariadb
    cdef int begin_rows(self, object plan) except -1
    cdef int begin_row(self) except -1
    cdef int begin_image(self, bint after) except -1
    cdef int end_row(self) except -1
    cdef int put(self, Column column, object value) except -1
    cdef int put_null(self, Column column) except -1
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
    cdef int put_text(self, Column column, Cursor data, Py_ssize_t start, Py_ssize_t end) except -1
    cdef int put_bytes(self, Column column, Cursor data, Py_ssize_t start, Py_ssize_t end) except -1
    cdef int put_json(self, Column column, Cursor data, Py_ssize_t start, Py_ssize_t end) except -1
    cdef int put_json_diff(self, Column column, Cursor data, Py_ssize_t start, Py_ssize_t end) except -1
    cdef int put_geometry(self, Column column, Cursor data, Py_ssize_t start, Py_ssize_t end) except -1
    cdef int put_vector(self, Column column, Cursor data, Py_ssize_t start, Py_ssize_t end) except -1

cdef class LastValue(ValueSink):
    cdef int put(self, Column column, object value) except -1
    cdef int end_row(self) except -1
    cdef int put_int(self, Column column, Py_ssize_t value) except -1
    cdef int put_decimal(self, Column column, Digits digits) except -1
    cdef int put_datetime(self, Column column, Moment moment) except -1
    @cython.locals(raw=bytes, text_column=BytesColumn)
    cdef int put_text(self, Column column, Cursor data, Py_ssize_t start, Py_ssize_t end) except -1
