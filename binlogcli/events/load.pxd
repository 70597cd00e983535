from binlogcli.events.event cimport Event
from binlogcli.events.statements cimport Query
from binlogcli.log.context cimport LogContext
from binlogcli.binary.cursor cimport Cursor

cdef int LOAD_EVENT

cdef class Load(Event):
    cdef readonly unsigned int thread_id, exec_time, skip_lines
    cdef readonly int table_len, db_len
    cdef readonly unsigned int num_fields
    cdef readonly dict options
    cdef readonly list field_names
    cdef readonly str table_name, db, fname
    cdef int decode(self, Cursor body, LogContext context) except -1
    cdef int _read_head(self, Cursor body) except -1
    cdef int _read_names(self, Cursor body) except -1

cdef class CreateFile(Load):
    cdef readonly unsigned int file_id
    cdef readonly bytes block
    cdef int decode(self, Cursor body, LogContext context) except -1

cdef class FileBlock(Event):
    cdef readonly unsigned int file_id
    cdef readonly bytes block
    cdef int decode(self, Cursor body, LogContext context) except -1

cdef class FileEnd(Event):
    cdef readonly unsigned int file_id
    cdef int decode(self, Cursor body, LogContext context) except -1

cdef class ExecuteLoadQuery(Query):
    cdef readonly unsigned int file_id, fn_pos_start, fn_pos_end
    cdef readonly int dup_handling
    cdef int _special_header(self, Cursor body) except -1
