cimport cython
from binlogcli.rows.sinks cimport column_loops
from binlogcli.rows.sinks.arrow_buffer cimport ColumnBuffer

cdef Py_ssize_t WIDTH, FIELDS
cdef int SEQ_BITS
cdef unsigned long long LARGEST

@cython.final
cdef class LogPosition:
    cdef readonly Py_ssize_t place
    cdef Py_ssize_t row_number, event_number, sequence
    cdef int turn_to(self, Py_ssize_t place) except -1
    cdef Py_ssize_t next_event(self) except? -1

@cython.final
cdef class RowOrigins:
    cdef readonly Py_ssize_t count, rows
    cdef ColumnBuffer entries
    cdef int begin(self, Py_ssize_t count) except -1
    cdef int put(self, Py_ssize_t value) except -1
    @cython.locals(value=cython.ulonglong)
    cdef Py_ssize_t _field(self, Py_ssize_t entry, Py_ssize_t number) except -2
    @cython.locals(column=ColumnBuffer, entry=Py_ssize_t, value=Py_ssize_t, count=Py_ssize_t)
    cpdef ColumnBuffer column(self, Py_ssize_t number, int width)
    @cython.locals(column=ColumnBuffer, entry=Py_ssize_t)
    cpdef ColumnBuffer rising(self, Py_ssize_t number, int width)
    @cython.locals(values=ColumnBuffer, indices=ColumnBuffer, entry=Py_ssize_t, value=Py_ssize_t, last=Py_ssize_t)
    cpdef tuple distinct(self, Py_ssize_t number)
