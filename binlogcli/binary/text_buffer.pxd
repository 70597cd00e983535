cimport cython
from binlogcli.binary cimport kernel
from binlogcli.binary.cursor cimport Cursor
from binlogcli.binary.digits cimport Digits

cdef Py_ssize_t _FIRST_SIZE, _LARGEST_KEPT, _FLUSH_AT
cdef Py_ssize_t _PIECE, _WINDOW
cdef int _QUOTE

@cython.final
cdef class TextBuffer:
    cdef readonly object buffer
    cdef unsigned char[::1] chars
    cdef readonly Py_ssize_t room
    cdef public Py_ssize_t size
    cdef const unsigned char[::1] digits
    cdef public object drain
    cdef public Py_ssize_t limit
    cdef public bint held
    cdef readonly Py_ssize_t drained
    cpdef int breathe(self) except -1
    @cython.locals(at=Py_ssize_t, size=Py_ssize_t)
    cpdef int put_long(self, bytes text) except -1
    cdef int ensure(self, Py_ssize_t more) except -1
    cdef int grow(self, Py_ssize_t more) except -1
    cpdef bint full(self)
    cpdef object content(self)
    cpdef int clear(self) except -1
    cpdef int put(self, bytes text) except -1
    cpdef int move(self, TextBuffer other) except -1
    cpdef int swap(self, TextBuffer other) except -1
    cpdef int put_char(self, unsigned char char) except -1
    cpdef int put_uint(self, unsigned long long value) except -1
    cpdef int put_int(self, Py_ssize_t value) except -1
    cpdef int put_padded(self, unsigned long long value, int width) except -1
    @cython.locals(place=int)
    cpdef int put_hex32(self, unsigned int value) except -1
    cpdef int put_digits(self, Digits digits) except -1
    @cython.locals(at=Py_ssize_t, byte="unsigned int")
    cpdef int put_hex(self, Cursor data, Py_ssize_t start, Py_ssize_t end) except -1
    @cython.locals(at=Py_ssize_t, begun=Py_ssize_t, stop=Py_ssize_t)
    cpdef bint put_json_chars(self, bytes data, Py_ssize_t start, Py_ssize_t end, bint allow_high) except -1
    @cython.locals(start=Py_ssize_t, end=Py_ssize_t, stop=Py_ssize_t)
    cpdef int put_json_part(self, bytes data) except -1

@cython.locals(absolute=cython.ulonglong)
cpdef unsigned long long negated(Py_ssize_t value)
