cimport cython
from binlogcli.events.event cimport Transaction
from binlogcli.events.transaction_facts cimport TransactionFacts
from binlogcli.stats.collector cimport SectionCollector, power

cdef Py_ssize_t _SIZES

cdef class TransactionsCollector(SectionCollector):
    cdef Py_ssize_t count, committed, rolled_back, unfinished, prepared_more
    cdef long long[::1] sizes, size_bytes
    cdef object by_bytes, by_rows, by_time, by_commit, undone, open_ended
    cdef dict prepared
    cdef list ended
    @cython.locals(at=Py_ssize_t, transaction=Transaction, outcome=str)
    cdef close(self, TransactionFacts work)
    @cython.locals(duration=Py_ssize_t, spent=Py_ssize_t)
    cdef int rank(self, TransactionFacts work, str outcome) except -1
    cpdef see_xa(self, TransactionFacts work)
