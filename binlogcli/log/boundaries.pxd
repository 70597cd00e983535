cimport cython

cdef int PLAIN, OPENS_GROUP
cdef bytes _FIRST_LETTERS, _UPPER, _ENDING, _DEFINING_LETTERS, _TRUNCATE
cdef tuple _BEGINNINGS, _DEFINING

@cython.locals(word=bytes, role=int)
cpdef int role_of(bytes text, Py_ssize_t start, Py_ssize_t end) except -1

@cython.locals(word=bytes)
cpdef bint may_define(bytes text, Py_ssize_t start, Py_ssize_t end) except -1

cpdef bint may_truncate(bytes text, Py_ssize_t start, Py_ssize_t end) except -1

@cython.locals(size=Py_ssize_t, at=Py_ssize_t)
cdef bint _begins(bytes text, Py_ssize_t start, Py_ssize_t end, bytes word) except -1
