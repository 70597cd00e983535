cimport cython
from binlogcli.events.event cimport Event
from binlogcli.events.log cimport Log
from binlogcli.events.mariadb cimport MariadbGtid
from binlogcli.events.statements cimport Query
from binlogcli.events.status cimport read_status_vars
from binlogcli.events.stream cimport EventStream
from binlogcli.events.tables cimport Rows, TableMap
from binlogcli.binary cimport kernel
from binlogcli.log.boundaries cimport may_define, role_of
from binlogcli.binary.cursor cimport Cursor
from binlogcli.log.framer cimport Framer
from binlogcli.rows.plan cimport TablePlan
from binlogcli.rows.count cimport RowSkipper
from binlogcli.rows.images cimport RowImages
from binlogcli.stats.collector cimport EventFacts
from binlogcli.stats.scan cimport Scan
from binlogcli.stats.sections.summary cimport SummaryCollector
from binlogcli.stats.sections.event_types cimport EventTypesCollector

cdef int BEGIN, COMMIT, OPENS_GROUP, ROLLBACK_TO, SAVEPOINT
cdef int QUERY_EVENT, XID_EVENT, TABLE_MAP_EVENT, GTID_EVENT, _NEVER, _HRNOW, _HRNOW_SIZE
cdef int ROTATE_EVENT

@cython.final
cdef class HeaderScan:
    cdef Scan scan
    cdef SummaryCollector overall
    cdef EventTypesCollector by_type
    cdef Cursor body
    cdef RowSkipper skipper
    cdef RowImages images
    cdef bint counting
    cdef const unsigned char[::1] least, plain_rows, opening, outside, ending
    cdef TableMap map
    cdef Rows rows
    cdef MariadbGtid gtid
    cdef Query query
    cdef bytes status
    cdef set known_status
    cdef bint open, begun
    @cython.locals(stream=EventStream, framer=Framer)
    cpdef run(self, Log log)
    cpdef bint take_gap(self, Log log) except -1
    @cython.locals(code=int, size=Py_ssize_t)
    cdef pass_by(self, EventStream stream, Framer framer)
    @cython.locals(outer=bint)
    cdef int count(self, Framer framer, int code) except -1
    @cython.locals(code=int, length=Py_ssize_t, timestamp=Py_ssize_t, server_id="unsigned int", outer=bint, event=Event)
    cdef decode(self, EventStream stream, Framer framer)
    cdef peek(self, EventStream stream, Framer framer, int code)
    @cython.locals(event=Rows, plan=TablePlan, rows=Py_ssize_t)
    cdef count_peeked(self, EventStream stream, Framer framer)
    @cython.locals(body=Cursor, query=Query, size=Py_ssize_t)
    cdef peek_query(self, EventStream stream, Framer framer)
    @cython.locals(body=Cursor, known=Py_ssize_t)
    cdef bint is_sound(self, Py_ssize_t at, Py_ssize_t size) except -1
    @cython.locals(body=Cursor, at=Py_ssize_t, status=bytes, short=bytes, ends=bint)
    cdef learn(self, Py_ssize_t size)
    @cython.locals(facts=EventFacts)
    cdef count_rows(self, Rows event)
    cdef place(self, int code)
    cdef int hear(self, int role) except -1
