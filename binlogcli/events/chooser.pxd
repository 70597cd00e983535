from binlogcli.events.event cimport Event

cdef class Chooser:
    cdef public bint begun
    cdef public Py_ssize_t limit
    cdef public Py_ssize_t target
    cdef public list held
    cpdef int verdict(self, Event event) except -1
