cimport cython
from binlogcli.events.event cimport Event
from binlogcli.stats.collector cimport SectionCollector, EventFacts

cdef int FORMAT_DESCRIPTION_EVENT, START_EVENT_V3
cdef Py_ssize_t _SERVERS_KEPT, _MAGIC_SIZE

cdef class SummaryCollector(SectionCollector):
    cdef readonly Py_ssize_t events, decoded, rows, transactions, first_time, last_time, damaged, padding, gaps
    cdef Py_ssize_t last_server
    cdef readonly set servers
    cdef readonly list formats
    cdef see(self, EventFacts facts)
    cdef int add(self, Py_ssize_t length, Py_ssize_t timestamp, Py_ssize_t server_id, bint outer) except -1
    cdef int count(self, Py_ssize_t rows, bint opens) except -1
    cpdef Py_ssize_t known(self)
    cpdef int meet_format(self, Event event) except -1
    cdef miss(self, object gap)
