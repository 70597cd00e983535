cimport cython
from binlogcli.events.event cimport Event
from binlogcli.events.mysql cimport MysqlGtid, TransactionPayload
from binlogcli.events.statements cimport Query
from binlogcli.events.stream cimport EventStream
from binlogcli.lake.decode.commit_lookahead cimport CommitLookahead
from binlogcli.lake.decode.columns.transaction_columns cimport TrackedTransaction, TransactionColumns
from binlogcli.log.framer cimport Framer

cdef Py_ssize_t SECOND

@cython.final
cdef class CurrentTransaction:
    cdef EventStream stream
    cdef CommitLookahead lookahead
    cdef const unsigned char[::1] gtids
    cdef const unsigned char[::1] queries
    cdef const unsigned char[::1] openings
    cdef TrackedTransaction tracked
    cdef Py_ssize_t statements
    cdef TransactionPayload payload
    @cython.locals(tracked=TrackedTransaction, gtid=MysqlGtid, micro=Py_ssize_t)
    cdef see(self, Event event)
    @cython.locals(event=Event, end=Py_ssize_t, opening=bint)
    cpdef recall(self, list events, Py_ssize_t start)
    cdef Py_ssize_t time_of(self, Event event) except? -1
    @cython.locals(tracked=TrackedTransaction, begun=Py_ssize_t)
    cdef Py_ssize_t time_of_rows(self, Event event) except? -1
    @cython.locals(tracked=TrackedTransaction, framer=Framer, nested=TransactionPayload)
    cdef look_ahead(self, TransactionColumns transactions)

cdef Py_ssize_t _micro_of(Query event) except? -1
