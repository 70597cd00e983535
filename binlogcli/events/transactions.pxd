cimport cython
from binlogcli.events.event cimport Event
from binlogcli.events.mariadb cimport MariadbGtid
from binlogcli.events.mysql cimport MysqlGtid
from binlogcli.events.statements cimport Query, StatementText, XaPrepare, Xid
from binlogcli.events.tables cimport Rows

cdef int FL_STANDALONE

@cython.final
cdef class Transaction:
    cdef readonly object opener
    cdef public object xid
    cdef public object thread_id
    cdef public bint changed
    cdef public str outcome

@cython.final
cdef class TransactionTracker:
    cdef readonly Transaction current
    cdef bint begun
    cdef bint ending
    cdef readonly StatementText statement
    cdef const unsigned char[::1] outside
    @cython.locals(code=int)
    cpdef see(self, Event event)
    cdef int see_other(self, Event event) except -1
    cdef int see_rows(self, Rows event) except -1
    cdef int open(self, object opener) except -1
    cdef int end(self, str outcome) except -1
    @cython.locals(current=Transaction, words=bytes)
    cdef int see_query(self, Query event) except -1
