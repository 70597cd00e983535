cimport cython
from binlogcli.events.event cimport Event
from binlogcli.binary cimport kernel
from binlogcli.log.context cimport LogContext, note_once
from binlogcli.binary.cursor cimport Cursor
from binlogcli.binary.notes cimport Notes
from binlogcli.rows.column cimport Sink
from binlogcli.rows.images cimport RowImages
from binlogcli.rows.walk cimport RowWalker
from binlogcli.rows.plan cimport TablePlan

cdef int PARTIAL_UPDATE_ROWS_EVENT, _SHORT_ID_HEADER, _STMT_END_F, _MAX_WIDTH, _FLAGS_SIZE, WRITE_ROWS_EVENT_V1, WRITE_ROWS_COMPRESSED_EVENT_V1
cdef int WRITE_ROWS_EVENT, WRITE_ROWS_COMPRESSED_EVENT, PRE_GA_WRITE_ROWS_EVENT, UPDATE

@cython.locals(first=int)
cdef int operation_of(int type_code)

@cython.locals(plan=TablePlan)
cdef TablePlan _new_plan(object definition, bytes key, LogContext context, Py_ssize_t position)
@cython.locals(plan=TablePlan)
cdef TablePlan _plan_again(unsigned long long table_id, LogContext context, Py_ssize_t position)

cdef class TableMap(Event):
    cdef readonly unsigned long long table_id
    cdef readonly unsigned int map_flags
    cdef readonly object definition
    cdef readonly TablePlan plan
    @cython.locals(short=bint, plan=TablePlan)
    cdef int decode(self, Cursor body, LogContext context) except -1
    @cython.locals(described=bytes, key=bytes, plan=TablePlan)
    cdef TablePlan _read_plan(self, Cursor body, LogContext context)

cdef class Rows(Event):
    cdef readonly int operation
    cdef readonly bint partial
    cdef readonly unsigned long long table_id
    cdef readonly unsigned int row_flags
    cdef readonly bytes extra
    cdef readonly Py_ssize_t width
    cdef readonly bytes present, present_after
    cdef readonly TablePlan plan
    cdef public object statement
    cdef public list ranges
    cdef readonly object damage
    cdef readonly bytes row_data
    cdef readonly Py_ssize_t rows_start, rows_end, packed_at
    @cython.locals(kind=int, second_version=bint, short=bint, size=Py_ssize_t)
    cdef int decode(self, Cursor body, LogContext context) except -1
    @cython.locals(size=Py_ssize_t)
    cdef int _read_extra(self, Cursor body) except -1
    @cython.locals(notes=Notes, end=Py_ssize_t, stop=Py_ssize_t, depth=Py_ssize_t)
    cdef _note_extra(self, Cursor body, Py_ssize_t start)
    cdef _read_rows(self, Cursor body, LogContext context, bint compressed)
    cpdef _note_content(self, Cursor body, bytes content)
    @cython.locals(notes=Notes, cursor=Cursor, depth=Py_ssize_t)
    cdef _note_rows(self, Cursor body)
    @cython.locals(plan=TablePlan)
    cpdef TablePlan resolve(self)
    cpdef Py_ssize_t walk(self, RowWalker walker, Sink sink) except? -1
    cpdef bint only_ends(self) except -1
    cpdef Py_ssize_t walk_by(self, TablePlan plan, RowWalker walker, Sink sink) except? -1
    @cython.locals(images=RowImages, count=Py_ssize_t, start=Py_ssize_t, end=Py_ssize_t)
    cdef Py_ssize_t _walk_ranges(self, TablePlan plan, RowWalker walker, Sink sink) except? -1
    @cython.locals(images=RowImages)
    cpdef RowImages images(self, TablePlan plan)
    cpdef int fill(self, RowImages images, TablePlan plan) except -1
