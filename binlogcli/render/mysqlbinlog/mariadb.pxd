cimport cython
from binlogcli.events.event cimport Event
from binlogcli.events.mariadb cimport MariadbGtid
from binlogcli.events.statements cimport Intvar, Query, StatementText, Xid
from binlogcli.events.tables cimport Rows, TableMap
from binlogcli.log.cursor cimport Cursor
from binlogcli.render.mysqlbinlog cimport byte_loops
from binlogcli.render.mysqlbinlog.counting cimport RowCounter
from binlogcli.render.mysqlbinlog.session cimport Session
from binlogcli.render.mysqlbinlog.text cimport EventText
from binlogcli.rows.out cimport Out
from binlogcli.rows.plan cimport TablePlan

cdef int QUERY, EXECUTE_LOAD_QUERY, ANNOTATE
cdef int ALLOW_PARALLEL, STANDALONE, PREPARED_XA, SKIP_REPLICATION, HAS_TRIGGERS
cdef Py_ssize_t ENCODED_LIMIT, BLOCK_FRAME
cdef int TWO_PHASE_ALTER

cdef class MariadbText(EventText):
    cdef StatementText annotation
    cdef Py_ssize_t last_start
    cdef Py_ssize_t until_split
    cdef public Py_ssize_t encoded_limit
    cdef bint skip_replication
    cdef Py_ssize_t parallel
    cdef Py_ssize_t domain
    cdef Py_ssize_t gtid_server
    cdef dict map_lines
    cdef public RowCounter counter
    @cython.locals(code=int, out=Out)
    cpdef put_event(self, Event event)
    @cython.locals(code=int, data=bytes, place=Py_ssize_t)
    cdef int put_dump(self, Out out, Event event) except -1
    cdef put_rare(self, Event event)
    cdef int put_skip_replication(self, Out out) except -1
    @cython.locals(out=Out)
    cdef int put_intvar(self, Intvar event) except -1
    @cython.locals(raw=Cursor, start=Py_ssize_t, end=Py_ssize_t)
    cdef int put_annotation(self, Out out, StatementText event) except -1
    @cython.locals(out=Out, line=bytes)
    cdef put_table_map(self, TableMap event)
    cdef put_rows(self, Rows event)
    @cython.locals(out=Out)
    cdef put_last_rows(self, Rows event)
    cdef put_stray_rows(self, Rows event)
    @cython.locals(out=Out)
    cdef put_fragments(self, Rows event)
    @cython.locals(written=Py_ssize_t, cut=Py_ssize_t)
    cdef split(self, Out out, Py_ssize_t start)
    @cython.locals(length=Py_ssize_t, characters=Py_ssize_t)
    cdef Py_ssize_t size_in_base64(self, Event event) except -1
    @cython.locals(start=Py_ssize_t)
    cdef put_section(self, Out out, Event event, int section)
    cdef put_values(self, Out out, Rows event)
    cdef int put_encoded_rows(self, Out out, Rows event) except -1
    cdef int put_rows_header(self, Out out, Rows event) except -1
    @cython.locals(out=Out)
    cdef put_query(self, Query event)
    @cython.locals(out=Out)
    cdef put_gtid(self, MariadbGtid event)
    cdef int put_gtid_state(self, Out out, MariadbGtid event) except -1
