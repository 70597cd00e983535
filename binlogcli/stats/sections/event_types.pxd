cimport cython
from binlogcli.stats.collector cimport Collector, Facts

cdef class ByType(Collector):
    cdef long long[::1] counts, sizes, least, most, inner_counts, inner_sizes
    cdef see(self, Facts facts)
    cdef int add(self, int code, Py_ssize_t length, bint outer) except -1
