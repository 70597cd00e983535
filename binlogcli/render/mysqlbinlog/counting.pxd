cimport cython
from binlogcli.events.tables cimport Rows
from binlogcli.log.cursor cimport Cursor

cdef int UNKNOWN

@cython.final
cdef class RowCounter:
    cdef bint complete
    cdef dict known
    cdef object definition
    cdef const short[::1] widths
    cdef Py_ssize_t bound
    cdef Cursor cursor
    cdef int use(self, object definition) except -1
    @cython.locals(start=Py_ssize_t, end=Py_ssize_t, rows=Py_ssize_t, length=Py_ssize_t)
    cdef Py_ssize_t count(self, Rows event) except -1
    @cython.locals(
        cursor=Cursor, nulls=Py_ssize_t, at=Py_ssize_t, number=Py_ssize_t, bit=Py_ssize_t, columns=Py_ssize_t,
        width=int, bits=int)
    cpdef watch(self, Rows event)
    cpdef Py_ssize_t width_at(self, bytes image, Py_ssize_t at, Py_ssize_t number) except -1
    cpdef Py_ssize_t image(self, Py_ssize_t start, Py_ssize_t end, bytes present) except -2
