cimport cython
from binlogcli.rows.plan cimport TablePlan

@cython.final
cdef class RowImages:
    cdef public TablePlan plan
    cdef public bytes data
    cdef public int operation
    cdef public bytes before, after
    cdef public Py_ssize_t start, end
    cdef public bint partial
    cdef public object record
