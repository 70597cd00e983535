cimport cython
from binlogcli.events.tables cimport Rows
from binlogcli.binary.cursor cimport Cursor

cdef int _UNKNOWN, WRITE_ROWS_EVENT_V1

@cython.final
cdef class RowCounter:
    cdef bint complete
    cdef dict known
    cdef Py_ssize_t columns
    cdef object definition
    cdef bytes present
    cdef const short[::1] widths
    cdef Cursor cursor
    cdef int use(self, object definition, bytes present) except -1
    @cython.locals(start=Py_ssize_t, end=Py_ssize_t, rows=Py_ssize_t, length=Py_ssize_t)
    cdef Py_ssize_t count(self, Rows event) except? -1
    cpdef int watch(self, Rows event) except -1
    @cython.locals(cursor=Cursor, at=Py_ssize_t, number=Py_ssize_t, count=Py_ssize_t, width=int)
    cpdef Py_ssize_t image(self, object definition, Py_ssize_t start, Py_ssize_t end, bytes present) except -2
