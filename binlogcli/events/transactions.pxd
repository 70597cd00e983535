cimport cython
from binlogcli.events.event cimport Event
from binlogcli.events.mariadb cimport MariadbGtid
from binlogcli.events.mysql cimport MysqlGtid
from binlogcli.events.statements cimport Query, StatementText, XaPrepare, Xid
from binlogcli.events.tables cimport Rows

cdef class Transaction:
    cdef readonly object gtid
    cdef public object xid
    cdef public object thread_id
    cdef public bint changed

cdef class TransactionTracker:
    cdef readonly Transaction current
    cdef bint begun
    cdef bint ending
    cdef readonly StatementText statement
    cpdef see(self, Event event)
    cdef int see_rows(self, Rows event) except -1
    cdef int open(self, Event event) except -1
    @cython.locals(current=Transaction, words=bytes)
    cdef int see_query(self, Query event) except -1
