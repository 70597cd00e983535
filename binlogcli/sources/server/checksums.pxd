cimport cython
from binlogcli.binary cimport kernel

cdef int CHECKSUM, CRC32, FLAGS_AT, IN_USE, DOUBTS, LOG_START

@cython.final
cdef class EventChecksums:
    cdef readonly bint verify, checked
    cdef readonly int doubts
    cdef Py_ssize_t begun, place, left, crc, tail, weight

    cdef begin(self, Py_ssize_t position)
    @cython.locals(size=Py_ssize_t, fits=bint)
    cdef describe(self, const unsigned char[::1] view, Py_ssize_t start, Py_ssize_t end)
    cdef check(self, const unsigned char[::1] view, Py_ssize_t start, Py_ssize_t end, Py_ssize_t place)
    @cython.locals(value=Py_ssize_t, byte=Py_ssize_t)
    cdef Py_ssize_t stored(self, const unsigned char[::1] view, Py_ssize_t at) except? -1
    cdef judge(self, bint fits, Py_ssize_t place)
    cdef open(self, Py_ssize_t length, Py_ssize_t place)
    @cython.locals(middle=Py_ssize_t, end=Py_ssize_t, at=Py_ssize_t)
    cdef part(self, const unsigned char[::1] view, Py_ssize_t start, Py_ssize_t size)
    cdef close(self)
