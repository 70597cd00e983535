cimport cython
from binlogcli.binary cimport kernel
from binlogcli.binary.cursor cimport Cursor
from binlogcli.binary.text_buffer cimport TextBuffer

cdef int _QUOTE, _BACKSLASH, _NO_ESCAPE
cdef Py_ssize_t _WINDOW
cdef const unsigned char[::1] _ESCAPES

@cython.locals(at=Py_ssize_t, byte="unsigned int", escape="unsigned int")
cpdef bint put_string(TextBuffer out, Cursor data, Py_ssize_t start, Py_ssize_t end) except -1
cpdef int put_part(TextBuffer out, TextBuffer other, Py_ssize_t start, Py_ssize_t end) except -1
cpdef bint same_part(TextBuffer one, Py_ssize_t start, Py_ssize_t end, TextBuffer other, Py_ssize_t at) except -1
