cimport cython

@cython.final
cdef class Label:
    cdef readonly str name
    cdef readonly bytes text
    cdef readonly Py_ssize_t width
    cdef readonly int kind
    cdef readonly object describe
    cdef readonly bint pure
    cdef readonly bint hexed
    cdef readonly bint in_heading
    cdef readonly bint is_end
    cdef readonly dict told
    cpdef object words(self, object value, object event)
