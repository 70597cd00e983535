cimport cython
from binlogcli.events.event cimport Event
from binlogcli.events.mysql cimport TransactionPayload
from binlogcli.events.registry cimport new_event
from binlogcli.events.statements cimport Query, Xid
from binlogcli.log.boundaries cimport role_of
from binlogcli.log.context cimport LogContext
from binlogcli.binary.cursor cimport Cursor
from binlogcli.log.framer cimport Framer

cdef int COMMIT, ROLLBACK_TO, SAVEPOINT

@cython.final
cdef class CommitLookahead:
    cdef object open_source
    cdef tuple tail
    cdef Py_ssize_t max_event_size
    cdef bint verify
    cdef object source
    cdef Framer framer
    cdef Cursor body
    cdef object found
    @cython.locals(framer=Framer)
    cpdef object find(self, Py_ssize_t place, object log_format, LogContext context, TransactionPayload payload)
    cdef bint _search(self, Framer framer, Py_ssize_t place, LogContext context) except -1
    @cython.locals(framer=Framer)
    cdef _search_payload(self, TransactionPayload event, LogContext context)
    @cython.locals(framer=Framer, statement=Query, role=int, query=bytes)
    cpdef list undone_in(self, TransactionPayload event, LogContext context)
    @cython.locals(payload=bytes)
    cdef object _content_of(self, TransactionPayload event)
    cdef bint _is_at_event(self, Framer framer, object windows) except -1
    @cython.locals(code=int, event=Event)
    cdef bint _ends(self, Framer framer, LogContext context) except -1
    cpdef close(self)
