cimport cython
from binlogcli.binary.cursor cimport Cursor
from binlogcli.binary.text_buffer cimport TextBuffer
from binlogcli.events.event cimport Event
from binlogcli.events.statements cimport Xid
from binlogcli.events.tables cimport TableMap
from binlogcli.render.mysqlbinlog.rows cimport byte_loops

cdef int _NEWLINE, FORMAT_DESCRIPTION_EVENT
cdef Py_ssize_t _ENCODED_WINDOW

cdef class EventLines:
    cdef public TextBuffer out
    cdef readonly object options
    cdef readonly bint mariadb, short_form, hexdump, rewrites
    cdef readonly Cursor raw
    cdef readonly object clock
    cdef Py_ssize_t second, server
    cdef bytes stamp, server_text
    cdef bint has_columns
    cdef public Py_ssize_t dumped_from
    cpdef int put_at(self, TextBuffer out, Event event) except -1
    cdef Py_ssize_t place_of(self, Event event) except? -1
    cpdef int put_header(self, TextBuffer out, Event event) except -1
    cdef int put_dump(self, TextBuffer out, Event event) except -1
    cdef bint _has_checksum(self, Event event) except -1
    cdef int turn_to(self, Py_ssize_t second) except -1
    cdef Cursor bytes_of(self, Event event)
    @cython.locals(data=bytes)
    cdef int _put_derived_header(self, TextBuffer out, Event event) except -1
    cdef bint is_renamed(self, Event event) except -1
    cdef bytes derived_bytes(self, Event event)
    cdef bint has_derived_checksum(self, Event event) except -1
    @cython.locals(start=Py_ssize_t, end=Py_ssize_t, mysql=bint)
    cdef int put_hexdump(self, TextBuffer out, Cursor raw, Py_ssize_t at, Py_ssize_t length, Py_ssize_t place) except -1
    @cython.locals(out=TextBuffer)
    cdef int put_xid(self, Xid event) except -1
    cpdef int put_encoded(self, TextBuffer out, Event event) except -1
    cdef int put_encoded_map(self, TextBuffer out, TableMap event) except -1
    cpdef int put_encoded_bytes(self, TextBuffer out, bytes data) except -1
    @cython.locals(stop=Py_ssize_t)
    cdef int put_base64(self, TextBuffer out, Cursor raw, Py_ssize_t start, Py_ssize_t end) except -1
