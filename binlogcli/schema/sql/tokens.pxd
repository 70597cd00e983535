cimport cython

cdef class TokenCursor:
    cdef list _items
    cdef Py_ssize_t _at
    cpdef TokenCursor copy(self)
    cpdef bint more(self) except -1
    @cython.locals(at=Py_ssize_t)
    cpdef object peek(self, Py_ssize_t ahead=*)
    cpdef object next(self)
    cpdef object word(self, Py_ssize_t ahead=*)
    @cython.locals(index=Py_ssize_t, words=list)
    cpdef bint accept(self, str phrase) except -1
    cpdef list rest(self)
    cpdef bint is_mark(self, str mark) except -1
    cpdef bint accept_mark(self, str mark) except -1
    @cython.locals(start=Py_ssize_t, depth=Py_ssize_t, at=Py_ssize_t)
    cpdef list group(self)

@cython.locals(start=Py_ssize_t, depth=Py_ssize_t, at=Py_ssize_t, parts=list)
cpdef list split(list items)
