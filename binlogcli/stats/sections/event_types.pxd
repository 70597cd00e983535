cimport cython
from binlogcli.stats.collector cimport SectionCollector, EventFacts

cdef class EventTypesCollector(SectionCollector):
    cdef long long[::1] counts, sizes, least, most, inner_counts, inner_sizes
    cdef see(self, EventFacts facts)
    cdef int add(self, int code, Py_ssize_t length, bint outer) except -1
