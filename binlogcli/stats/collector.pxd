cimport cython
from binlogcli.events.event cimport Event
from binlogcli.events.transaction_facts cimport TransactionFacts
from binlogcli.rows.plan cimport TablePlan

@cython.final
cdef class EventFacts:
    cdef public Event event
    cdef public int code
    cdef public Py_ssize_t length, start, end, timestamp
    cdef public unsigned int server_id
    cdef public bint outer, opens
    cdef public TransactionFacts work
    cdef public TablePlan plan
    cdef public int operation
    cdef public Py_ssize_t rows
    cdef public str unread
    cdef public object statement

cdef class SectionCollector:
    cdef see(self, EventFacts facts)
    cdef close(self, TransactionFacts work)
    cdef miss(self, object gap)
    cdef finish(self, Py_ssize_t seen)

cpdef int power(unsigned long long value)
