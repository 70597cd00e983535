cimport cython
from binlogcli.rows.column cimport Column

@cython.final
cdef class TablePlan:
    cdef readonly object definition
    cdef readonly list columns
    cdef readonly str reason
    cdef public bytes key
    cdef public unsigned int map_flags
    cdef readonly Py_ssize_t width
    cdef readonly list names, json_columns, ambiguous
    cdef readonly dict solved
    cdef dict by_bitmap
    cpdef list present(self, bytes bitmap)
