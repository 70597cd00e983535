cimport cython
from binlogcli.events.event cimport Event, Transaction
from binlogcli.events.mysql cimport TransactionPayload
from binlogcli.events.registry cimport new_event
from binlogcli.events.statements cimport Query
from binlogcli.events.transactions cimport TransactionTracker
from binlogcli.log.boundaries cimport may_define
from binlogcli.log.context cimport LogContext
from binlogcli.binary.cursor cimport Cursor
from binlogcli.log.framer cimport Framer

cdef int SHOW, HOLD, JUMP, END, RELEASE, TABLE_MAP_EVENT
cdef bytes WALKED, _ALL
cdef Py_ssize_t _NO_END

cdef class Chooser:
    cdef public bint begun
    cdef public Py_ssize_t limit, target
    cdef public list held
    cdef public bint shows_held
    cpdef int verdict(self, Event event) except -1

@cython.final
cdef class EventStream:
    cdef readonly object source, options
    cdef readonly Framer framer
    cdef readonly LogContext context
    cdef public object follower
    cdef bytes followed
    cdef readonly TransactionTracker tracker
    cdef Cursor body
    cdef readonly Framer outer
    cdef readonly Py_ssize_t within
    cdef object windows
    cdef readonly Event broken
    cdef object damage
    cdef public Chooser chooser
    cdef list waiting
    cdef object passed, pieces
    cpdef Event advance(self)
    @cython.locals(event=Event, begun=bint, verdict=int)
    cdef Event _choose(self, Chooser chooser)
    cdef _obey(self, Chooser chooser, int verdict)
    cdef _release(self, Chooser chooser)
    cdef _release_at_gap_or_end(self, Chooser chooser)
    cdef bint _begin(self, bint begun) except -1
    @cython.locals(beyond=bint)
    cdef bint _pass_gap(self, Chooser chooser) except -1
    cdef _jump(self, Py_ssize_t offset)
    @cython.locals(framer=Framer)
    cpdef bint walk_statements(self, Py_ssize_t end=*) except -1
    cdef _walk_statement(self, Framer framer)
    @cython.locals(framer=Framer, event=Event)
    cpdef Event next_of(self, bytes types, Py_ssize_t end=*)
    @cython.locals(transaction=Transaction)
    cpdef bint ends_transaction(self, Event event) except -1
    cpdef finish(self)
    cdef Event _step(self)
    @cython.locals(framer=Framer, count=Py_ssize_t)
    cpdef Py_ssize_t count(self) except? -1
    cpdef object take_gap(self)
    cdef _doubt(self)
    cpdef bint holds_nothing_but(self, object gap) except -1
    @cython.locals(body=Cursor, event=Event)
    cdef Event decode(self, Framer framer)
    cdef _follow(self, Event event)
    cdef _lose(self, object damage, Event event)
    cpdef Event lost_event(self, object gap)
    @cython.locals(framer=Framer, event=Event, body=Cursor)
    cdef Event _event_in(self, bytes data, object damage)
    cdef _open_payload(self, TransactionPayload event)
    cdef int close_payload(self) except -1
    cdef bint _next_piece(self) except -1
    cdef feed(self, Framer framer)
    cdef _feed_from_source(self, Framer framer)
