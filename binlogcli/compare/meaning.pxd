cimport cython
from binlogcli.events.event cimport Event
from binlogcli.events.load cimport ExecuteLoadQuery, Load
from binlogcli.events.statements cimport Intvar, Query, Rand, UserVar
from binlogcli.events.status cimport StatusVars
from binlogcli.events.tables cimport Rows
from binlogcli.rows.plan cimport TablePlan

cdef Py_ssize_t _MEANINGFUL_FLAGS

@cython.locals(status=StatusVars)
cpdef tuple settings_of(Query event)
@cython.locals(plan=TablePlan)
cpdef tuple heading_of(Rows event)
cpdef bytes meaning_of(bytes query)
cpdef bytes variable_of(Event event)
