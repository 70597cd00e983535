cimport cython
from binlogcli.events.event cimport Event
from binlogcli.events.mysql cimport TransactionPayload
from binlogcli.events.registry cimport new_event
from binlogcli.events.transactions cimport TransactionTracker
from binlogcli.log.context cimport LogContext
from binlogcli.log.cursor cimport Cursor
from binlogcli.log.framer cimport Framer

@cython.final
cdef class EventStream:
    cdef readonly object source
    cdef readonly object options
    cdef readonly Framer framer
    cdef readonly LogContext context
    cdef readonly TransactionTracker tracker
    cdef Cursor body
    cdef readonly Framer outer
    cdef readonly Py_ssize_t within
    cdef object windows
    cdef readonly Event broken
    cdef object damage
    @cython.locals(framer=Framer, event=Event)
    cpdef Event advance(self)
    @cython.locals(framer=Framer, count=Py_ssize_t)
    cpdef Py_ssize_t count(self) except -1
    cpdef object take_gap(self)
    @cython.locals(body=Cursor, event=Event)
    cdef Event decode(self, Framer framer)
    cdef open_payload(self, TransactionPayload event)
    cdef int close_payload(self) except -1
    cdef feed(self, Framer framer)
