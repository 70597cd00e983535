cimport cython
from binlogcli.events.event cimport Event
from binlogcli.events.status cimport StatusVars, read_status_vars
from binlogcli.log.context cimport LogContext
from binlogcli.binary.cursor cimport Cursor

cdef dict INTVAR_TYPES, USER_VAR_TYPES
cdef int QUERY_COMPRESSED_EVENT, _UNSIGNED_FLAG, _DATA_TYPE_NAME

cdef class Query(Event):
    cdef readonly bint mariadb
    cdef readonly unsigned int thread_id, exec_time
    cdef readonly int db_len, error_code
    cdef readonly Py_ssize_t status_vars_len
    cdef readonly StatusVars status
    cdef readonly str db
    cdef readonly bytes query
    cdef int decode(self, Cursor body, LogContext context) except -1
    @cython.locals(post_header=Py_ssize_t, start=Py_ssize_t)
    cdef int post_header(self, Cursor body, LogContext context) except -1
    cdef int _special_header(self, Cursor body) except -1

cdef class Intvar(Event):
    cdef readonly int kind
    cdef readonly unsigned long long val
    cdef int decode(self, Cursor body, LogContext context) except -1

cdef class Rand(Event):
    cdef readonly unsigned long long seed1, seed2
    cdef int decode(self, Cursor body, LogContext context) except -1

cdef class UserVar(Event):
    cdef readonly bint mariadb
    cdef readonly str name
    cdef readonly bint is_null
    cdef readonly int kind
    cdef readonly unsigned int charset_number
    cdef readonly bytes val
    cdef readonly int var_flags
    cdef readonly str data_type
    cdef int decode(self, Cursor body, LogContext context) except -1
    cdef int _tail(self, Cursor body) except -1

cdef class Xid(Event):
    cdef readonly unsigned long long xid
    cdef int decode(self, Cursor body, LogContext context) except -1

cdef class XaPrepare(Event):
    cdef readonly bint one_phase
    cdef readonly int format_id
    cdef readonly unsigned int gtrid_length, bqual_length
    cdef readonly bytes gtrid, bqual
    cdef int decode(self, Cursor body, LogContext context) except -1

cdef class StatementText(Event):
    cdef readonly bytes query
    cdef int decode(self, Cursor body, LogContext context) except -1

cdef class RowsQuery(StatementText):
    cdef readonly int text_length
    cdef int decode(self, Cursor body, LogContext context) except -1
