cdef class LogContext:
    cdef readonly Py_ssize_t max_content
    cdef public object schema
    cdef readonly dict definitions
    cdef readonly dict tables
    cdef readonly dict status
    cdef readonly object format
    cdef readonly bint mariadb
    cpdef int meet(self, object log_format) except -1
    cpdef int remember(self, bytes key, object definition) except -1
    cpdef int remember_status(self, bytes key, object status) except -1
