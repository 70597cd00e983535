cimport cython
from binlogcli.events.event cimport Event
from binlogcli.events.again.noted cimport EventNoter
from binlogcli.log.context cimport LogContext
from binlogcli.binary.cursor cimport Cursor
from binlogcli.binary.notes cimport Notes
from binlogcli.binary.explained cimport Explained
from binlogcli.render.hexdump.drawing.cell cimport Cell
from binlogcli.render.hexdump.headings cimport Headings
from binlogcli.render.hexdump.drawing.hex_side cimport HexSide
from binlogcli.render.hexdump.words.label cimport Label
from binlogcli.render.hexdump.drawing.lines cimport Lines
from binlogcli.binary.text_buffer cimport TextBuffer

cdef int CONTENT, GROUP, SIGNED, UNSIGNED, KIND_SHIFT, PREFIX_SHIFT, DEPTH_MASK
cdef Py_ssize_t RECORD, _GROUP_LIMIT, _POSITION_MASK
cdef unsigned long long _UNSIGNED_MASK

cdef class HexText:
    cdef readonly TextBuffer out
    cdef readonly object options
    cdef readonly Lines lines
    cdef readonly Headings headings
    cdef readonly object labels
    cdef readonly EventNoter noter
    cdef readonly list wanted
    cdef readonly object finder
    cdef Cell cell
    cdef Py_ssize_t text_limit
    cdef Event event
    cdef int type_code
    cdef dict header, columns, known
    cdef Py_ssize_t body_at, content_depth
    cdef list contents
    cdef dict encoded
    cdef readonly object problem
    @cython.locals(begun=Py_ssize_t)
    cpdef bint put_event(self, Event event, LogContext context, object damage=*) except -1
    @cython.locals(lines=Lines, side=HexSide, source=Cursor)
    cdef bint _draw_event(self, Event event, LogContext context, object damage) except -1
    @cython.locals(names=list, values=list, index=Py_ssize_t, at=Py_ssize_t, start=Py_ssize_t, end=Py_ssize_t,
                   form="long long", depth=Py_ssize_t, kind=int, label=Label, limit=Py_ssize_t, prefix=Py_ssize_t)
    cpdef take_notes(self, Notes notes)
    @cython.locals(side=HexSide)
    cdef enter_content(self, Py_ssize_t depth, object content)
    @cython.locals(side=HexSide)
    cdef leave_content(self)
    @cython.locals(label=Label, in_header=bint)
    cdef Label _label_of(self, object name, Py_ssize_t start)
    @cython.locals(text=TextBuffer)
    cdef put_number(self, Label label, int kind, Py_ssize_t value, Py_ssize_t size)
    @cython.locals(cell=Cell)
    cdef put_object(self, Label label, object value, Py_ssize_t prefix, Py_ssize_t size, Py_ssize_t limit)
    @cython.locals(length=Py_ssize_t, quote=bint)
    cdef _put_str(self, Label label, object value, Py_ssize_t limit)
    @cython.locals(shown=str)
    cdef _put_explained(self, Explained explained, Py_ssize_t limit)
    @cython.locals(cell=Cell)
    cdef _put_length(self, object value, Py_ssize_t size)
    cdef _put_meaning(self, str words)
    @cython.locals(raw=bytes)
    cdef _put_words(self, str words)
