cimport cython
from binlogcli.rows.plan cimport TablePlan

@cython.final
cdef class RowImages:
    cdef public TablePlan plan
    cdef public bytes data
    cdef public int operation
    cdef public bytes before
    cdef public bytes after
    cdef public Py_ssize_t start
    cdef public Py_ssize_t end
    cdef public bint partial
