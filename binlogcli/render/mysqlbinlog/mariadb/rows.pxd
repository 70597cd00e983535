cimport cython
from binlogcli.events.event cimport Event
from binlogcli.events.statements cimport StatementText
from binlogcli.events.tables cimport Rows, TableMap
from binlogcli.binary.cursor cimport Cursor
from binlogcli.render.mysqlbinlog.rows cimport byte_loops
from binlogcli.render.mysqlbinlog.rows.counting cimport RowCounter
from binlogcli.render.mysqlbinlog.shared.text cimport EventText
from binlogcli.binary.text_buffer cimport TextBuffer

cdef int ANNOTATE_ROWS_EVENT, WRITE_ROWS_COMPRESSED_EVENT_V1, DELETE_ROWS_COMPRESSED_EVENT, WRITE_ROWS_EVENT_V1, _HAS_TRIGGERS
cdef Py_ssize_t _ENCODED_LIMIT, _BLOCK_FRAME

cdef class MariadbRows(EventText):
    cdef StatementText annotation
    cdef Py_ssize_t last_start, until_split
    cdef public Py_ssize_t encoded_limit
    cdef dict map_lines
    cdef Py_ssize_t map_columns
    cdef public RowCounter counter
    @cython.locals(code=int, data=bytes, place=Py_ssize_t)
    cdef int put_dump(self, TextBuffer out, Event event) except -1
    @cython.locals(raw=Cursor, start=Py_ssize_t, end=Py_ssize_t)
    cdef int put_annotation(self, TextBuffer out, StatementText event) except -1
    @cython.locals(out=TextBuffer, line=bytes)
    cdef put_table_map(self, TableMap event)
    cdef put_rows(self, Rows event)
    @cython.locals(out=TextBuffer)
    cdef put_last_rows(self, Rows event)
    cpdef put_what_waits(self)
    cdef put_stray_rows(self, Rows event)
    @cython.locals(out=TextBuffer)
    cdef _put_fragments(self, Rows event)
    @cython.locals(written=Py_ssize_t, cut=Py_ssize_t)
    cdef split(self, TextBuffer out, Py_ssize_t start)
    @cython.locals(length=Py_ssize_t, characters=Py_ssize_t)
    cdef Py_ssize_t _size_in_base64(self, Event event) except? -1
    @cython.locals(start=Py_ssize_t)
    cdef put_section(self, TextBuffer out, Event event, int section)
    cdef _put_values(self, TextBuffer out, Rows event)
    cdef int _put_encoded_rows(self, TextBuffer out, Rows event) except -1
    cdef int put_rows_header(self, TextBuffer out, Rows event) except -1
