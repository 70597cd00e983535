cimport cython
from binlogcli.binary.cursor cimport Cursor
from binlogcli.rows.readers cimport reads
from binlogcli.rows.column cimport Column, Sink

cdef class BytesColumn(Column):
    cdef readonly int prefix
    cdef readonly str charset
    cdef readonly bint is_text, is_utf8, ascii_superset
    @cython.locals(size=Py_ssize_t, at=Py_ssize_t)
    cdef int read(self, Cursor cursor, Sink sink) except -1

cdef class FixedBytesColumn(BytesColumn):
    cdef readonly Py_ssize_t size
    cdef Cursor padded
    @cython.locals(size=Py_ssize_t, at=Py_ssize_t)
    cdef int read(self, Cursor cursor, Sink sink) except -1

cdef class CompressedColumn(BytesColumn):
    cdef readonly Py_ssize_t limit
    cdef Cursor content
    @cython.locals(size=Py_ssize_t, at=Py_ssize_t)
    cdef int read(self, Cursor cursor, Sink sink) except -1

cdef class JsonColumn(BytesColumn):
    @cython.locals(size=Py_ssize_t, at=Py_ssize_t)
    cdef int read(self, Cursor cursor, Sink sink) except -1
    @cython.locals(size=Py_ssize_t, at=Py_ssize_t)
    cdef int read_diff(self, Cursor cursor, Sink sink) except -1

cdef class GeometryColumn(BytesColumn):
    @cython.locals(size=Py_ssize_t, at=Py_ssize_t)
    cdef int read(self, Cursor cursor, Sink sink) except -1

cdef class VectorColumn(BytesColumn):
    @cython.locals(size=Py_ssize_t, at=Py_ssize_t)
    cdef int read(self, Cursor cursor, Sink sink) except -1
