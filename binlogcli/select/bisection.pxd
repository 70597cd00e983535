cimport cython
from binlogcli.log.framer cimport Framer

cdef int SAMPLES, SLACK
cdef unsigned long long MASK32
cdef Py_ssize_t WINDOW, ENOUGH, NEVER

@cython.final
cdef class Clock:
    cdef object source
    cdef Py_ssize_t size
    cdef Framer framer
    cdef const unsigned char[::1] commits
    cdef const unsigned char[::1] formats
    cdef Py_ssize_t place
    cdef Py_ssize_t earliest
    cdef Py_ssize_t latest
    cdef bint trusted
    @cython.locals(target=Py_ssize_t, middle=Py_ssize_t)
    cpdef Py_ssize_t floor(self, Py_ssize_t since) except -1
    @cython.locals(reached=Py_ssize_t, step=Py_ssize_t, offset=Py_ssize_t)
    cdef tuple bracket(self, Py_ssize_t target)
    @cython.locals(framer=Framer)
    cdef bint look(self, Py_ssize_t offset, Py_ssize_t limit) except -1
    cdef int note(self, Py_ssize_t place, Py_ssize_t time) except -1
