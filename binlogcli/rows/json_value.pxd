cimport cython
from binlogcli.rows.out cimport Out

cdef Out SCRATCH
cdef object LARGEST
cdef dict KEYS
cdef Py_ssize_t MAX_KEYS

@cython.locals(begun=Py_ssize_t)
cpdef bytes json_bytes(object value)
cpdef put_json(Out out, object value)
cdef int put_integer(Out out, object value) except -1
cdef int put_object(Out out, dict value) except -1
cdef int put_array(Out out, object value) except -1
cpdef int put_number(Out out, double value) except -1
@cython.locals(raw=bytes)
cpdef put_json_str(Out out, str value)
@cython.locals(known=bytes)
cpdef int put_key(Out out, str key) except -1
