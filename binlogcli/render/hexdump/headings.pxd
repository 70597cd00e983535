cimport cython
from binlogcli.events.event cimport Event
from binlogcli.binary cimport kernel
from binlogcli.render.hexdump.drawing.pen cimport Pen
from binlogcli.binary.text_buffer cimport TextBuffer

@cython.final
cdef class Headings:
    cdef readonly Pen pen
    cdef readonly Py_ssize_t width
    cdef object clock
    cdef bint verified
    cdef bytes bars
    cdef TextBuffer line
    cdef list types
    cdef Py_ssize_t second
    cdef bytes time
    cdef bint resumed
    cdef public object offset_of
    cpdef put_event(self, Event event, object damage)
    @cython.locals(line=TextBuffer, out=TextBuffer, bars=Py_ssize_t, fill=Py_ssize_t)
    cdef bint _put_short(self, Event event) except -1
    cpdef put_gap(self, object gap, bytes raw)
    @cython.locals(pen=Pen, out=TextBuffer)
    cpdef put(self, list parts, bytes style)
