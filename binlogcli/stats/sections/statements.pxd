cimport cython
from binlogcli.events.event cimport Event
from binlogcli.events.statements cimport Query, StatementText
from binlogcli.events.tables cimport Rows
from binlogcli.stats.collector cimport SectionCollector, EventFacts
from binlogcli.stats.fingerprint cimport Fingerprinter

cdef int QUERY_EVENT, QUERY_COMPRESSED_EVENT, ROWS_QUERY_LOG_EVENT, ANNOTATE_ROWS_EVENT, EXECUTE_LOAD_QUERY_EVENT, NO_ROWS
cdef Py_ssize_t _EXAMPLE_SIZE

@cython.final
cdef class StatementTally:
    cdef readonly bytes fingerprint
    cdef readonly str verb, keyless
    cdef readonly list written
    cdef public list tables
    cdef readonly Py_ssize_t count, bytes, rows, row_bytes
    cdef public str example
    cdef public Py_ssize_t position, last_table
    cpdef Py_ssize_t weight(self)
    cdef int count_text(self, Py_ssize_t length) except -1
    cdef int count_rows(self, Py_ssize_t length, Py_ssize_t rows) except -1
    cpdef tuple values(self)

cdef class StatementsCollector(SectionCollector):
    cdef Fingerprinter fingerprinter
    cdef object tallies
    cdef bytes last_text
    cdef StatementTally last
    @cython.locals(code=int)
    cdef see(self, EventFacts facts)
    cdef bytes text_of(self, Event event)
    cdef bytes query_of(self, Event event)
    @cython.locals(tally=StatementTally)
    cdef hear(self, EventFacts facts, bytes text)
    @cython.locals(fingerprint=bytes, tally=StatementTally)
    cdef StatementTally find(self, bytes text)
    @cython.locals(event=Event)
    cpdef introduce(self, StatementTally tally, EventFacts facts, bytes text)
    @cython.locals(tally=StatementTally, named=list)
    cdef see_rows(self, EventFacts facts)
