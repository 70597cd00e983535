cimport cython
from binlogcli.render cimport client_scan

cdef int _SHORT, _BACKSLASH, _STAR, _SLASH, _HASH, _MINUS
cdef int _SINGLE_QUOTE, _DOUBLE_QUOTE, _BACKTICK, _N, _CONDITIONAL, _HINT
cdef bytes _SPACES
cdef const unsigned char[::1] _FOURTH_LETTERS

cdef int _letters(bytes name) except -1

@cython.final
cdef class StatementReader:
    cdef readonly bytes delimiter
    cdef public bint mariadb, escapes
    cdef public bytes leads
    cdef bint splits, comment, begun
    cdef list commands, named
    cdef bytes text
    cdef int quote
    cdef readonly int sent_comment
    @cython.locals(fourth=int)
    cpdef bint plain(self, bytes text) except -1
    cpdef list troubles(self, bytes text)
    cpdef tuple whole(self)
    cpdef bytes lines(self)
    @cython.locals(at=Py_ssize_t, end=Py_ssize_t)
    cpdef walk(self, bytes text)
    @cython.locals(byte=int, after=int)
    cdef Py_ssize_t _step(self, bytes text, Py_ssize_t at, Py_ssize_t end) except? -1
    @cython.locals(kind=int)
    cdef Py_ssize_t _in_comment(self, bytes text, Py_ssize_t at) except? -1
    cdef int _kind_of(self, bytes text, Py_ssize_t at) except -1
    cdef Py_ssize_t _backslash(self, Py_ssize_t at, int after) except? -1
    @cython.locals(byte=int, after=int, third=int, kind=int)
    cdef Py_ssize_t _code(self, bytes text, Py_ssize_t at, Py_ssize_t end) except? -1
    cdef bint _is_named(self, bytes text, Py_ssize_t at) except -1
