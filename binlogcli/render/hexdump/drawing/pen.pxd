cimport cython
from binlogcli.binary cimport kernel
from binlogcli.binary.text_buffer cimport TextBuffer

cdef Py_ssize_t _BLANKS

@cython.final
cdef class Pen:
    cdef readonly TextBuffer out
    cdef readonly bint painted
    cdef const unsigned char[::1] blank
    cpdef int paint(self, bytes style) except -1
    cpdef int unpaint(self) except -1
    @cython.locals(out=TextBuffer, part=Py_ssize_t)
    cpdef put_spaces(self, Py_ssize_t count)
    @cython.locals(out=TextBuffer)
    cdef int copy(self, TextBuffer text, Py_ssize_t start, Py_ssize_t end) except -1
