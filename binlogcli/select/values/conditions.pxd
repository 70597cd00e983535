cimport cython
from binlogcli.events.tables cimport Rows
from binlogcli.binary.cursor cimport Cursor
from binlogcli.binary.digits cimport Digits
from binlogcli.rows.column cimport Column, Moment, Sink
from binlogcli.rows.walk cimport RowWalker
from binlogcli.rows.plan cimport TablePlan
from binlogcli.select.values.row_search cimport RowSearch

@cython.final
cdef class ColumnTest:
    cdef readonly Py_ssize_t place
    cdef readonly str operator
    cdef readonly object value, condition
    cdef object operand, converter, pattern
    cdef public object grep
    cpdef bint null(self) except -1
    cpdef bint meets(self, object value, object converter) except -1

cdef class RowFilter(Sink):
    cdef readonly tuple conditions
    cdef object junction
    cdef public RowSearch search
    cdef readonly object grep
    cdef RowWalker walker
    cdef object known
    cdef readonly dict lacking
    cdef readonly set found
    cdef readonly dict unsure
    cdef str table
    cdef readonly Py_ssize_t matched
    cdef bint mariadb
    cdef list tests, states
    cdef bint hit
    cdef list ranges
    cpdef bint choose(self, Rows event) except -1
    cdef bint settles(self, RowSearch search, Rows event) except -1
    cdef bint walked(self, Rows event) except -1
    cdef list tests_of(self, TablePlan plan)
    cdef list make_tests(self, TablePlan plan)
    cdef check_unsigned(self, Column column, Py_ssize_t value)
    cdef int begin_rows(self, object plan) except -1
    cdef int begin_row(self) except -1
    cdef int end_image(self) except -1
    cdef bint meets_conditions(self) except -1
    cdef int end_row(self) except -1
    cdef check(self, Column column, object value, object converter)
    cdef check_labels(self, Column column, unsigned long long number_of, object label)
    cdef check_text(self, Column column, bytes raw, object decoded)
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
