cimport cython
from binlogcli.binary cimport kernel
from binlogcli.binary.cursor cimport Cursor

cdef int _OVER_MAX_DBS, _TWO_PHASE_ALTER
cdef int _Q_FLAGS2, _Q_SQL_MODE, _Q_CATALOG, _Q_AUTO_INCREMENT, _Q_CHARSET, _Q_TIME_ZONE, _Q_CATALOG_NZ
cdef int _Q_INVOKER, _Q_UPDATED_DB_NAMES, _Q_HRNOW, _Q_XID, _Q_GTID_FLAGS3, _Q_CHARACTER_SET_COLLATIONS
cdef list _NAMES

@cython.final
cdef class StatusVars:
    cdef public object flags2, sql_mode, catalog, auto_increment_increment, auto_increment_offset, character_set_client
    cdef public object collation_connection, collation_server, time_zone, lc_time_names_number, charset_database_number
    cdef public object table_map_for_update, master_data_written, invoker_user, invoker_host, updated_db_names
    cdef public object microseconds, explicit_defaults_for_timestamp, ddl_xid, default_collation_for_utf8mb4
    cdef public object sql_require_primary_key, default_table_encryption, enable_cascade_triggers, hrnow, xid
    cdef public object gtid_flags_extra, sa_seq_no, character_set_collations, dummy, unknown
    cdef public bint rare
    @cython.locals(code=int, name=str)
    cdef read(self, Cursor body)
    cdef int _read_usual(self, Cursor body, int code) except -1
    @cython.locals(flags=int)
    cdef _read_rare(self, Cursor body, int code)

@cython.locals(end=Py_ssize_t, found=StatusVars)
cpdef StatusVars read_status_vars(Cursor body, Py_ssize_t size)
