cimport cython
from binlogcli.events.event cimport Transaction
from binlogcli.stats.collector cimport Collector, Facts, Work

@cython.final
cdef class Share:
    cdef readonly Py_ssize_t events, bytes, transactions, rows, first_time, last_time
    cpdef Py_ssize_t weight(self)
    cdef int add(self, Py_ssize_t events, Py_ssize_t length, Py_ssize_t rows, Py_ssize_t timestamp) except -1
    cdef int finish(self) except -1
    cpdef tuple values(self)

cdef class ByServer(Collector):
    cdef object servers, threads
    cdef Py_ssize_t last_id
    cdef Share last
    cdef see(self, Facts facts)
    @cython.locals(transaction=Transaction, thread=Share)
    cdef close(self, Work work)
    @cython.locals(found=Share)
    cdef Share share(self, object shares, object key)
