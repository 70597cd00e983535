cimport cython
from binlogcli.events.event cimport Transaction
from binlogcli.events.transaction_facts cimport TransactionFacts
from binlogcli.stats.collector cimport SectionCollector, EventFacts

@cython.final
cdef class WriterTally:
    cdef readonly Py_ssize_t events, bytes, transactions, rows, first_time, last_time
    cpdef Py_ssize_t weight(self)
    cdef int add(self, Py_ssize_t events, Py_ssize_t length, Py_ssize_t rows, Py_ssize_t timestamp) except -1
    cdef int finish(self) except -1
    cpdef tuple values(self)

cdef class ServersCollector(SectionCollector):
    cdef object servers, threads
    cdef Py_ssize_t last_id
    cdef WriterTally last
    cdef see(self, EventFacts facts)
    @cython.locals(transaction=Transaction, thread=WriterTally)
    cdef close(self, TransactionFacts work)
    @cython.locals(found=WriterTally)
    cdef WriterTally share(self, object shares, object key)
