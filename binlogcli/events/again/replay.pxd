cimport cython
from binlogcli.events.event cimport Event
from binlogcli.events.registry cimport new_event
from binlogcli.events.stream cimport EventStream
from binlogcli.binary.cursor cimport Cursor
from binlogcli.log.framer cimport Framer

cdef Py_ssize_t _CHUNK

@cython.final
cdef class Replay:
    cdef readonly EventStream stream
    cdef readonly list spans
    cdef Py_ssize_t first, last, place, within
    cdef object spool
    cdef Py_ssize_t spooled
    cdef bint kept_away
    cdef Framer framer
    cdef Cursor body
    cdef Py_ssize_t number, read_to, end, resume_at
    @cython.locals(start=Py_ssize_t)
    cpdef int note(self, Event event) except -1
    cdef Py_ssize_t _keep(self, Event event) except? -1
    cdef int _close_span(self) except -1
    cpdef int clear(self) except -1
    cpdef int rewind(self) except -1
    @cython.locals(framer=Framer)
    cdef Framer _new_framer(self, Py_ssize_t place)
    @cython.locals(framer=Framer, event=Event)
    cpdef Event advance(self)
    @cython.locals(framer=Framer, event=Event)
    cpdef Event decoded(self, bytes data, Py_ssize_t place)
    cdef bint _next_span(self) except -1
    @cython.locals(size=Py_ssize_t)
    cdef int feed(self, Framer framer) except -1
