cimport cython
from binlogcli.binary.cursor cimport Cursor
from binlogcli.binary.notes cimport Notes

cdef Py_ssize_t _COLUMNS_KEPT, _NOTES_KEPT, _MAP_BYTES_KEPT

@cython.final
cdef class LogContext:
    cdef readonly Py_ssize_t max_content
    cdef public object catalog
    cdef readonly dict plans, tables, maps, noted
    cdef Py_ssize_t planned, named, note_count, map_bytes
    cdef readonly object format
    cdef readonly bint mariadb
    cdef readonly int binlog_version
    cdef readonly const unsigned char[::1] post_headers
    cpdef int meet(self, object log_format) except -1
    cpdef int remember(self, bytes key, object plan) except -1
    cpdef int forget_tables(self) except -1
    cpdef int name_table(self, unsigned long long table_id, object plan) except -1
    cdef _drop_plans(self)
    cpdef int plan_anew(self, object names) except -1
    cpdef object table(self, unsigned long long table_id)

@cython.locals(notes=Notes, saved=Notes, start=Py_ssize_t, first=Py_ssize_t, end=Py_ssize_t)
cpdef note_once(Cursor body, LogContext context, str kind, bytes raw, object read)
