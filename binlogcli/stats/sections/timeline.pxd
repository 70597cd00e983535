from binlogcli.events.transaction_facts cimport TransactionFacts
from binlogcli.stats.collector cimport SectionCollector, EventFacts

cdef int _EVENTS, _BYTES, _ROWS, _TRANSACTIONS

cdef class TimelineCollector(SectionCollector):
    cdef object buckets
    cdef dict stretches
    cdef long long[::1] current
    cdef Py_ssize_t low, high
    cdef see(self, EventFacts facts)
    cdef close(self, TransactionFacts work)
    cdef int turn(self, Py_ssize_t timestamp) except -1
    cpdef find(self, Py_ssize_t timestamp)
    cpdef widen(self)
