cimport cython
from binlogcli.binary.cursor cimport Cursor
from binlogcli.binary.digits cimport Digits

@cython.final
cdef class Moment:
    cdef public bint negative
    cdef public int year, month, day, hour, minute, second, micro
    cdef public Py_ssize_t seconds
    cdef public int fsp
    @cython.locals(
        days=Py_ssize_t, rest=Py_ssize_t, era=Py_ssize_t, day_of_era=Py_ssize_t, year_of_era=Py_ssize_t,
        day_of_year=Py_ssize_t, shifted=Py_ssize_t)
    cpdef to_civil(self)

cdef class Sink:
    cdef public str problem
    cpdef int note_problem(self, Column column, str reason) except -1
    cdef int begin_rows(self, object plan) except -1
    cdef int begin_row(self) except -1
    cdef int begin_image(self, bint after) except -1
    cdef int end_image(self) except -1
    cdef int end_row(self) except -1
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

cdef class Column:
    cdef readonly object info
    cdef readonly Py_ssize_t index
    cdef readonly str name
    cdef readonly bint sign_unknown
    cdef int read(self, Cursor cursor, Sink sink) except -1
