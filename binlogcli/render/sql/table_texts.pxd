cimport cython

@cython.final
cdef class TableTexts:
    cdef readonly Py_ssize_t width
    cdef readonly bytes target
    cdef readonly list names
    cdef readonly bint named, plain
    cdef readonly Py_ssize_t period
    cdef readonly list key, equals, compared, endings
    cdef readonly bytes temporal, shown, settable
