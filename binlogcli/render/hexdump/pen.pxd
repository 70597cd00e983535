cimport cython
from binlogcli.log cimport kernel
from binlogcli.rows.out cimport Out

cdef Py_ssize_t BLANKS

@cython.final
cdef class Pen:
    cdef readonly Out out
    cdef readonly bint painted
    cdef const unsigned char[::1] blank
    cpdef int paint(self, bytes style) except -1
    cpdef int unpaint(self) except -1
    @cython.locals(out=Out, part=Py_ssize_t)
    cpdef put_spaces(self, Py_ssize_t count)
    @cython.locals(out=Out)
    cdef int copy(self, Out text, Py_ssize_t start, Py_ssize_t end) except -1
