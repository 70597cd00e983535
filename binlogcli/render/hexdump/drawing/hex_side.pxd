cimport cython
from binlogcli.binary cimport kernel
from binlogcli.binary.cursor cimport Cursor
from binlogcli.render.hexdump.drawing.pen cimport Pen
from binlogcli.binary.text_buffer cimport TextBuffer

cdef int _SPACE, _DOT, _PLUS, _TILDE, _OPEN_BRACKET, _CLOSE_BRACKET, _STEP
cdef int _PLAIN, _PREFIX, _MARKED, _ZERO

@cython.final
cdef class HexSide:
    cdef readonly Pen pen
    cdef const unsigned char[::1] digits
    cdef const unsigned char[::1] blank
    cdef public Cursor source
    cdef public Py_ssize_t shift
    cdef public bint derived
    cdef public list hits
    cdef list styles
    cdef int kind
    cdef Py_ssize_t prefix, per_line, offset_width, hex_width
    cpdef int take_layout(self, object layout) except -1
    @cython.locals(out=TextBuffer, offset=Py_ssize_t, place=Py_ssize_t, count=Py_ssize_t)
    cdef int put_offset(self, Py_ssize_t at) except -1
    @cython.locals(out=TextBuffer, view="const unsigned char[::1]", hex_at=Py_ssize_t, text_at=Py_ssize_t, at=Py_ssize_t,
                   count=Py_ssize_t, byte="unsigned int", chars="unsigned char[::1]", digits="const unsigned char[::1]")
    cdef put_bytes(self, Py_ssize_t start, Py_ssize_t end, Py_ssize_t since)
    @cython.locals(chars="unsigned char[::1]", first=Py_ssize_t, last=Py_ssize_t, low=Py_ssize_t, high=Py_ssize_t)
    cdef int _bracket(self, Py_ssize_t hex_at, Py_ssize_t start, Py_ssize_t end) except -1
    @cython.locals(at=Py_ssize_t, used=Py_ssize_t, forms=list)
    cdef _put_painted(self, Py_ssize_t start, Py_ssize_t end, Py_ssize_t since)
    @cython.locals(first=Py_ssize_t, last=Py_ssize_t)
    cdef int _form_of(self, Py_ssize_t at, Py_ssize_t since) except -1
    @cython.locals(out=TextBuffer, current=int, form=int, at=Py_ssize_t, byte="unsigned int")
    cdef int _put_run(self, Py_ssize_t start, list forms, bint hexed) except -1
    cdef bytes _style_of(self, int form)
