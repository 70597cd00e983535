cimport cython
from binlogcli.events.event cimport Event
from binlogcli.events.tables cimport Rows, TableMap
from binlogcli.events.transactions cimport Transaction
from binlogcli.rows.columns cimport ColumnBuffer, ColumnSink
from binlogcli.rows.json_value cimport json_bytes
from binlogcli.rows.out cimport Out
from binlogcli.rows.plan cimport TablePlan

cdef Py_ssize_t EVENT_COST
cdef int UPDATE, DASH

@cython.final
cdef class Trail:
    cdef readonly Transaction transaction
    cdef public Py_ssize_t commit
    cdef public Py_ssize_t begun
    cdef public bint over
    cdef public object xid

@cython.final
cdef class Trails:
    cdef readonly Py_ssize_t count
    cdef readonly Trail last
    cdef Out out
    cdef readonly ColumnBuffer gtids
    cdef readonly ColumnBuffer xids
    cdef readonly ColumnBuffer commits
    cdef Py_ssize_t number(self, Trail trail) except -1
    @cython.locals(done=Py_ssize_t, trail=Trail)
    cdef close(self)
    @cython.locals(out=Out)
    cdef put_gtid(self, Transaction transaction)

@cython.final
cdef class TableUse:
    cdef readonly Py_ssize_t number
    cdef public unsigned long long table_id
    cdef public Py_ssize_t body

@cython.final
cdef class TableRows:
    cdef readonly TablePlan plan
    cdef readonly object schema
    cdef list names
    cdef readonly ColumnSink sink
    cdef Py_ssize_t begun_at
    cdef readonly ColumnBuffer operations
    cdef readonly ColumnBuffer times
    cdef readonly ColumnBuffer servers
    cdef readonly ColumnBuffer threads
    cdef readonly ColumnBuffer positions
    cdef readonly ColumnBuffer numbers
    cdef readonly ColumnBuffer sequence
    cdef readonly ColumnBuffer trail_at
    cdef readonly ColumnBuffer absent_at
    cdef readonly Trails trails
    cdef readonly list absent
    cdef dict absences
    cdef bytes full
    cdef bytes exact
    @cython.locals(before=bytes, after=bytes)
    cdef Py_ssize_t absence(self, Rows event) except -1
    cdef list lacking(self, bytes bitmap, str prefix)
    cdef Py_ssize_t number_of(self, list names) except -1
    @cython.locals(count=Py_ssize_t, absence=Py_ssize_t)
    cdef Py_ssize_t stamp(
        self, Rows event, Trail trail, Py_ssize_t time, Py_ssize_t place, Py_ssize_t number,
        Py_ssize_t sequence) except -1
    cdef stamp_patched(self, Py_ssize_t absence, Py_ssize_t count)

@cython.final
cdef class EventRows:
    cdef readonly Py_ssize_t count
    cdef readonly Py_ssize_t used
    cdef readonly ColumnBuffer sequence
    cdef readonly ColumnBuffer starts
    cdef readonly ColumnBuffer ends
    cdef readonly ColumnBuffer within
    cdef readonly ColumnBuffer times
    cdef readonly ColumnBuffer types
    cdef readonly ColumnBuffer servers
    cdef readonly ColumnBuffer flags
    cdef readonly ColumnBuffer checksums
    cdef readonly ColumnBuffer trail_at
    cdef readonly ColumnBuffer table_at
    cdef readonly ColumnBuffer rows
    cdef readonly ColumnBuffer body_at
    cdef readonly ColumnBuffer bodies
    cdef readonly ColumnBuffer damages
    cdef readonly Trails trails
    cdef readonly list tables
    cdef dict uses
    cdef int put_place(self, Py_ssize_t start, Py_ssize_t end, Py_ssize_t within, Py_ssize_t sequence) except -1
    cdef int put_head(self, Event event, Py_ssize_t time, Trail trail) except -1
    @cython.locals(use=TableUse)
    cdef TableUse put_table(self, TablePlan plan)
    @cython.locals(use=TableUse)
    cdef put_table_map(self, TableMap event)
    cdef int put_last_body(self, Py_ssize_t size) except -1
    cdef put_damage(self, str reason)
    cdef put_gap(self, object damage, Py_ssize_t sequence)
    cdef skip_head(self)
