cimport cython
from binlogcli.events.event cimport Event
from binlogcli.events.noted cimport EventNoter
from binlogcli.log.context cimport LogContext
from binlogcli.log cimport kernel
from binlogcli.log.cursor cimport Cursor
from binlogcli.log.notes cimport Notes
from binlogcli.render.hexdump.label cimport Label
from binlogcli.render.hexdump.lines cimport Lines
from binlogcli.rows.out cimport Out

cdef int CONTENT, GROUP, SIGNED, UNSIGNED, KIND_SHIFT, PREFIX_SHIFT, DEPTH_MASK
cdef Py_ssize_t RECORD, GROUP_LIMIT

cdef class HexText:
    cdef readonly Out out
    cdef readonly object options
    cdef readonly Lines lines
    cdef readonly object labels
    cdef readonly EventNoter noter
    cdef readonly list wanted
    cdef Py_ssize_t text_limit
    cdef Event event
    cdef int type_code
    cdef dict header, columns, known
    cdef Py_ssize_t body_at
    cdef Py_ssize_t shift
    cdef Py_ssize_t content_depth
    cdef list contents
    cdef Py_ssize_t second
    cdef bytes time
    cdef list types
    cdef Py_ssize_t width
    cdef bytes bars
    cdef dict encoded
    cdef bint resumed
    @cython.locals(lines=Lines)
    cpdef bint put_event(self, Event event, LogContext context, object damage=*) except -1
    cdef int turn(self, Py_ssize_t shift, bint derived) except -1
    cdef put_event_heading(self, Event event, object damage)
    @cython.locals(cell=Out, out=Out, bars=Py_ssize_t, fill=Py_ssize_t)
    cdef bint put_short_heading(self, Event event) except -1
    @cython.locals(names=list, values=list, index=Py_ssize_t, at=Py_ssize_t, start=Py_ssize_t, end=Py_ssize_t,
                   form="long long", depth=Py_ssize_t, kind=int, label=Label, limit=Py_ssize_t)
    cpdef take_notes(self, Notes notes)
    @cython.locals(label=Label, in_header=bint)
    cdef Label label_of(self, object name, Py_ssize_t start)
    @cython.locals(cell=Out)
    cdef put_number(self, Label label, int kind, Py_ssize_t value)
    @cython.locals(lines=Lines)
    cdef put_object(self, Label label, object value, Py_ssize_t prefix, Py_ssize_t size, Py_ssize_t limit)
    @cython.locals(lines=Lines, quote=bint, raw=bytes)
    cdef put_str(self, Label label, str value, Py_ssize_t limit)
    cdef put_told(self, object told, Py_ssize_t limit)
    cdef put_length(self, Py_ssize_t size)
    @cython.locals(raw=bytes)
    cdef put_meaning(self, str words)
