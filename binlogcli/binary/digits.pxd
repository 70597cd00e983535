cimport cython

@cython.final
cdef class Digits:
    cdef readonly object buffer
    cdef unsigned char[::1] chars
    cdef readonly Py_ssize_t size
    cpdef str text(self)
