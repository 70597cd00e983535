cimport cython
from binlogcli.binary cimport kernel

cdef Py_ssize_t _NOWHERE

@cython.final
cdef class Needle:
    cdef readonly bytes text
    cdef readonly Py_ssize_t size
    cdef Py_ssize_t at

@cython.final
cdef class ByteSearch:
    cdef readonly list needles
    cdef readonly bint fold
    cdef bytes data
    cdef const unsigned char[::1] view
    cdef Py_ssize_t start
    @cython.locals(needle=Needle)
    cpdef bint found(self, bytes data, Py_ssize_t start, Py_ssize_t end) except -1
    @cython.locals(needle=Needle)
    cpdef bint found_in(self, const unsigned char[::1] data, Py_ssize_t start, Py_ssize_t end) except -1
