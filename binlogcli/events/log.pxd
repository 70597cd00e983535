cimport cython
from binlogcli.events.event cimport Event
from binlogcli.events.stream cimport EventStream

@cython.final
cdef class Log:
    cdef readonly str path
    cdef readonly object source
    cdef readonly EventStream stream
    cpdef Event advance(self)
    cpdef object take_gap(self)
