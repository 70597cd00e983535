cimport cython
from binlogcli.events.event cimport Event
from binlogcli.events.replay cimport Replay
from binlogcli.events.statements cimport Query, Xid
from binlogcli.events.tables cimport Rows, TableMap
from binlogcli.binary.cursor cimport Cursor
from binlogcli.render.client cimport StatementReader
from binlogcli.render.mysqlbinlog.rows cimport byte_loops
from binlogcli.render.mysqlbinlog.rows.row_text cimport RowText
from binlogcli.render.mysqlbinlog.shared.session cimport SessionPrinter
from binlogcli.binary.text_buffer cimport TextBuffer
from binlogcli.rows.walk cimport RowWalker
from binlogcli.rows.plan cimport TablePlan

cdef int _HEADER_SIZE, _NEWLINE, FORMAT_DESCRIPTION_EVENT
cdef Py_ssize_t _ENCODED_WINDOW

cdef class EventText:
    cdef public TextBuffer out
    cdef readonly StatementReader reader
    cdef readonly object options, loads, remarks
    cdef readonly bint mariadb, short_form
    cdef public bint shows_positions
    cdef public Py_ssize_t held_bytes
    cdef readonly bint hexdump, encoded
    cdef readonly int verbose
    cdef readonly bint shows_metadata, rewrites
    cdef public SessionPrinter session
    cdef public RowText row_text
    cdef readonly Cursor raw
    cdef RowWalker walker
    cdef readonly object clock
    cdef Py_ssize_t second
    cdef bytes stamp
    cdef Py_ssize_t server
    cdef bytes server_text
    cdef readonly TextBuffer head, body, tail
    cdef public bint open_statement, has_rows
    cdef readonly bint filtered
    cdef public Py_ssize_t rows_counted
    cdef Py_ssize_t encoded_size
    cdef readonly list problems
    cdef set told
    cdef readonly bint long, headless
    cdef public bint after_gap
    cdef bint has_columns
    cdef public Py_ssize_t dumped_from
    cdef readonly Replay replay
    cdef public object flush
    cpdef put_event(self, Event event)
    cpdef int put_at(self, TextBuffer out, Event event) except -1
    cdef Py_ssize_t place_of(self, Event event) except -1
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
    @cython.locals(row_text=RowText, plan=TablePlan)
    cdef put_row_values(self, TextBuffer out, Rows event)
    cpdef int put_statement(self, TextBuffer out, Query event, bytes text) except -1
    cpdef int put_query_header(self, TextBuffer out, Query event, bytes name) except -1
    cdef int put_query_end(self, TextBuffer out, Query event) except -1
    cdef put_unended(self, Event event)
    cpdef put_what_waits(self)
    cdef int hold(self) except -1
    cdef int close_statement(self) except -1
    @cython.locals(out=TextBuffer)
    cpdef release(self, TextBuffer part)
    cdef int write_out(self) except -1
    @cython.locals(replay=Replay, event=Event)
    cdef put_again(self, int section)
    cdef put_section(self, TextBuffer out, Event event, int section)
    cdef _put_broken_statement(self)
