cimport cython
from binlogcli.events.event cimport Event
from binlogcli.events.statements cimport Query, Xid
from binlogcli.events.tables cimport Rows, TableMap
from binlogcli.render.mysqlbinlog.text cimport EventText
from binlogcli.binary.text_buffer cimport TextBuffer

cdef int QUERY_EVENT, FORMAT_DESCRIPTION_EVENT, TABLE_MAP_EVENT, DELETE_ROWS_EVENT_V1, PARTIAL_UPDATE_ROWS_EVENT, HIDDEN_KEY

cdef class MysqlText(EventText):
    cdef list pending
    cdef public bint in_transaction
    cdef public bint seen_gtid
    cdef public bint bare_gtid
    cdef public bint first_format
    cdef bint first_log
    cdef readonly bint shows_gtids
    cdef Py_ssize_t format_place
    cdef const unsigned char[::1] outside
    cdef public bint shows_hidden_key
    cdef public object payload
    cdef const unsigned char[::1] variables
    @cython.locals(code=int)
    cpdef put_event(self, Event event)
    cdef put_rare(self, Event event)
    cdef Py_ssize_t place_of(self, Event event) except -1
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
    cdef put_held_block(self)
    cdef put_held_rows(self)
    cpdef put_what_waits(self)
    cdef put_stray_rows(self, Rows event)
    cdef put_section(self, TextBuffer out, Event event, int section)
    cdef int put_rows_header(self, TextBuffer out, Rows event) except -1
    @cython.locals(out=TextBuffer)
    cdef put_query(self, Query event)
