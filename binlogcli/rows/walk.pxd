cimport cython
from binlogcli.binary.cursor cimport Cursor
from binlogcli.rows.readers cimport reads
from binlogcli.rows.column cimport Column, Sink
from binlogcli.rows.images cimport RowImages
from binlogcli.rows.plan cimport TablePlan
from binlogcli.rows.readers.strings cimport JsonColumn

cdef Sink _NOWHERE
cdef int _PARTIAL_JSON_UPDATES, WRITE, UPDATE, DELETE

cdef class ImageNoter:
    cdef note_image(self, Cursor cursor, list columns, Py_ssize_t nulls, Sink sink)
    cdef note_nulls(self, Cursor cursor, list columns, Py_ssize_t nulls)
    cdef note_record_nulls(self, Cursor cursor, list columns, Py_ssize_t nulls, frozenset null)
    cdef note_partial(self, Cursor cursor, list columns, Py_ssize_t start)
    cdef note_value(self, Cursor cursor, Column column, Py_ssize_t start, Sink sink)
    cdef note_diff(self, Cursor cursor, Column column, Py_ssize_t start, Sink sink)

@cython.final
cdef class RowWalker:
    cdef readonly Cursor cursor
    cdef readonly Py_ssize_t row_start
    cdef ImageNoter noter
    cdef RowImages images
    @cython.locals(cursor=Cursor, before=list, after=list, count=Py_ssize_t)
    cpdef Py_ssize_t walk(self, RowImages images, Sink sink) except? -1
    @cython.locals(images=RowImages, ahead=RowWalker, before=list, after=list)
    cdef int check_row(self) except -1
    @cython.locals(cursor=Cursor)
    cdef int one_row(self, RowImages images, list before, list after, Sink sink) except -1
    @cython.locals(cursor=Cursor, count=Py_ssize_t, nulls=Py_ssize_t, at=Py_ssize_t, column=Column)
    cdef int image(self, list columns, Sink sink) except -1
    @cython.locals(cursor=Cursor, nulls=Py_ssize_t, start=Py_ssize_t, column=Column, noting=bint, null=frozenset)
    cdef record_image(self, object record, list columns, Sink sink)
    @cython.locals(cursor=Cursor, start=Py_ssize_t, size=Py_ssize_t, at_bits=Py_ssize_t, count=Py_ssize_t, nulls=Py_ssize_t, at=Py_ssize_t,
                   column=Column, bits=bytes, document=JsonColumn, noting=bint)
    cdef partial_image(self, TablePlan plan, list columns, Sink sink)
