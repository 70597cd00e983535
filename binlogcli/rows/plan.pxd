cimport cython
from binlogcli.rows.column cimport Column

@cython.final
cdef class TablePlan:
    cdef readonly object definition
    cdef readonly list columns
    cdef readonly str reason
    cdef readonly bytes key
    cdef readonly unsigned int map_flags
    cdef readonly Py_ssize_t width, weight
    cdef readonly list names, json_columns, ambiguous
    cdef readonly dict solved
    cdef dict by_bitmap
    cpdef int come_from(self, bytes key, unsigned int map_flags) except -1
    cpdef list present(self, bytes bitmap)
