cimport cython
from binlogcli.events.event cimport Event
from binlogcli.binary cimport kernel
from binlogcli.log.context cimport LogContext
from binlogcli.binary.cursor cimport Cursor

cdef int _FL_STANDALONE, _FL_GROUP_COMMIT_ID, _FL_XA, _EXTRA_MULTI_ENGINE, _EXTRA_ALTER, _EXTRA_THREAD_ID

cdef class MariadbGtid(Event):
    cdef readonly unsigned long long seq_no
    cdef readonly unsigned int domain_id
    cdef readonly int flags2
    cdef readonly unsigned long long commit_id
    cdef readonly tuple xid
    cdef readonly int flags_extra, extra_engines
    cdef readonly unsigned long long sa_seq_no
    cdef readonly unsigned int thread_id
    cdef int decode(self, Cursor body, LogContext context) except -1
    @cython.locals(extra=int, padding=bytes)
    cdef int _read_extra(self, Cursor body) except -1

cdef class GtidList(Event):
    cdef readonly Py_ssize_t count
    cdef readonly unsigned int gl_flags
    cdef readonly list list
    @cython.locals(head=Py_ssize_t)
    cdef int decode(self, Cursor body, LogContext context) except -1

cdef class BinlogCheckpoint(Event):
    cdef readonly unsigned int binlog_file_len
    cdef readonly str binlog_file_name
    cdef int decode(self, Cursor body, LogContext context) except -1

cdef class PartialRowData(Event):
    cdef readonly unsigned int total_fragments, seq_no
    cdef readonly int fragment_flags
    cdef readonly unsigned long long original_size
    cdef readonly bytes fragment
    cdef int decode(self, Cursor body, LogContext context) except -1
