cimport cython
from binlogcli.binary.text_buffer cimport TextBuffer

cdef TextBuffer SCRATCH
cdef object LARGEST
cdef dict KEYS
cdef Py_ssize_t MAX_KEYS

@cython.locals(begun=Py_ssize_t)
cpdef bytes json_bytes(object value)
cpdef put_json(TextBuffer out, object value)
cdef int put_integer(TextBuffer out, object value) except -1
cdef int put_object(TextBuffer out, dict value) except -1
cdef int put_array(TextBuffer out, object value) except -1
cpdef int put_number(TextBuffer out, double value) except -1
@cython.locals(raw=bytes)
cpdef put_json_str(TextBuffer out, str value)
@cython.locals(known=bytes)
cpdef int put_key(TextBuffer out, str key) except -1
