cimport cython
from binlogcli.events.event cimport Event
from binlogcli.events.mysql cimport MysqlGtid, TransactionPayload
from binlogcli.events.statements cimport Query
from binlogcli.events.stream cimport EventStream
from binlogcli.lake.decode.commit_lookahead cimport Ahead
from binlogcli.lake.decode.transaction_columns cimport Trail, Trails
from binlogcli.log.framer cimport Framer

cdef Py_ssize_t SECOND

@cython.final
cdef class Following:
    cdef EventStream stream
    cdef Ahead ahead
    cdef const unsigned char[::1] gtids
    cdef const unsigned char[::1] queries
    cdef Trail trail
    cdef Py_ssize_t statements
    cdef TransactionPayload payload
    @cython.locals(trail=Trail, gtid=MysqlGtid, micro=Py_ssize_t)
    cdef see(self, Event event)
    @cython.locals(event=Event)
    cdef recall(self, list events, Py_ssize_t start)
    cdef Py_ssize_t time_of(self, Event event) except -1
    @cython.locals(trail=Trail)
    cdef Py_ssize_t time_of_rows(self, Event event) except -1
    @cython.locals(trail=Trail, framer=Framer, nested=TransactionPayload)
    cdef look_ahead(self, Trails trails)

cdef Py_ssize_t micro_of(Query event) except -1
