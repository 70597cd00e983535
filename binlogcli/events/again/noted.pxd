cimport cython
from binlogcli.events.event cimport Event
from binlogcli.events.registry cimport new_event
from binlogcli.log.context cimport LogContext
from binlogcli.binary.cursor cimport Cursor
from binlogcli.binary.notes cimport Notes

cdef int _HEADER_SIZE

cdef class EventNoter:
    cdef readonly Cursor cursor
    cdef readonly Notes notes
    cdef readonly object damage
    @cython.locals(cursor=Cursor, notes=Notes, twin=Event)
    cpdef Event note(self, Event event, LogContext context)
    @cython.locals(cursor=Cursor)
    cdef _note_header(self, Py_ssize_t size, int type_code)
