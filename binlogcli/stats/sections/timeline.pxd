cimport cython
from binlogcli.events.transaction_facts cimport TransactionFacts
from binlogcli.stats.collector cimport SectionCollector, EventFacts

cdef int _EVENTS, _BYTES, _ROWS, _TRANSACTIONS

cdef class TimelineCollector(SectionCollector):
    cdef readonly Py_ssize_t width
    cdef dict stretches
    cdef long long[::1] current
    cdef Py_ssize_t current_at
    cdef see(self, EventFacts facts)
    cdef close(self, TransactionFacts work)
    @cython.locals(at=Py_ssize_t)
    cdef int turn(self, Py_ssize_t timestamp) except -1
    cdef int find(self, Py_ssize_t at) except -1
    cpdef widen(self)
