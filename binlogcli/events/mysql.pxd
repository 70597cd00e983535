cimport cython
from binlogcli.events.event cimport Event
from binlogcli.log.context cimport LogContext
from binlogcli.binary.cursor cimport Cursor

cdef int ANONYMOUS_GTID_LOG_EVENT
cdef Py_ssize_t _GTID_OF_5_6

cdef class MysqlGtid(Event):
    cdef readonly bint is_commit_flag
    cdef readonly object gtid_flag_bits
    cdef readonly str sid, tag
    cdef readonly Py_ssize_t gno
    cdef readonly object last_committed, sequence_number, immediate_commit_timestamp, original_commit_timestamp
    cdef readonly object transaction_length, immediate_server_version, original_server_version, commit_group_ticket
    cdef int decode(self, Cursor body, LogContext context) except -1
    cdef int _forget(self) except -1
    cdef _read_times(self, Cursor body)

cdef class MysqlTaggedGtid(MysqlGtid):
    @cython.locals(uuid=bytes, found=dict)
    cdef int decode(self, Cursor body, LogContext context) except -1

cdef class PreviousGtids(Event):
    cdef readonly object gtid_set
    cdef int decode(self, Cursor body, LogContext context) except -1

cdef class TransactionContext(Event):
    cdef readonly str server_uuid
    cdef readonly unsigned int thread_id
    cdef readonly bint gtid_specified
    cdef readonly str snapshot_version
    cdef readonly list write_set, read_set
    cdef int decode(self, Cursor body, LogContext context) except -1

cdef class ViewChange(Event):
    cdef readonly str view_id
    cdef readonly unsigned long long seq_number
    cdef readonly dict certification_info
    cdef int decode(self, Cursor body, LogContext context) except -1

cdef class TransactionPayload(Event):
    cdef readonly Py_ssize_t payload_size, compression_type
    cdef readonly object uncompressed_size
    cdef readonly bytes payload
    @cython.locals(kind=Py_ssize_t, size=Py_ssize_t, end=Py_ssize_t)
    cdef int decode(self, Cursor body, LogContext context) except -1

cdef class LargeTransactionHeader(Event):
    cdef readonly int version
    cdef readonly unsigned long long terminating_event_offset
    cdef readonly int terminating_event_type
    cdef int decode(self, Cursor body, LogContext context) except -1
