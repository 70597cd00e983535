cimport cython
from binlogcli.events.statements cimport Query
from binlogcli.events.status cimport StatusVars
from binlogcli.render.client cimport StatementReader
from binlogcli.binary.text_buffer cimport TextBuffer

cdef int _THREAD_SPECIFIC, _SUPPRESS_USE
cdef Py_ssize_t _NO_NUMBER

@cython.final
cdef class SessionPrinter:
    cdef readonly object options, remarks
    cdef StatementReader reader
    cdef readonly bint mariadb
    cdef bint short_form
    cdef public Py_ssize_t gtid_flags
    cdef str db
    cdef bint thread_printed
    cdef unsigned int thread_id
    cdef object flags2, sql_mode, increment, offset, client, connection, server
    cdef str time_zone
    cdef object lc_time_names, charset_database, utf8mb4_collation
    cdef readonly Py_ssize_t written_flags
    cpdef int put_before(self, TextBuffer out, Query query) except -1
    cpdef int put_rewritten_use(self, TextBuffer out, Query query) except -1
    cdef int _put_use(self, TextBuffer out, Query query) except -1
    cdef _put_database(self, TextBuffer out, Query query, str database)
    @cython.locals(status=StatusVars)
    cdef int put_timestamp(self, TextBuffer out, Query query) except -1
    @cython.locals(status=StatusVars)
    cdef _put_status(self, TextBuffer out, Query query)
