cimport cython
from binlogcli.binary.text_buffer cimport TextBuffer

cdef TextBuffer _SCRATCH
cdef object _LARGEST
cdef dict _KEYS
cdef Py_ssize_t _MAX_KEYS, _WINDOW
cdef int _QUOTE

@cython.locals(begun=Py_ssize_t)
cpdef bytes json_bytes(object value)
cpdef put_json(TextBuffer out, object value)
cpdef int put_hex(TextBuffer out, object value) except -1
cdef int _put_other(TextBuffer out, object value) except -1
cdef int _put_integer(TextBuffer out, object value) except -1
cdef int _put_object(TextBuffer out, dict value) except -1
cdef int _put_array(TextBuffer out, object value) except -1
cpdef int put_number(TextBuffer out, double value) except -1
@cython.locals(raw=bytes)
cpdef put_json_str(TextBuffer out, str value)
@cython.locals(known=bytes)
cpdef int put_key(TextBuffer out, str key) except -1
