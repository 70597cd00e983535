cimport cython
from binlogcli.events.event cimport Event, Transaction
from binlogcli.events.mariadb cimport MariadbGtid
from binlogcli.events.mysql cimport MysqlGtid
from binlogcli.events.statements cimport Query, StatementText, XaPrepare, Xid
from binlogcli.events.tables cimport Rows
from binlogcli.log.boundaries cimport role_of

cdef int BEGIN, COMMIT, OPENS_GROUP, ROLLBACK_TO, SAVEPOINT, ROLLBACK
cdef int TABLE_MAP_EVENT, ANONYMOUS_GTID_LOG_EVENT

@cython.final
cdef class TransactionTracker:
    cdef readonly Transaction current
    cdef bint begun, ending
    cdef readonly StatementText statement
    cdef const unsigned char[::1] opening
    cdef const unsigned char[::1] outside
    @cython.locals(code=int)
    cpdef see(self, Event event)
    cdef int _see_other(self, Event event) except -1
    cdef int _see_rows(self, Rows event) except -1
    cdef int _see_xid(self, Xid event) except -1
    @cython.locals(current=Transaction)
    cdef int _see_mariadb_gtid(self, MariadbGtid event) except -1
    @cython.locals(current=Transaction)
    cdef int _see_mysql_gtid(self, MysqlGtid event) except -1
    cdef int _open(self) except -1
    cdef int _end(self, str outcome) except -1
    @cython.locals(current=Transaction)
    cdef int _see_query(self, Query event) except -1
    @cython.locals(role=int)
    cdef int _see_words(self, bytes query) except -1
