cimport cython
from binlogcli.gtids.text cimport mariadb_gtid, mysql_gtid
from binlogcli.log.context cimport LogContext
from binlogcli.binary.cursor cimport Cursor
from binlogcli.log.walker cimport Walker

@cython.final
cdef class Transaction:
    cdef readonly unsigned int domain_id, server_id
    cdef readonly unsigned long long seq_no
    cdef readonly bint mariadb_gtid
    cdef readonly str sid, tag
    cdef readonly Py_ssize_t gno
    cdef public object xid, thread_id
    cdef readonly tuple xa
    cdef readonly bint standalone
    cdef public str outcome
    cdef public tuple prepared

cdef class Event:
    cdef readonly Py_ssize_t start, end
    cdef readonly unsigned int timestamp
    cdef readonly int type_code
    cdef readonly unsigned int server_id
    cdef readonly Py_ssize_t length
    cdef readonly unsigned long long log_pos
    cdef readonly unsigned int flags
    cdef readonly Py_ssize_t crc, within_at
    cdef readonly bytes data
    cdef readonly Py_ssize_t at, body_start, body_end
    cdef public bytes unknown, kept
    cdef public Transaction transaction

    cdef int take(self, Walker walker, Py_ssize_t within) except -1
    cdef int take_again(self, Event event) except -1
    cdef int decode(self, Cursor body, LogContext context) except -1
    cdef int finish(self, Cursor body) except -1
