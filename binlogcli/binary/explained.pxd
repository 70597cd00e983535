cimport cython

@cython.final
cdef class Explained:
    cdef public object value
    cdef public str meaning, shown
