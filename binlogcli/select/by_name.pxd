from binlogcli.events.event cimport Event
from binlogcli.events.load cimport Load
from binlogcli.events.statements cimport Query
from binlogcli.events.tables cimport Rows, TableMap
from binlogcli.log.boundaries cimport may_define, may_truncate, role_of
from binlogcli.log.context cimport LogContext
from binlogcli.rows.plan cimport TablePlan
cimport cython

cdef int RELEASE_SAVEPOINT

@cython.final
cdef class NameChoice:
    cdef readonly object databases, tables
    cdef public bint spares_definitions
    cdef dict verdicts
    cdef object table_verdicts
    cpdef bint takes(self, Event event, LogContext context) except -1
    @cython.locals(query=bytes)
    cdef bint names(self, Event event) except -1
    cdef bint takes_table(self, TablePlan plan) except -1
    cpdef bint matches(self, str database, str table) except -1
    @cython.locals(query=bytes, size=Py_ssize_t, defines=bint)
    cdef bint takes_statement(self, Query event, LogContext context) except -1
    cpdef list defined_tables(self, Query event, LogContext context)
    cdef bint takes_database(self, str name) except -1
