cimport cython
from binlogcli.lake.decode.batches cimport EventRows, TableRows
from binlogcli.lake.decode.current_transaction cimport CurrentTransaction
from binlogcli.lake.decode.columns.transaction_columns cimport TransactionColumns
from binlogcli.rows.plan cimport TablePlan

cdef Py_ssize_t ONE_EVENT, EVENTS, EVENT_BATCHES, TRANSACTION_BYTES

@cython.final
cdef class PendingBatches:
    cdef object maker
    cdef CurrentTransaction current
    cdef Py_ssize_t batch_bytes, held_bytes
    cdef dict tables, invalid
    cdef TransactionColumns transactions
    cdef dict uses
    cdef EventRows events
    cdef Py_ssize_t held
    cdef TableRows latest
    cdef list ready
    @cython.locals(found=TableRows)
    cdef TableRows rows_of(self, TablePlan plan)
    cdef expect_updates(self, TableRows rows)
    cdef hand_out(self, TablePlan plan)
    @cython.locals(largest=TableRows, other=TableRows)
    cdef hand_out_full(self, TableRows rows)
    cdef hand_out_full_events(self)
    @cython.locals(rows=TableRows)
    cdef object take_last(self)
    @cython.locals(rows=TableRows)
    cdef TableRows _taken(self, TablePlan plan)
    @cython.locals(events=EventRows)
    cdef EventRows _taken_events(self)
    @cython.locals(events=EventRows)
    cdef _begin_transactions(self)
