from binlogcli.events.event cimport Event
from binlogcli.log.context cimport LogContext
from binlogcli.binary.cursor cimport Cursor

cdef class FormatDescription(Event):
    cdef readonly object format
    cdef readonly int binlog_version
    cdef readonly str server_version
    cdef readonly unsigned int created
    cdef readonly int common_header_len
    cdef readonly list post_header_len
    cdef readonly object checksum_alg
    cdef int decode(self, Cursor body, LogContext context) except -1

cdef class StartV3(Event):
    cdef readonly object format
    cdef readonly int binlog_version
    cdef readonly str server_version
    cdef readonly unsigned int created
    cdef int decode(self, Cursor body, LogContext context) except -1

cdef class Stop(Event):
    pass

cdef class Rotate(Event):
    cdef readonly unsigned long long pos
    cdef readonly str new_log_ident
    cdef int decode(self, Cursor body, LogContext context) except -1

cdef class Slave(Event):
    cdef readonly unsigned long long master_pos
    cdef readonly unsigned int master_port
    cdef readonly str master_host, master_log
    cdef int decode(self, Cursor body, LogContext context) except -1

cdef class Incident(Event):
    cdef readonly unsigned int incident
    cdef readonly int message_length
    cdef readonly str message
    cdef readonly Py_ssize_t first_checksum
    cdef int decode(self, Cursor body, LogContext context) except -1
    cdef int finish(self, Cursor body) except -1
    cpdef Py_ssize_t _checksum_before(self) except? -1

cdef class Heartbeat(Event):
    cdef readonly str log_ident
    cdef int decode(self, Cursor body, LogContext context) except -1

cdef class HeartbeatV2(Event):
    cdef readonly str log_filename
    cdef readonly unsigned long long log_position
    cdef int decode(self, Cursor body, LogContext context) except -1

cdef class Ignorable(Event):
    cdef readonly bytes data_bytes
    cdef int decode(self, Cursor body, LogContext context) except -1

cdef class StartEncryption(Event):
    cdef readonly unsigned int crypto_scheme, key_version
    cdef readonly bytes nonce
    cdef int decode(self, Cursor body, LogContext context) except -1
