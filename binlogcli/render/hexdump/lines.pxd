cimport cython
from binlogcli.log cimport kernel
from binlogcli.log.cursor cimport Cursor
from binlogcli.rows.out cimport Out

cdef int SPACE, DOT, PLUS, OPEN_BRACKET, CLOSE_BRACKET, NEWLINE, RETURN, TAB, TILDE, STEP
cdef int LETTER_N, LETTER_R, LETTER_T, QUOTE, BACKSLASH
cdef int PLAIN, PREFIX, MARKED, ZERO
cdef Py_ssize_t NARROW_OFFSETS, BLANKS

@cython.final
cdef class Lines:
    cdef readonly Out out
    cdef readonly Out cell
    cdef readonly bint painted
    cdef readonly Py_ssize_t max_bytes
    cdef const unsigned char[::1] digits
    cdef const unsigned char[::1] blank
    cdef public Cursor source
    cdef public Py_ssize_t shift
    cdef public bint derived
    cdef public list hits
    cdef list styles
    cdef Py_ssize_t depth
    cdef bytes name
    cdef Py_ssize_t name_width
    cdef int kind
    cdef public Py_ssize_t prefix
    cdef Py_ssize_t meaning_at
    cdef public bint wide
    cdef readonly object layout
    cdef Py_ssize_t per_line, offset_width, hex_width, name_room, value_room, field_at, field_room, body_width
    cpdef int take_layout(self, object layout) except -1
    cpdef int place(self, Py_ssize_t offset) except -1
    cpdef int begin(self, bytes name, Py_ssize_t width, Py_ssize_t depth, int kind) except -1
    @cython.locals(over=Py_ssize_t)
    cdef bint fits(self, Py_ssize_t size) except -1
    cpdef int add_text(self, str text) except -1
    @cython.locals(cell=Out, size=Py_ssize_t, shown=Py_ssize_t, view="const unsigned char[::1]", at=Py_ssize_t,
                   begun=Py_ssize_t, index=Py_ssize_t, byte="unsigned int")
    cdef bint put_clean(self, bytes raw, Py_ssize_t looked_at, Py_ssize_t limit, bint quote) except -1
    @cython.locals(cell=Out, gap=Py_ssize_t)
    cpdef int begin_meaning(self, Py_ssize_t size) except -1
    cpdef int put_group(self, Py_ssize_t start) except -1
    @cython.locals(shown=Py_ssize_t, cell=Out, at=Py_ssize_t, text_at=Py_ssize_t, first=bint, upto=Py_ssize_t, used=Py_ssize_t)
    cpdef put_leaf(self, Py_ssize_t start, Py_ssize_t end)
    @cython.locals(at=Py_ssize_t, first=Py_ssize_t, last=Py_ssize_t, line=Py_ssize_t, upto=Py_ssize_t)
    cdef put_squeezed(self, Py_ssize_t start, Py_ssize_t shown, Py_ssize_t end)
    cpdef put_left_out(self, Py_ssize_t count)
    @cython.locals(out=Out, offset=Py_ssize_t, place=Py_ssize_t, count=Py_ssize_t)
    cdef int put_offset(self, Py_ssize_t at) except -1
    @cython.locals(out=Out, view="const unsigned char[::1]", hex_at=Py_ssize_t, text_at=Py_ssize_t, at=Py_ssize_t,
                   count=Py_ssize_t, byte="unsigned int")
    cdef put_bytes(self, Py_ssize_t start, Py_ssize_t end, Py_ssize_t since)
    @cython.locals(first=Py_ssize_t, last=Py_ssize_t, low=Py_ssize_t, high=Py_ssize_t)
    cdef int bracket(self, Py_ssize_t hex_at, Py_ssize_t start, Py_ssize_t end) except -1
    @cython.locals(out=Out, at=Py_ssize_t, used=Py_ssize_t, forms=list)
    cdef put_painted(self, Py_ssize_t start, Py_ssize_t end, Py_ssize_t since)
    @cython.locals(first=Py_ssize_t, last=Py_ssize_t)
    cdef int form_of(self, Py_ssize_t at, Py_ssize_t since) except -1
    @cython.locals(out=Out, current=int, form=int, at=Py_ssize_t, byte="unsigned int")
    cdef int put_run(self, Py_ssize_t start, list forms, bint hexed) except -1
    cdef bytes style_of(self, int form)
    @cython.locals(text_at=Py_ssize_t)
    cdef int put_cell(self, Py_ssize_t used) except -1
    @cython.locals(out=Out, cell=Out, room=Py_ssize_t, upto=Py_ssize_t)
    cdef Py_ssize_t put_piece(self, Py_ssize_t used, Py_ssize_t text_at, bint first) except -1
    @cython.locals(out=Out, cell=Out, split=Py_ssize_t)
    cdef put_text(self, Py_ssize_t start, Py_ssize_t end)
    @cython.locals(out=Out)
    cdef int copy_cell(self, Py_ssize_t start, Py_ssize_t end) except -1
    @cython.locals(size=Py_ssize_t, at=Py_ssize_t, after=Py_ssize_t)
    cdef Py_ssize_t break_at(self, Py_ssize_t start, Py_ssize_t room) except -1
    @cython.locals(used=Py_ssize_t, at=Py_ssize_t, upto=Py_ssize_t)
    cdef Py_ssize_t break_wide(self, Py_ssize_t start, Py_ssize_t room) except -1
    cpdef int paint(self, bytes style) except -1
    cpdef int unpaint(self) except -1
    cdef int unpaint_if(self, bint painted) except -1
    @cython.locals(out=Out, part=Py_ssize_t)
    cpdef put_spaces(self, Py_ssize_t count)
