cimport cython
from binlogcli.events.event cimport Event
from binlogcli.events.noted cimport EventNoter
from binlogcli.log.context cimport LogContext
from binlogcli.log cimport kernel
from binlogcli.log.cursor cimport Cursor
from binlogcli.log.notes cimport Notes
from binlogcli.render.hexdump.label cimport Label
from binlogcli.render.hexdump.lines cimport Lines
from binlogcli.render.out cimport Out

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
    cdef str time
    cdef bint resumed
    @cython.locals(lines=Lines)
    cpdef bint put_event(self, Event event, LogContext context, object damage=*) except -1
    cdef int turn(self, Py_ssize_t shift, bint derived) except -1
    cdef put_event_heading(self, Event event, object damage)
    @cython.locals(names=list, values=list, index=Py_ssize_t, at=Py_ssize_t, start=Py_ssize_t, end=Py_ssize_t,
                   form="long long", depth=Py_ssize_t, kind=int, label=Label, limit=Py_ssize_t)
    cpdef take_notes(self, Notes notes)
    @cython.locals(label=Label, in_header=bint)
    cdef Label label_of(self, object name, Py_ssize_t start)
    @cython.locals(cell=Out)
    cdef put_number(self, Label label, int kind, Py_ssize_t value)
    @cython.locals(lines=Lines)
    cdef put_object(self, Label label, object value, Py_ssize_t prefix, Py_ssize_t size, Py_ssize_t limit)
    cdef put_length(self, Py_ssize_t size)
    cdef put_meaning(self, str words)
