cimport cython

@cython.final
cdef class LoggedTransaction:
    cdef public Py_ssize_t log, start, time, number, rows, statements, gaps, place
    cdef public tuple source
    cdef public str outcome, doubt
    cdef public bytes raw, content, shape
    cdef public bint empty
    cdef public list undone
    cpdef seal(self)
    cpdef bint same(self, LoggedTransaction other) except -1
