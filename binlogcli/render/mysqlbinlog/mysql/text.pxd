cimport cython
from binlogcli.events.event cimport Event
from binlogcli.events.statements cimport Query, Xid
from binlogcli.events.tables cimport Rows, TableMap
from binlogcli.render.mysqlbinlog.mysql.rows cimport MysqlRows
from binlogcli.binary.text_buffer cimport TextBuffer

cdef int QUERY_EVENT, FORMAT_DESCRIPTION_EVENT, TABLE_MAP_EVENT

cdef class MysqlText(MysqlRows):
    cdef list pending
    cdef public bint in_transaction, first_format
    cdef bint first_log
    cdef const unsigned char[::1] outside
    cdef const unsigned char[::1] variables
    @cython.locals(code=int)
    cpdef put_event(self, Event event)
    cdef put_rare(self, Event event)
    @cython.locals(out=TextBuffer)
    cdef put_query(self, Query event)
    cdef int put_query_end(self, TextBuffer out, Query event) except -1
