cimport cython
from binlogcli.binary.byte_search cimport ByteSearch
from binlogcli.events.stream cimport Chooser
from binlogcli.events.event cimport Event, Transaction
from binlogcli.events.log cimport Log
from binlogcli.events.statements cimport Query, StatementText
from binlogcli.events.tables cimport Rows
from binlogcli.log.context cimport LogContext
from binlogcli.select.by_name cimport NameChoice
from binlogcli.select.limits cimport Limits
from binlogcli.select.values.conditions cimport RowFilter

cdef int SKIP, SHOW, HOLD, JUMP, END, RELEASE, FORMAT_DESCRIPTION_EVENT, PARTIAL_ROW_DATA_EVENT, QUERY_COMPRESSED_EVENT, ROTATE_EVENT, TABLE_MAP_EVENT
cdef Py_ssize_t NO_LIMIT, _MOST_HELD
cdef bytes _FRAMES

cdef class Selection(Chooser):
    cdef readonly object choice
    cdef readonly bint framing, wary
    cdef readonly bint over
    cdef readonly Py_ssize_t low, since, until
    cdef readonly bint late
    cdef bint ranged
    cdef const unsigned char[::1] heads
    cdef const unsigned char[::1] before_statement
    cdef LogContext context
    cdef readonly object events
    cdef const unsigned char[::1] types
    cdef unsigned char[::1] seen
    cdef bint by_server
    cdef object servers
    cdef readonly set servers_seen
    cdef bint by_gtid
    cdef Transaction transaction
    cdef bint transaction_chosen, by_name, by_touch, by_operation, rows_seen
    cdef readonly object operations, stretches
    cdef readonly Limits limits
    cdef readonly NameChoice names
    cdef Transaction touched
    cdef readonly RowFilter rows
    cdef readonly object grep
    cdef ByteSearch search
    cdef object grep_of_statements
    cdef bint in_ascii
    cdef readonly Py_ssize_t texts
    cdef const unsigned char[::1] spared
    cdef readonly list notes
    @cython.locals(code=int, framed=bint, found=int, waits=bint)
    cpdef int verdict(self, Event event) except -1
    @cython.locals(found=int, taken=bint)
    cdef int verdict_by_place(self, Event event, bint framed) except -1
    @cython.locals(code=int)
    cdef bint takes_content(self, Event event, bint framed) except -1
    cdef int skip(self, int code) except -1
    @cython.locals(code=int, transaction=Transaction, taken=bint, touches=bint)
    cdef int touching(self, Event event, bint waits, bint framed) except -1
    cdef int show(self, Event event) except -1
    cdef int release(self) except -1
    cdef bint admits(self, Event event) except -1
    cdef bint in_stretches(self, Event event) except -1
    @cython.locals(maps=bint)
    cdef bint waits_for_rows(self, Event event) except -1
    @cython.locals(code=int)
    cdef bint takes_type_and_rows(self, Event event) except -1
    cdef int skip_in_frame(self, int code, bint touches) except -1
    @cython.locals(code=int, place=Py_ssize_t)
    cdef int in_range(self, Event event) except -1
    @cython.locals(code=int, timely=bint, framed=bint)
    cdef int too_early(self, Event event, Py_ssize_t place) except -1
    cdef bint takes_transaction(self, Transaction transaction) except -1
    cdef bint choose_transaction(self, Transaction transaction) except -1
    cdef bint takes_server(self, unsigned int server_id) except -1
    cdef bint takes_rows(self, Event event) except -1
    cdef bint has_needle(self, Event event) except -1
