cimport cython
from binlogcli.rows.plan cimport TablePlan
from binlogcli.stats.collector cimport Collector, Facts

cdef int TABLE_MAP_EVENT, NO_ROWS, WRITE, UPDATE, DELETE, PLANS_KEPT

@cython.final
cdef class Tally:
    cdef readonly Py_ssize_t inserted, updated, deleted, row_events, row_bytes, map_events, map_bytes
    cdef readonly Py_ssize_t transactions, last_work, first_time, last_time, statements, statement_bytes, unread
    cpdef Py_ssize_t weight(self)
    cdef int count_rows(self, int operation, Py_ssize_t rows) except -1
    cdef int touch(self, Py_ssize_t work, Py_ssize_t timestamp) except -1
    cpdef tuple values(self)

cdef class ByTable(Collector):
    cdef object tallies
    cdef tuple others
    cdef dict plans
    cdef TablePlan last_plan
    cdef Tally last
    cdef Tally nameless
    cdef see(self, Facts facts)
    cdef int see_rows(self, Facts facts, Tally tally) except -1
    @cython.locals(tally=Tally)
    cpdef int see_statement(self, Facts facts) except -1
    @cython.locals(tally=Tally)
    cdef Tally tally_of(self, TablePlan plan)
    @cython.locals(tally=Tally)
    cpdef Tally by_name(self, tuple name)
