cimport cython
from binlogcli.events.event cimport Event
from binlogcli.events.tables cimport Rows, TableMap
from binlogcli.lake.decode.columns.row_origins cimport LogPosition, RowOrigins
from binlogcli.lake.decode.columns.transaction_columns cimport TrackedTransaction, TransactionColumns
from binlogcli.rows.sinks.arrow_buffer cimport ColumnBuffer
from binlogcli.rows.sinks.arrow_columns cimport ColumnSink
from binlogcli.binary.json_writer cimport json_bytes
from binlogcli.rows.plan cimport TablePlan

cdef Py_ssize_t EVENT_COST, COLUMN_COST, COLUMNS_KNOWN
cdef int UPDATE

@cython.final
cdef class TableUse:
    cdef Py_ssize_t batch, number
    cdef unsigned long long table_id
    cdef bytes text
    cdef Py_ssize_t body

@cython.final
cdef class TableRows:
    cdef readonly TablePlan plan, reader
    cdef readonly object schema
    cdef list names
    cdef readonly ColumnSink sink
    cdef Py_ssize_t begun_at
    cdef readonly RowOrigins origins
    cdef public TransactionColumns transactions
    cdef readonly Py_ssize_t last_transaction
    cdef public bint last
    cdef readonly list absent
    cdef readonly Py_ssize_t absent_names
    cdef dict absences
    cdef bytes full, exact
    cdef Py_ssize_t cost(self)
    @cython.locals(before=bytes, after=bytes)
    cdef Py_ssize_t _absence(self, Rows event) except? -1
    cdef list _lacking(self, bytes bitmap, str prefix)
    cdef Py_ssize_t _number_of(self, list names) except? -1
    @cython.locals(count=Py_ssize_t, absence=Py_ssize_t, thread=Py_ssize_t, at=Py_ssize_t, origins=RowOrigins)
    cdef Py_ssize_t note_origins(
        self, Rows event, TrackedTransaction tracked, Py_ssize_t transaction_number, Py_ssize_t time,
        LogPosition position) except -1
    cdef list _patched_absences(self, Py_ssize_t absence)

@cython.final
cdef class EventRows:
    cdef readonly Py_ssize_t number, count, used
    cdef readonly ColumnBuffer sequence, starts, ends, within, times, types, servers, flags, checksums, transaction_at
    cdef readonly ColumnBuffer table_at, rows, body_at, bodies, damages
    cdef readonly TransactionColumns transactions
    cdef readonly Py_ssize_t first_transaction, transaction_count
    cdef readonly list tables
    cdef dict uses
    cdef Py_ssize_t columns
    cdef expect_like(self, EventRows other)
    cdef int put_place(self, Py_ssize_t start, Py_ssize_t end, Py_ssize_t within, Py_ssize_t sequence) except -1
    cdef int put_head(self, Event event, Py_ssize_t time, TrackedTransaction tracked) except -1
    cdef int _put_transaction(self, Py_ssize_t number) except -1
    @cython.locals(use=TableUse)
    cdef TableUse put_table(self, TablePlan plan)
    @cython.locals(use=TableUse)
    cdef put_table_map(self, TableMap event)
    cdef int put_last_body(self, Py_ssize_t size) except -1
    cdef put_damage(self, str reason)
    cdef put_gap(self, object damage, Py_ssize_t sequence)
    cpdef take_back(self)
    cdef _skip_head(self)
