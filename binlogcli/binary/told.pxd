cimport cython

@cython.final
cdef class Told:
    cdef public object value
    cdef public str meaning, shown
