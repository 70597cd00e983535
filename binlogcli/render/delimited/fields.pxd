cimport cython
from binlogcli.binary cimport kernel
from binlogcli.binary.text_buffer cimport TextBuffer

cdef int _QUOTE, _APOSTROPHE, _PARENTHESIS, _QUOTED, _FORMULA, _FULL_WIDTH
cdef Py_ssize_t _WINDOW

@cython.final
cdef class FieldWriter:
    cdef readonly TextBuffer out
    cdef readonly unsigned char delimiter
    cdef readonly bint raw
    cdef const unsigned char[::1] classes
    @cython.locals(found=int)
    cpdef int classify(self, const unsigned char[::1] data, Py_ssize_t start, Py_ssize_t end) except -1
    @cython.locals(out=TextBuffer, formula=bint)
    cpdef int put(self, const unsigned char[::1] data, Py_ssize_t start, Py_ssize_t end, int classes) except -1
    @cython.locals(out=TextBuffer)
    cpdef int put_json(self, const unsigned char[::1] data, Py_ssize_t end, int classes) except -1
    cpdef int put_bytes(self, bytes text) except -1
    @cython.locals(out=TextBuffer, first=bint, piece=bytes)
    cpdef put_pieces(self, object pieces)
    @cython.locals(out=TextBuffer, stop=Py_ssize_t, at=Py_ssize_t, byte="unsigned char")
    cpdef int put_doubled(self, const unsigned char[::1] data, Py_ssize_t start, Py_ssize_t end) except -1
    cpdef bint is_formula(self, const unsigned char[::1] data, Py_ssize_t start, Py_ssize_t end) except -1
