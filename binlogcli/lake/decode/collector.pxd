cimport cython
from binlogcli.binary.json_writer cimport json_bytes
from binlogcli.binary.text_buffer cimport TextBuffer
from binlogcli.lake.decode.event_bodies cimport BodyWriter
from binlogcli.events.event cimport Event
from binlogcli.events.mysql cimport TransactionPayload
from binlogcli.events.statements cimport Query
from binlogcli.events.stream cimport EventStream
from binlogcli.events.tables cimport Rows, TableMap
from binlogcli.lake.decode.batches cimport EventRows, TableRows
from binlogcli.lake.decode.current_transaction cimport CurrentTransaction
from binlogcli.lake.decode.pending cimport PendingBatches
from binlogcli.lake.decode.columns.row_origins cimport LogPosition
from binlogcli.lake.decode.columns.transaction_columns cimport TrackedTransaction
from binlogcli.log.boundaries cimport may_define, may_truncate, role_of
from binlogcli.rows.column cimport Sink
from binlogcli.rows.images cimport RowImages
from binlogcli.rows.walk cimport RowWalker

cdef Py_ssize_t SECOND
cdef int UPDATE, SAVEPOINT, XA_COMMIT, XA_ROLLBACK

@cython.final
cdef class Collector:
    cdef EventStream stream
    cdef CurrentTransaction current
    cdef PendingBatches pending
    cdef LogPosition position
    cdef RowWalker walker
    cdef TextBuffer out
    cdef BodyWriter bodies
    cdef Rows rows_event
    cdef Py_ssize_t rows_count, rows_at, rows_end
    cdef list spans
    cdef Sink values
    cdef object xa_ends, undone
    cdef bint choosing, with_events
    cdef list operations
    cdef Py_ssize_t since, until
    cdef bint some_undone
    @cython.locals(event=Event, pending=PendingBatches)
    cpdef object advance(self)
    cdef _take_damage(self, object damage)
    cdef _take(self, Event event)
    @cython.locals(tracked=TrackedTransaction, outcome=int)
    cdef _see_undone(self, Event event)
    cdef _put_event(self, Event event)
    @cython.locals(events=EventRows, sequence=Py_ssize_t)
    cdef _put_fields(self, Event event)
    @cython.locals(role=int)
    cdef _see_statement(self, Query event, Py_ssize_t sequence)
    cdef _taken_xa_ends(self)
    cdef _begin_rows(self, Rows event)
    cdef bint _is_wanted(self, Rows event) except -1
    cdef _next_span(self)
    @cython.locals(used=Py_ssize_t, target=TableRows, pending=PendingBatches, images=RowImages, full=bint)
    cdef _read_rows(self, Rows event)
    @cython.locals(time=Py_ssize_t, tracked=TrackedTransaction, number=Py_ssize_t)
    cdef _note_origins(self, Rows event, TableRows target)
    @cython.locals(events=EventRows)
    cdef object _unread(self, Rows event, object error, Py_ssize_t start)
    @cython.locals(target=TableRows, pending=PendingBatches, sequence=Py_ssize_t)
    cdef _end_rows(self, Rows event, object damage)
    @cython.locals(events=EventRows)
    cdef _put_rows_event(self, Rows event, object damage, Py_ssize_t sequence)
