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
    cdef EventText text
    cpdef run(self, Log log, object report, object tell=*)
    @cython.locals(out=TextBuffer, text=EventText, event=Event, begun=Py_ssize_t)
    cdef bint _put_events(self, Log log, object tell) except -1
    cpdef flush(self)
