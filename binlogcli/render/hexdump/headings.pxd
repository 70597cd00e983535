cimport cython
from binlogcli.events.event cimport Event
from binlogcli.log cimport kernel
from binlogcli.render.hexdump.pen cimport Pen
from binlogcli.rows.out cimport Out

@cython.final
cdef class Headings:
    cdef readonly Pen pen
    cdef readonly Py_ssize_t width
    cdef object clock
    cdef bint verified
    cdef bytes bars
    cdef Out line
    cdef list types
    cdef Py_ssize_t second
    cdef bytes time
    cdef bint resumed
    cpdef put_event(self, Event event, object damage)
    @cython.locals(line=Out, out=Out, bars=Py_ssize_t, fill=Py_ssize_t)
    cdef bint put_short(self, Event event) except -1
    cpdef put_gap(self, object gap, bytes raw)
    @cython.locals(pen=Pen, out=Out)
    cpdef put(self, list parts, bytes style)
