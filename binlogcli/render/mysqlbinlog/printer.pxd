from binlogcli.events.event cimport Event
from binlogcli.events.log cimport Log
from binlogcli.render.mysqlbinlog.shared.text cimport EventText
from binlogcli.binary.text_buffer cimport TextBuffer
cimport cython

cdef int FORMAT_DESCRIPTION_EVENT

cdef class Mysqlbinlog:
    cdef readonly TextBuffer out
    cdef readonly object options
    cdef readonly object write
    cdef readonly object loads
    cdef readonly object first
    cdef readonly dict texts
    cdef Py_ssize_t offset
    cdef Py_ssize_t seen
    @cython.locals(out=TextBuffer, text=EventText, event=Event)
    cpdef run(self, Log log, object report)
    cpdef flush(self)
