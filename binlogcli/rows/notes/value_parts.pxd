cimport cython
from binlogcli.binary.cursor cimport Cursor
from binlogcli.binary.notes cimport Notes
from binlogcli.rows.column cimport Column, Sink
from binlogcli.rows.readers.decimal cimport DecimalColumn, read_group
from binlogcli.rows.walk cimport ImageNoter
from binlogcli.rows.readers.strings cimport BytesColumn
from binlogcli.rows.readers.temporal cimport TemporalColumn
from binlogcli.rows.sinks.python_values cimport LastValue

cdef class PartNoter(ImageNoter):
    cdef list drawn_columns
    cdef dict drawings
    @cython.locals(at=Py_ssize_t, column=Column, start=Py_ssize_t)
    cdef note_image(self, Cursor cursor, list columns, Py_ssize_t nulls, Sink sink)
    @cython.locals(bits=bytes)
    cdef note_nulls(self, Cursor cursor, list columns, Py_ssize_t nulls)
    cdef note_record_nulls(self, Cursor cursor, list columns, Py_ssize_t nulls, frozenset null)
    @cython.locals(bits=bytes)
    cdef note_partial(self, Cursor cursor, list columns, Py_ssize_t start)
    @cython.locals(notes=Notes)
    cdef note_value(self, Cursor cursor, Column column, Py_ssize_t start, Sink sink)
    @cython.locals(notes=Notes)
    cdef note_diff(self, Cursor cursor, Column column, Py_ssize_t start, Sink sink)

@cython.locals(notes=Notes, inside=Py_ssize_t)
cdef _note_counted(Cursor cursor, BytesColumn column, Py_ssize_t start, object value)
@cython.locals(found=LastValue)
cdef object _last_of(Sink sink)
@cython.locals(notes=Notes, end=Py_ssize_t, at=Py_ssize_t, size=Py_ssize_t, negative=bint, count=int, place=str, group=Py_ssize_t)
cpdef _note_decimal(Cursor cursor, DecimalColumn column, Py_ssize_t start, object value)
@cython.locals(notes=Notes, end=Py_ssize_t, split=Py_ssize_t)
cpdef _note_fraction(Cursor cursor, TemporalColumn column, Py_ssize_t start, object value)
