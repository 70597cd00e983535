cimport cython

@cython.final
cdef class TableTexts:
    cdef readonly Py_ssize_t width
    cdef readonly bytes target
    cdef readonly list names
    cdef readonly bint named
    cdef readonly bint plain
    cdef readonly Py_ssize_t period
    cdef readonly list key
    cdef readonly list compared
    cdef readonly list endings
    cdef readonly bytes temporal
    cdef readonly bytes shown
    cdef readonly bytes settable
