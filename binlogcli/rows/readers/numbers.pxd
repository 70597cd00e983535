cimport cython
from binlogcli.binary cimport kernel
from binlogcli.binary.cursor cimport Cursor
from binlogcli.rows.readers cimport reads
from binlogcli.rows.column cimport Column, Sink

cdef int _YEAR_BASE

cdef class IntColumn(Column):
    cdef readonly int width
    cdef readonly bint unsigned
    @cython.locals(value="unsigned long long")
    cdef int read(self, Cursor cursor, Sink sink) except -1

cdef class FloatColumn(Column):
    cdef int read(self, Cursor cursor, Sink sink) except -1

cdef class DoubleColumn(Column):
    cdef int read(self, Cursor cursor, Sink sink) except -1

cdef class BitColumn(Column):
    cdef readonly int width
    cdef int read(self, Cursor cursor, Sink sink) except -1

cdef class YearColumn(Column):
    @cython.locals(value=int)
    cdef int read(self, Cursor cursor, Sink sink) except -1

cdef class EnumColumn(Column):
    cdef readonly int width
    cdef int read(self, Cursor cursor, Sink sink) except -1

cdef class SetColumn(Column):
    cdef readonly int width
    cdef int read(self, Cursor cursor, Sink sink) except -1

cdef class NullColumn(Column):
    cdef int read(self, Cursor cursor, Sink sink) except -1
