cimport cython
from binlogcli.events.event cimport Event, Transaction
from binlogcli.rows.plan cimport TablePlan

cdef Py_ssize_t _MICRO

@cython.final
cdef class TransactionFacts:
    cdef public Py_ssize_t number
    cdef public Transaction transaction
    cdef public Py_ssize_t start, end
    cdef public unsigned int server_id
    cdef public Py_ssize_t first_time, last_time, end_time, bytes, rows, updated, deleted, events, commit_micro, here_micro
    cdef public Py_ssize_t exec_time, statements
    cdef public bint unread
    cdef public object prepared
    cdef public Event statement
    cdef public list tables
    cdef public bint more_tables
    cdef public set other_tables
    cdef int forget(self) except -1
    @cython.locals(known=TablePlan)
    cdef name_table(self, TablePlan plan)
    @cython.locals(spent=Py_ssize_t, committed=Py_ssize_t)
    cpdef Py_ssize_t seconds(self) except? -1
