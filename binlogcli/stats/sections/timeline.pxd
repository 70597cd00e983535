cimport cython
from binlogcli.stats.collector cimport Collector, Facts, Work

cdef int EVENTS, BYTES, ROWS, TRANSACTIONS

cdef class ByTime(Collector):
    cdef readonly Py_ssize_t width
    cdef dict stretches
    cdef long long[::1] current
    cdef Py_ssize_t current_at
    cdef see(self, Facts facts)
    cdef close(self, Work work)
    @cython.locals(at=Py_ssize_t)
    cdef int turn(self, Py_ssize_t timestamp) except -1
    cdef int find(self, Py_ssize_t at) except -1
    cpdef widen(self)
