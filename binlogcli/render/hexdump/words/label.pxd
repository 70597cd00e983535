cimport cython

@cython.final
cdef class Label:
    cdef readonly str name
    cdef readonly bytes text
    cdef readonly Py_ssize_t width
    cdef readonly int kind
    cdef readonly object describe
    cdef readonly bint pure, hexed, in_heading, is_end
    cdef readonly dict known
    cpdef object words(self, object value, object event)
