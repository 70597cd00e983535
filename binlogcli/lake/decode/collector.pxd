cimport cython
from binlogcli.events.bodies cimport BodyWriter
from binlogcli.events.event cimport Event
from binlogcli.events.mysql cimport TransactionPayload
from binlogcli.events.stream cimport EventStream
from binlogcli.events.tables cimport Rows, TableMap
from binlogcli.lake.decode.current_transaction cimport CurrentTransaction
from binlogcli.lake.decode.batches cimport EventRows, TableRows
from binlogcli.lake.decode.transaction_columns cimport TrackedTransaction, TransactionColumns
from binlogcli.rows.column cimport Sink
from binlogcli.rows.images cimport RowImages
from binlogcli.rows.walk cimport RowWalker
from binlogcli.binary.json_writer cimport json_bytes
from binlogcli.binary.text_buffer cimport TextBuffer
from binlogcli.rows.plan cimport TablePlan

cdef Py_ssize_t SECOND, ONE_EVENT, EVENTS, EVENT_BATCHES, TRANSACTION_BYTES
cdef int SEQ_BITS, UPDATE

@cython.final
cdef class Collector:
    cdef EventStream stream
    cdef CurrentTransaction current
    cdef object maker
    cdef Py_ssize_t seq_base
    cdef Py_ssize_t start
    cdef Py_ssize_t batch_bytes
    cdef Py_ssize_t held_bytes
    cdef dict tables
    cdef dict turned
    cdef TransactionColumns transactions
    cdef dict uses
    cdef EventRows events
    cdef RowWalker walker
    cdef TextBuffer out
    cdef BodyWriter bodies
    cdef Py_ssize_t held
    cdef Py_ssize_t place
    cdef Py_ssize_t row_number
    cdef Py_ssize_t event_number
    cdef Py_ssize_t sequence
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
    cpdef recall(self, list events, Py_ssize_t start)
    @cython.locals(rows=TableRows)
    cdef object last(self)
    cdef take_gap(self, object gap)
    cdef int turn_to(self, Py_ssize_t place) except -1
    cdef take(self, Event event)
    @cython.locals(events=EventRows)
    cdef put_event(self, Event event)
    cdef begin_rows(self, Rows event)
    @cython.locals(found=TableRows)
    cdef TableRows columns_of(self, TablePlan plan)
    cdef next_span(self)
    @cython.locals(used=Py_ssize_t, target=TableRows, images=RowImages, full=bint)
    cdef read_rows(self, Rows event)
    cdef expect_updates(self, TableRows target)
    @cython.locals(time=Py_ssize_t, tracked=TrackedTransaction, count=Py_ssize_t, number=Py_ssize_t)
    cdef stamp(self, Rows event, TableRows target)
    cdef object unread(self, Rows event, object error, Py_ssize_t start)
    cdef object damage_of(self, Rows event, str reason)
    @cython.locals(target=TableRows, events=EventRows)
    cdef end_rows(self, Rows event, object damage)
    @cython.locals(largest=TableRows, rows=TableRows)
    cdef give_what_is_full(self, TableRows target)
    @cython.locals(rows=TableRows)
    cdef TableRows give(self, TablePlan plan)
    cdef give_full_events(self)
    @cython.locals(events=EventRows)
    cdef begin_transactions(self)
    @cython.locals(events=EventRows)
    cdef EventRows give_events(self)
