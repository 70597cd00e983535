cimport cython
from binlogcli.render.hexdump.drawing.pen cimport Pen
from binlogcli.binary.text_buffer cimport TextBuffer

cdef int _SPACE, _TILDE, _NEWLINE, _RETURN, _TAB, _LETTER_N, _LETTER_R, _LETTER_T, _QUOTE, _BACKSLASH, _ZERO, _LETTER_A
cdef Py_ssize_t _HANGING, _NO_MEANING, _LEAST_DIGITS

@cython.final
cdef class Cell:
    cdef readonly Pen pen
    cdef readonly TextBuffer text
    cdef list styles
    cdef Py_ssize_t depth
    cdef bytes name
    cdef Py_ssize_t name_width
    cdef int kind
    cdef Py_ssize_t meaning_at
    cdef public bint wide
    cdef Py_ssize_t indent, room, name_room, value_room, field_at, field_room, body_width
    cpdef int take_layout(self, object layout) except -1
    cpdef int begin(self, bytes name, Py_ssize_t width, Py_ssize_t depth, int kind) except -1
    @cython.locals(over=Py_ssize_t)
    cdef bint fits(self, Py_ssize_t size) except -1
    cpdef int add_text(self, str text) except -1
    @cython.locals(cell=TextBuffer, looked_at=Py_ssize_t, shown=Py_ssize_t, view="const unsigned char[::1]", at=Py_ssize_t,
                   begun=Py_ssize_t, index=Py_ssize_t, byte="unsigned int")
    cdef bint put_clean(self, bytes raw, Py_ssize_t size, Py_ssize_t limit, bint quote) except -1
    @cython.locals(text=TextBuffer, digits=int, digit=int)
    cdef int put_hex(self, unsigned long long value, Py_ssize_t size) except -1
    @cython.locals(cell=TextBuffer, gap=Py_ssize_t)
    cpdef int begin_meaning(self, Py_ssize_t size) except -1
    @cython.locals(text_at=Py_ssize_t)
    cdef int put_all(self, Py_ssize_t used) except -1
    @cython.locals(pen=Pen, size=Py_ssize_t, upto=Py_ssize_t, room=Py_ssize_t)
    cdef Py_ssize_t put_first(self, Py_ssize_t used) except? -1
    @cython.locals(upto=Py_ssize_t)
    cdef Py_ssize_t put_next(self, Py_ssize_t used, Py_ssize_t text_at) except? -1
    @cython.locals(wider=Py_ssize_t)
    cdef _arrange(self)
    cdef Py_ssize_t _meaning_size(self) except? -1
    @cython.locals(chars="unsigned char[::1]", size=Py_ssize_t, found=Py_ssize_t, begun=Py_ssize_t, at=Py_ssize_t)
    cdef Py_ssize_t _longest(self, Py_ssize_t limit) except? -1
    cdef Py_ssize_t _after_spaces(self, Py_ssize_t at) except? -1
    @cython.locals(out=TextBuffer, text=TextBuffer, split=Py_ssize_t)
    cdef put_text(self, Py_ssize_t start, Py_ssize_t end)
    @cython.locals(text=TextBuffer, size=Py_ssize_t, meaning=Py_ssize_t, at=Py_ssize_t, after=Py_ssize_t)
    cdef Py_ssize_t _break_at(self, Py_ssize_t start, Py_ssize_t room) except? -1
    @cython.locals(at=Py_ssize_t)
    cdef Py_ssize_t _joint_before(self, Py_ssize_t start, Py_ssize_t end) except? -1
    @cython.locals(used=Py_ssize_t, at=Py_ssize_t, upto=Py_ssize_t, space=Py_ssize_t)
    cdef Py_ssize_t _break_wide(self, Py_ssize_t start, Py_ssize_t room) except? -1
