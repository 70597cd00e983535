cimport cython
from binlogcli.binary cimport kernel
from binlogcli.binary.cursor cimport Cursor
from binlogcli.log.framer cimport Framer

cdef Py_ssize_t _POST_HEADER, _EARLY_POST_HEADER

@cython.final
cdef class TableMapKeeper:
    cdef bytes names, last
    cdef readonly list events
    cdef public bint hidden
    cdef set seen
    cdef Py_ssize_t statements
    @cython.locals(cursor=Cursor, start=Py_ssize_t, body=bytes)
    cdef keep(self, Framer framer, Py_ssize_t statements)
    @cython.locals(start=Py_ssize_t, end=Py_ssize_t)
    cdef bint is_named(self, Framer framer, Py_ssize_t size) except -1
