cimport cython
from binlogcli.events.event cimport Event
from binlogcli.events.statements cimport Query
from binlogcli.rows.plan cimport TablePlan
from binlogcli.events.transaction_facts cimport TransactionFacts
from binlogcli.stats.collector cimport SectionCollector, EventFacts

cdef int UPDATE, DELETE, INCIDENT_EVENT, _LISTED

cdef class ProblemsCollector(SectionCollector):
    cdef dict unknown_keys
    cdef bint adds_keys
    cdef dict kinds
    cdef object steps
    cdef Py_ssize_t steps_back, first_end, first_end_at, latest
    cdef dict keyless
    cdef set plans
    cdef TablePlan last_plan
    cdef object last_gap
    cpdef add(self, str kind, Py_ssize_t position, str what, str advice)
    cdef see(self, EventFacts facts)
    cpdef see_table(self, TablePlan plan, Py_ssize_t position)
    cpdef see_incident(self, Event event)
    cpdef see_statement(self, EventFacts facts)
    cdef close(self, TransactionFacts work)
    cdef miss(self, object gap)
    cdef finish(self, Py_ssize_t seen)
