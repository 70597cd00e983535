cimport cython
from binlogcli.events.event cimport Event, Transaction
from binlogcli.events.log cimport Log
from binlogcli.events.statements cimport StatementText
from binlogcli.events.tables cimport Rows
from binlogcli.render.ndjson.rows cimport JsonRows
from binlogcli.binary.text_buffer cimport TextBuffer
from binlogcli.render.writer cimport EventWriter
from binlogcli.rows.walk cimport RowWalker
from binlogcli.binary.json_writer cimport json_bytes, put_hex, put_json, put_json_str
from binlogcli.rows.plan cimport TablePlan

cdef int _QUOTE, _DASH

cdef class JsonLines(EventWriter):
    cdef object zone
    cdef bytes head
    cdef object carved
    cdef list types
    cdef dict flags
    cdef object tables
    cdef RowWalker walker
    cdef JsonRows sink
    cdef Py_ssize_t second
    cdef bytes time
    cpdef begin_log(self, Log log)
    cpdef name_file(self, str file)
    @cython.locals(out=TextBuffer)
    cpdef object put_event(self, Event event)
    cpdef put_damage(self, object damage)
    @cython.locals(out=TextBuffer)
    cdef int put_place(self, Py_ssize_t start, Py_ssize_t end, Py_ssize_t within) except -1
    @cython.locals(offset=Py_ssize_t)
    cdef int _put_offset(self, Py_ssize_t position) except -1
    cdef int turn_to(self, Py_ssize_t second) except -1
    cdef bytes _flags_text(self, unsigned int flags)
    @cython.locals(out=TextBuffer)
    cdef int _put_crc(self, Py_ssize_t crc) except -1
    @cython.locals(out=TextBuffer)
    cdef _put_transaction(self, Transaction transaction)
    @cython.locals(out=TextBuffer, head=bytes, names=bytes)
    cdef object put_rows(self, Rows event)
    @cython.locals(start=Py_ssize_t)
    cdef object put_unread(self, Rows event, object error)
    @cython.locals(plan=TablePlan)
    cdef tuple table_texts(self, Rows event)
    cdef put_statement(self, StatementText statement)
