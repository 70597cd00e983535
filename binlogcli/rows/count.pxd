cimport cython
from binlogcli.binary cimport kernel
from binlogcli.rows.column cimport Column, Sink
from binlogcli.rows.images cimport RowImages
from binlogcli.rows.walk cimport RowWalker
from binlogcli.rows.plan cimport TablePlan

cdef int WRITE, UPDATE, DELETE
cdef Py_ssize_t _COLUMNS_KEPT

@cython.final
cdef class _Program:
    cdef readonly bytes bitmap
    cdef readonly Py_ssize_t count, null_bytes, steps
    cdef int last_mask
    cdef const int[::1] widths, merged

@cython.final
cdef class RowSkipper:
    cdef bytes data
    cdef const unsigned char[::1] view
    cdef dict programs, others
    cdef Py_ssize_t columns
    cdef RowWalker walker
    cdef Sink sink
    @cython.locals(first=_Program, second=_Program, operation=int, count=Py_ssize_t, at=Py_ssize_t, end=Py_ssize_t, row=Py_ssize_t)
    cpdef Py_ssize_t count(self, RowImages images) except? -1
    @cython.locals(found=_Program, last=_Program)
    cdef _Program program(self, TablePlan plan, bytes bitmap)
    @cython.locals(nulls=Py_ssize_t, step=Py_ssize_t)
    cdef Py_ssize_t image(self, _Program program, Py_ssize_t at, Py_ssize_t end) except? -1
    @cython.locals(last=Py_ssize_t, at=Py_ssize_t)
    cdef bint has_null(self, _Program program, Py_ssize_t nulls) except -1
    @cython.locals(column=Py_ssize_t)
    cdef Py_ssize_t image_with_nulls(
        self, _Program program, Py_ssize_t nulls, Py_ssize_t at, Py_ssize_t end) except -1
    @cython.locals(size=Py_ssize_t)
    cdef Py_ssize_t value(self, Py_ssize_t width, Py_ssize_t at, Py_ssize_t end) except? -1
