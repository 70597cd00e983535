cimport cython
from binlogcli.log cimport kernel
from binlogcli.log.cursor cimport Cursor
from binlogcli.rows.out cimport Out

cdef int QUOTE, BACKSLASH, NO_ESCAPE
cdef const unsigned char[::1] ESCAPES

@cython.locals(at=Py_ssize_t, byte="unsigned int", escape="unsigned int")
cpdef bint put_string(Out out, Cursor data, Py_ssize_t start, Py_ssize_t end) except -1
cpdef int put_part(Out out, Out other, Py_ssize_t start, Py_ssize_t end) except -1
cpdef bint same_part(Out one, Py_ssize_t start, Py_ssize_t end, Out other, Py_ssize_t at) except -1
