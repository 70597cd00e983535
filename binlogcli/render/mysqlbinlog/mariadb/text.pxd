cimport cython
from binlogcli.events.event cimport Event
from binlogcli.events.mariadb cimport MariadbGtid
from binlogcli.events.statements cimport Intvar, Query, StatementText, Xid
from binlogcli.events.tables cimport Rows, TableMap
from binlogcli.render.mysqlbinlog.mariadb.rows cimport MariadbRows
from binlogcli.render.mysqlbinlog.shared.session cimport SessionPrinter
from binlogcli.binary.text_buffer cimport TextBuffer

cdef int ANNOTATE_ROWS_EVENT, QUERY_EVENT, EXECUTE_LOAD_QUERY_EVENT
cdef int _ALLOW_PARALLEL, _STANDALONE, _PREPARED_XA, _SKIP_REPLICATION
cdef int _TWO_PHASE_ALTER

cdef class MariadbText(MariadbRows):
    cdef bint skip_replication
    cdef Py_ssize_t parallel, domain, gtid_server
    @cython.locals(code=int, out=TextBuffer)
    cpdef put_event(self, Event event)
    cdef put_rare(self, Event event)
    cdef int _put_skip_replication(self, TextBuffer out) except -1
    @cython.locals(out=TextBuffer)
    cdef int _put_intvar(self, Intvar event) except -1
    @cython.locals(out=TextBuffer)
    cdef put_query(self, Query event)
    cdef int put_query_end(self, TextBuffer out, Query event) except -1
    @cython.locals(out=TextBuffer)
    cdef put_gtid(self, MariadbGtid event)
    cdef int _put_gtid_state(self, TextBuffer out, MariadbGtid event) except -1
