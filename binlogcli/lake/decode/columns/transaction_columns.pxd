cimport cython
from binlogcli.events.event cimport Transaction
from binlogcli.rows.sinks.arrow_buffer cimport ColumnBuffer
from binlogcli.binary.text_buffer cimport TextBuffer

cdef int DASH, COMMITTED, ROLLED_BACK, PREPARED, UNKNOWN

@cython.final
cdef class TrackedTransaction:
    cdef readonly Transaction transaction
    cdef public Py_ssize_t commit, begun
    cdef public bint over
    cdef public int undone
    cdef public object xid
    cdef public str outcome
    cdef public tuple prepared

@cython.final
cdef class TransactionColumns:
    cdef readonly Py_ssize_t count, closed
    cdef readonly TrackedTransaction last
    cdef readonly int undone
    cdef TextBuffer out
    cdef readonly ColumnBuffer gtids, xids, commits, outcomes, xas
    cdef Py_ssize_t number(self, TrackedTransaction tracked) except? -1
    cdef Py_ssize_t used(self)
    @cython.locals(tracked=TrackedTransaction)
    cdef close(self)
    @cython.locals(code=int, outcome=str, prepared=tuple)
    cdef _close_outcome(self, TrackedTransaction tracked)
    @cython.locals(out=TextBuffer)
    cdef put_gtid(self, Transaction transaction)
