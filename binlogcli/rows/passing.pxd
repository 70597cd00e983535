cimport cython
from binlogcli.binary.cursor cimport Cursor
from binlogcli.rows.column cimport Column, Sink
from binlogcli.rows.readers cimport reads
from binlogcli.rows.readers.strings cimport JsonColumn

cdef class PassedColumn(Column):
    cdef Py_ssize_t width
    @cython.locals(size=Py_ssize_t)
    cdef int read(self, Cursor cursor, Sink sink) except -1

cdef class PassedJsonColumn(JsonColumn):
    cdef int read(self, Cursor cursor, Sink sink) except -1
    cdef int read_diff(self, Cursor cursor, Sink sink) except -1
