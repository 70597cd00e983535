from binlogcli.events.event cimport Event
from binlogcli.events.log cimport Log
from binlogcli.render.mysqlbinlog.shared.text cimport EventText
from binlogcli.binary.text_buffer cimport TextBuffer
cimport cython

cdef int FORMAT_DESCRIPTION_EVENT

cdef class Mysqlbinlog:
    cdef readonly TextBuffer out
    cdef readonly object options, write, loads, first
    cdef readonly dict texts
    cdef Py_ssize_t offset, seen
    @cython.locals(out=TextBuffer, text=EventText, event=Event)
    cpdef run(self, Log log, object report, object tell=*)
    @cython.locals(begun=Py_ssize_t)
    cdef put_event(self, EventText text, Event event)
    cpdef flush(self)
