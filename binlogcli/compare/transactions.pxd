cimport cython
from binlogcli.binary cimport kernel
from binlogcli.binary.text_buffer cimport TextBuffer
from binlogcli.compare.logged_transaction cimport LoggedTransaction
from binlogcli.compare.meaning cimport heading_of, meaning_of, settings_of, variable_of
from binlogcli.events.event cimport Event, Transaction
from binlogcli.events.load cimport ExecuteLoadQuery, FileBlock, Load
from binlogcli.events.log cimport Log
from binlogcli.events.mariadb cimport GtidList, PartialRowData
from binlogcli.events.mysql cimport PreviousGtids
from binlogcli.events.statements cimport Intvar, Query, Rand, UserVar
from binlogcli.events.stream cimport EventStream
from binlogcli.events.tables cimport Rows
from binlogcli.log.boundaries cimport role_of
from binlogcli.rows.count cimport RowSkipper
from binlogcli.rows.images cimport RowImages
from binlogcli.rows.plan cimport TablePlan

cdef int BEGIN, COMMIT, ROLLBACK, XA_START, SAVEPOINT, RELEASE_SAVEPOINT, ROLLBACK_TO, _RUN_END, _BLANK
cdef Py_ssize_t HASHED, _SHAPE, _PIECE, _SMALL, _HEADINGS_KEPT, _SAVEPOINTS_KEPT

@cython.final
cdef class TransactionReader:
    cdef object names
    cdef object tell
    cdef Log log
    cdef readonly Py_ssize_t number, place, gaps
    cdef readonly list before
    cdef bint begun
    cdef Transaction current
    cdef LoggedTransaction work
    cdef Event ahead
    cdef bint torn, numbered
    cdef RowSkipper skipper
    cdef RowImages images
    cdef bytes opening, others
    cdef TextBuffer out
    cdef object hash
    cdef set shapes
    cdef TablePlan plan
    cdef int operation
    cdef bytes present, present_after
    cdef dict headings
    cdef Py_ssize_t run
    cdef tuple settings
    cdef bytes session
    cdef list waiting
    cdef Py_ssize_t events
    cdef object savepoints
    cdef dict kept
    cpdef begin_log(self, Log log)
    @cython.locals(stream=EventStream, event=Event, work=LoggedTransaction)
    cpdef LoggedTransaction advance(self)
    cpdef LoggedTransaction finish(self)
    cdef bint goes_on(self, Event event) except -1
    cdef miss(self, object gap)
    cdef pass_by(self, Event event)
    @cython.locals(work=LoggedTransaction, code=int)
    cdef LoggedTransaction see(self, Event event)
    @cython.locals(work=LoggedTransaction)
    cdef LoggedTransaction begin(self, Event event)
    @cython.locals(transaction=Transaction)
    cdef LoggedTransaction close(self, LoggedTransaction work)
    cdef identify(self, LoggedTransaction work, Transaction transaction)
    cdef int drain(self) except -1
    cdef int put_part(self, bytes mark, bytes part) except -1
    @cython.locals(plan=TablePlan, size=Py_ssize_t)
    cdef add_rows(self, LoggedTransaction work, Rows event)
    cdef put_long(self, Rows event)
    @cython.locals(key=tuple, found=tuple)
    cdef head_rows(self, Rows event)
    cdef int end_run(self) except -1
    @cython.locals(query=bytes, role=int, part=bytes)
    cdef add_query(self, LoggedTransaction work, Query event)
    cdef see_savepoint(self, LoggedTransaction work, bytes query, int role)
    cdef bytes session_of(self, Query event)
    cdef add_other(self, LoggedTransaction work, Event event)

cpdef bint opens(Event event) except -1
