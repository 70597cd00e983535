cimport cython
from binlogcli.binary cimport kernel
from binlogcli.binary.cursor cimport Cursor
from binlogcli.rows.column cimport Column, Sink
from binlogcli.rows.images cimport RowImages
from binlogcli.rows.plan cimport TablePlan
from binlogcli.rows.readers cimport reads
from binlogcli.rows.readers.numbers cimport IntColumn

cdef int _PASS, _INTEGER, _TEXT, _READ, WRITE, UPDATE, DELETE

@cython.final
cdef class _Steps:
    cdef Py_ssize_t count
    cdef const int[::1] actions, widths, numbers

@cython.final
cdef class _ImageSteps:
    cdef list columns
    cdef Py_ssize_t null_bytes
    cdef int last_mask
    cdef _Steps whole, single

@cython.final
cdef class DigitSearch:
    cdef const unsigned long long[::1] numbers, powers
    cdef Py_ssize_t count
    cdef Cursor cursor
    cdef TablePlan plan
    cdef dict by_bitmap
    cdef object known
    @cython.locals(cursor=Cursor, first=_ImageSteps, second=_ImageSteps, row=Py_ssize_t)
    cpdef bint found(self, RowImages images, bytes wanted, Sink sink) except -1
    cdef int use_plan(self, TablePlan plan) except -1
    @cython.locals(found=_ImageSteps)
    cdef _ImageSteps steps(self, TablePlan plan, bytes bitmap, bytes wanted)
    @cython.locals(cursor=Cursor, nulls=Py_ssize_t, with_nulls=bint, steps=_Steps, at=Py_ssize_t, action=int, width=Py_ssize_t)
    cdef bint image(self, _ImageSteps image, Sink sink) except -1
    @cython.locals(last=Py_ssize_t, at=Py_ssize_t)
    cdef bint has_null(self, _ImageSteps image, Py_ssize_t nulls) except -1
    @cython.locals(cursor=Cursor, start=Py_ssize_t, size=Py_ssize_t, at=Py_ssize_t)
    cdef int text(self, Column column, Py_ssize_t prefix, Sink sink) except -1
    @cython.locals(known=IntColumn, value="unsigned long long", sign="unsigned long long", below="unsigned long long")
    cdef bint integer(self, Column column, Py_ssize_t width) except -1
    @cython.locals(at=Py_ssize_t, number="unsigned long long", power="unsigned long long", least="unsigned long long", rest="unsigned long long")
    cdef bint has_digits(self, unsigned long long value) except -1
