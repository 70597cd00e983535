cimport cython
from binlogcli.events.event cimport Event
from binlogcli.events.again.replay cimport Replay
from binlogcli.events.statements cimport Query, Xid
from binlogcli.events.tables cimport Rows, TableMap
from binlogcli.binary.cursor cimport Cursor
from binlogcli.render.client cimport StatementReader
from binlogcli.render.mysqlbinlog.rows.row_text cimport RowText
from binlogcli.render.mysqlbinlog.shared.event_lines cimport EventLines
from binlogcli.render.mysqlbinlog.shared.session cimport SessionPrinter
from binlogcli.binary.text_buffer cimport TextBuffer
from binlogcli.rows.walk cimport RowWalker
from binlogcli.rows.plan cimport TablePlan

cdef int _NEWLINE

cdef class EventText(EventLines):
    cdef readonly StatementReader reader
    cdef readonly object loads, remarks
    cdef public bint shows_positions
    cdef public Py_ssize_t held_bytes
    cdef readonly bint encoded, shows_metadata
    cdef readonly int verbose
    cdef public SessionPrinter session
    cdef public RowText row_text
    cdef RowWalker walker
    cdef readonly TextBuffer head, body, tail
    cdef public bint open_statement, has_rows
    cdef readonly bint filtered
    cdef public Py_ssize_t rows_counted
    cdef Py_ssize_t encoded_size
    cdef readonly list problems
    cdef set reported
    cdef readonly bint long, headless
    cdef public bint after_gap
    cdef readonly Replay replay
    cdef public object flush
    cpdef put_event(self, Event event)
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
