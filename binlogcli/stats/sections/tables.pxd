cimport cython
from binlogcli.rows.plan cimport TablePlan
from binlogcli.stats.collector cimport SectionCollector, EventFacts

cdef int TABLE_MAP_EVENT, NO_ROWS, WRITE, UPDATE, DELETE
cdef Py_ssize_t _COLUMNS_KEPT

@cython.final
cdef class TableTally:
    cdef readonly Py_ssize_t inserted, updated, deleted, row_events, row_bytes, map_events, map_bytes
    cdef readonly Py_ssize_t transactions, last_work, first_time, last_time, statements, statement_bytes, unread
    cdef public object times
    cpdef Py_ssize_t weight(self)
    cdef int count_rows(self, int operation, Py_ssize_t rows) except -1
    cdef int touch(self, Py_ssize_t work, Py_ssize_t timestamp) except -1
    cpdef tuple values(self)

cdef class TablesCollector(SectionCollector):
    cdef object tallies
    cdef tuple others
    cdef dict plans
    cdef Py_ssize_t columns
    cdef TablePlan last_plan
    cdef TableTally last, nameless
    cdef object by_time
    cdef see(self, EventFacts facts)
    @cython.locals(work=Py_ssize_t)
    cdef int see_rows(self, EventFacts facts, TableTally tally) except -1
    @cython.locals(tally=TableTally, work=Py_ssize_t)
    cpdef int see_statement(self, EventFacts facts) except -1
    @cython.locals(tally=TableTally)
    cdef TableTally tally_of(self, TablePlan plan)
    @cython.locals(tally=TableTally)
    cpdef TableTally by_name(self, tuple name)
