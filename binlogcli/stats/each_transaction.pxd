from binlogcli.events.transaction_facts cimport TransactionFacts
from binlogcli.stats.collector cimport SectionCollector

cdef class EachTransaction(SectionCollector):
    cdef object put
    cdef close(self, TransactionFacts work)
