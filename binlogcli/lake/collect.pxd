cimport cython
from binlogcli.events.bodies cimport BodyWriter
from binlogcli.events.event cimport Event
from binlogcli.events.mysql cimport MysqlGtid, TransactionPayload
from binlogcli.events.statements cimport Query
from binlogcli.events.stream cimport EventStream
from binlogcli.events.tables cimport Rows, TableMap
from binlogcli.events.transactions cimport Transaction
from binlogcli.lake.ahead cimport Ahead
from binlogcli.log.framer cimport Framer
from binlogcli.rows.column cimport Sink
from binlogcli.rows.columns cimport ColumnBuffer, ColumnSink
from binlogcli.rows.image cimport RowWalker
from binlogcli.rows.json_value cimport json_bytes
from binlogcli.rows.out cimport Out
from binlogcli.rows.plan cimport TablePlan

cdef Py_ssize_t SECOND, ONE_EVENT, EVENT_COST, EVENTS, TABLE_COST
cdef int SEQ_BITS, UPDATE, DASH

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

@cython.final
cdef class Collector:
    cdef EventStream stream
    cdef object describe
    cdef Ahead ahead
    cdef Py_ssize_t seq_base
    cdef Py_ssize_t start
    cdef Py_ssize_t batch_bytes
    cdef Py_ssize_t held_bytes
    cdef dict tables
    cdef dict turned
    cdef EventRows events
    cdef RowWalker walker
    cdef Out out
    cdef BodyWriter bodies
    cdef const unsigned char[::1] gtids
    cdef const unsigned char[::1] queries
    cdef Py_ssize_t held
    cdef Py_ssize_t place
    cdef Py_ssize_t row_number
    cdef Py_ssize_t event_number
    cdef Py_ssize_t sequence
    cdef Trail trail
    cdef Py_ssize_t statements
    cdef TransactionPayload payload
    cdef Rows rows_event
    cdef Py_ssize_t rows_count
    cdef Py_ssize_t rows_at
    cdef Py_ssize_t rows_end
    cdef list spans
    cdef str problem
    cdef TableRows target
    cdef list ready
    @cython.locals(event=Event)
    cpdef object advance(self)
    @cython.locals(event=Event)
    cpdef recall(self, list events, Py_ssize_t start)
    cdef object last(self)
    cdef take_gap(self, object gap)
    cdef int turn_to(self, Py_ssize_t place) except -1
    @cython.locals(time=Py_ssize_t)
    cdef take(self, Event event)
    @cython.locals(events=EventRows)
    cdef put_event(self, Event event, Py_ssize_t time)
    @cython.locals(trail=Trail, gtid=MysqlGtid, micro=Py_ssize_t)
    cdef follow(self, Event event)
    @cython.locals(trail=Trail, framer=Framer, nested=TransactionPayload)
    cdef look_ahead(self, Trails trails)
    cdef begin_rows(self, Rows event)
    @cython.locals(found=TableRows)
    cdef TableRows columns_of(self, TablePlan plan)
    cdef next_span(self)
    @cython.locals(used=Py_ssize_t, target=TableRows, full=bint)
    cdef read_rows(self, Rows event)
    @cython.locals(time=Py_ssize_t, trail=Trail, count=Py_ssize_t)
    cdef stamp(self, Rows event, TableRows target)
    cdef object unread(self, Rows event, object error, Py_ssize_t start)
    cdef object damage_of(self, Rows event, str reason)
    @cython.locals(target=TableRows, events=EventRows)
    cdef end_rows(self, Rows event, object damage)
    @cython.locals(largest=TableRows, rows=TableRows)
    cdef give_what_is_full(self, TableRows target)
    @cython.locals(rows=TableRows)
    cdef TableRows give(self, TablePlan plan)
    cdef EventRows give_events(self)

cdef Py_ssize_t micro_of(Query event) except -1
