cimport cython
from binlogcli.events.event cimport Transaction
from binlogcli.rows.sinks.arrow_buffer cimport ColumnBuffer
from binlogcli.binary.text_buffer cimport TextBuffer

cdef int DASH

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
    cdef readonly Py_ssize_t closed
    cdef readonly Trail last
    cdef TextBuffer out
    cdef readonly ColumnBuffer gtids
    cdef readonly ColumnBuffer xids
    cdef readonly ColumnBuffer commits
    cdef Py_ssize_t number(self, Trail trail) except -1
    cdef Py_ssize_t used(self)
    @cython.locals(trail=Trail)
    cdef close(self)
    @cython.locals(out=TextBuffer)
    cdef put_gtid(self, Transaction transaction)
