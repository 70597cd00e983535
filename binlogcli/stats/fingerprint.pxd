cimport cython

cdef Py_ssize_t _FINGERPRINT_SIZE
cdef int _DEEPEST, _SPACE, _WORD, _DIGIT, _QUOTE, _OTHER
cdef bytes _MORE

@cython.final
cdef class Fingerprinter:
    cdef const unsigned char[::1] kinds
    cdef object buffer
    cdef unsigned char[::1] out
    cdef Py_ssize_t size, at, end
    cdef bytes text
    cdef const unsigned char[::1] view
    cdef bint blank
    cdef Py_ssize_t depth
    cdef list starts, group_start, group_end, group_tail
    cpdef bytes fingerprint(self, bytes text)
    @cython.locals(byte=int, kind=int)
    cdef int token(self) except -1
    @cython.locals(following=int)
    cdef int other(self, int byte) except -1
    cdef bint is_dash_comment(self) except -1
    cdef bint after_operator(self) except -1
    cdef bint after_name(self) except -1
    @cython.locals(kind=int)
    cdef bint is_word(self, Py_ssize_t at) except -1
    cdef int put(self, int byte) except -1
    @cython.locals(comma=bint, due=bint)
    cdef int space(self) except -1
    @cython.locals(size=Py_ssize_t)
    cdef int literal(self) except -1
    cdef int open(self) except -1
    @cython.locals(depth=Py_ssize_t, start=Py_ssize_t, length=Py_ssize_t, before=Py_ssize_t, tail=Py_ssize_t,
                   repeats=bint, byte=int)
    cdef close(self)
    @cython.locals(at=Py_ssize_t)
    cdef bint same(self, Py_ssize_t one, Py_ssize_t other, Py_ssize_t length) except -1
    @cython.locals(start=Py_ssize_t, at=Py_ssize_t, length=Py_ssize_t)
    cdef word(self)
    @cython.locals(first=int)
    cdef bint introduces(self, Py_ssize_t start, Py_ssize_t length) except -1
    cdef bint is_null(self, Py_ssize_t start) except -1
    @cython.locals(byte=int)
    cdef name(self)
    @cython.locals(at=Py_ssize_t, byte=int, kind=int, signed=bint)
    cdef int skip_number(self) except -1
    @cython.locals(at=Py_ssize_t, byte=int)
    cdef int skip_quoted(self, int quote) except -1
    cdef int skip_line(self) except -1
    cdef int skip_comment(self) except -1
