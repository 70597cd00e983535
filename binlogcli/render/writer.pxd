cimport cython
from binlogcli.events.event cimport Event
from binlogcli.events.log cimport Log
from binlogcli.binary.text_buffer cimport TextBuffer

cdef class EventWriter:
    cdef readonly TextBuffer out
    @cython.locals(out=TextBuffer, event=Event, begun=Py_ssize_t)
    cpdef run(self, Log log, object write, object report)
    cpdef begin_log(self, Log log)
    cpdef object put_event(self, Event event)
    cpdef put_damage(self, object damage)
