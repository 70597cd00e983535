cimport cython
from binlogcli.binary.cursor cimport Cursor
from binlogcli.binary.digits cimport Digits
from binlogcli.binary.json_writer cimport put_hex, put_json
from binlogcli.binary.text_buffer cimport TextBuffer
from binlogcli.render.delimited.fields cimport FieldWriter
from binlogcli.rows.value_texts cimport put_clock, put_date
from binlogcli.rows.column cimport Column, Moment, Sink
from binlogcli.rows.readers.strings cimport BytesColumn
from binlogcli.rows.walk cimport RowWalker

cdef int HIGH, _DASH, _SPACE, _NEWLINE
cdef Py_ssize_t LONG

cdef class FieldRows(Sink):
    cdef FieldWriter fields
    cdef TextBuffer out, scratch
    cdef unsigned char delimiter
    cdef RowWalker walker
    cdef bint mariadb
    cdef Py_ssize_t width, next, row_at
    cdef list order, starts
    cdef bytes before_head, after_head
    cdef bint begun
    cdef readonly Py_ssize_t lines
    cdef readonly set unsure
    cpdef int begin_event(self, bytes before_head, bytes after_head, list order) except -1
    cdef int begin_rows(self, object plan) except -1
    cdef int begin_row(self) except -1
    cdef int begin_image(self, bint after) except -1
    cdef int end_image(self) except -1
    cdef int end_row(self) except -1
    cpdef int take_back(self) except -1
    cdef rearrange(self, list order)
    cdef int release(self) except -1
    cdef int skip_to(self, Py_ssize_t index) except -1
    cdef TextBuffer begin(self, Column column)
    cdef int put_null(self, Column column) except -1
    cdef int put_int(self, Column column, Py_ssize_t value) except -1
    cdef int put_uint(self, Column column, unsigned long long value) except -1
    cdef int put_float(self, Column column, double value) except -1
    cdef int put_double(self, Column column, double value) except -1
    cdef int put_decimal(self, Column column, Digits digits) except -1
    cdef int put_bits(self, Column column, unsigned long long value) except -1
    cdef int put_year(self, Column column, int value) except -1
    cdef int put_date(self, Column column, Moment moment) except -1
    @cython.locals(out=TextBuffer)
    cdef int put_time(self, Column column, Moment moment) except -1
    @cython.locals(out=TextBuffer)
    cdef int put_datetime(self, Column column, Moment moment) except -1
    cdef int put_timestamp(self, Column column, Moment moment) except -1
    cdef int put_enum(self, Column column, Py_ssize_t index) except -1
    cdef int put_set(self, Column column, unsigned long long bits) except -1
    cdef put_label(self, Column column, object label)
    cdef int put_text(self, Column column, Cursor data, Py_ssize_t start, Py_ssize_t end) except -1
    @cython.locals(raw=bytes, classes=int)
    cdef put_characters(self, BytesColumn column, Cursor data, Py_ssize_t start, Py_ssize_t end)
    cdef put_long_text(self, BytesColumn column, object view)
    cdef put_raw(self, Column column, object raw)
    @cython.locals(out=TextBuffer)
    cdef int put_bytes(self, Column column, Cursor data, Py_ssize_t start, Py_ssize_t end) except -1
    cdef int put_json(self, Column column, Cursor data, Py_ssize_t start, Py_ssize_t end) except -1
    cdef int put_json_diff(self, Column column, Cursor data, Py_ssize_t start, Py_ssize_t end) except -1
    cdef put_document(self, Column column, object document)
    cdef put_unread(self, Column column, bytes raw, object error)
    cdef int put_geometry(self, Column column, Cursor data, Py_ssize_t start, Py_ssize_t end) except -1
    cdef int put_vector(self, Column column, Cursor data, Py_ssize_t start, Py_ssize_t end) except -1
