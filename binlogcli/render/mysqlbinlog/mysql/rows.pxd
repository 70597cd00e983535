cimport cython
from binlogcli.events.event cimport Event
from binlogcli.events.statements cimport Query
from binlogcli.events.tables cimport Rows, TableMap
from binlogcli.render.mysqlbinlog.shared.text cimport EventText
from binlogcli.binary.text_buffer cimport TextBuffer

cdef int FORMAT_DESCRIPTION_EVENT, DELETE_ROWS_EVENT_V1, PARTIAL_UPDATE_ROWS_EVENT, WRITE_ROWS_EVENT_V1, _HIDDEN_KEY

cdef class MysqlRows(EventText):
    cdef readonly bint shows_gtids
    cdef public bint seen_gtid, bare_gtid
    cdef Py_ssize_t format_place
    cdef public bint shows_hidden_key
    cdef public object payload
    cdef Py_ssize_t place_of(self, Event event) except? -1
    cdef bint is_renamed(self, Event event) except -1
    @cython.locals(raw=bytes)
    cdef bytes derived_bytes(self, Event event)
    cdef bint has_derived_checksum(self, Event event) except -1
    cdef int put_encoded_map(self, TextBuffer out, TableMap event) except -1
    @cython.locals(out=TextBuffer, hidden=bint)
    cdef put_table_map(self, TableMap event)
    @cython.locals(out=TextBuffer)
    cdef put_rows(self, Rows event)
    @cython.locals(out=TextBuffer)
    cdef put_last_rows(self, Rows event)
    cdef _put_held_block(self)
    cdef _put_held_rows(self)
    cpdef put_what_waits(self)
    cdef put_stray_rows(self, Rows event)
    cdef put_section(self, TextBuffer out, Event event, int section)
    cdef int put_rows_header(self, TextBuffer out, Rows event) except -1
