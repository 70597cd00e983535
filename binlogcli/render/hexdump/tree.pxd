cimport cython
from binlogcli.binary.explained cimport Explained
from binlogcli.binary.json_writer cimport put_json
from binlogcli.binary.notes cimport Notes
from binlogcli.binary.text_buffer cimport TextBuffer
from binlogcli.events.again.noted cimport EventNoter
from binlogcli.events.event cimport Event
from binlogcli.log.context cimport LogContext
from binlogcli.render.hexdump.words.label cimport Label
from binlogcli.rows.column cimport Column

cdef int CONTENT, SIGNED, UNSIGNED, KIND_SHIFT, PREFIX_SHIFT, DEPTH_MASK
cdef int TEXT, TRANSACTION_PAYLOAD_EVENT
cdef Py_ssize_t RECORD, LONG

cdef class HexJson:
    cdef readonly TextBuffer out
    cdef readonly object options
    cdef readonly object finder
    cdef readonly object labels
    cdef readonly EventNoter noter
    cdef readonly object problem
    cdef bytes file
    cdef object offset_of
    cdef Event event
    cdef list counts, content_depth
    cdef Py_ssize_t payload, payload_size, inner
    cdef bytes tail
    cpdef bint put_event(self, Event event, LogContext context, object damage=*) except -1
    cdef bint _put_event(self, Event event, LogContext context, object damage) except -1
    cdef bint _begin_item(self, Py_ssize_t start, Py_ssize_t end, Py_ssize_t within) except -1
    @cython.locals(index=Py_ssize_t)
    cpdef take_notes(self, Notes notes)
    @cython.locals(kind=int)
    cdef object _value_at(self, Notes notes, Py_ssize_t index)
    cdef bint _opens_payload(self, Notes notes, Py_ssize_t index) except -1
    @cython.locals(rest=Py_ssize_t)
    cdef _put_tail(self, Notes notes, Py_ssize_t index)
    @cython.locals(out=TextBuffer, at=Py_ssize_t, start=Py_ssize_t, end=Py_ssize_t, form="long long", depth=Py_ssize_t,
                   kind=int, shift=Py_ssize_t)
    cdef int _put_field(self, Notes notes, Py_ssize_t index, object value) except -1
    cdef int _close_to(self, Py_ssize_t depth) except -1
    @cython.locals(out=TextBuffer)
    cdef int _put_description(self, str name, object value, str meaning) except -1
    cdef int _put_damage(self, str reason) except -1
    @cython.locals(label=Label, in_header=bint)
    cpdef tuple explained(self, object name, object value, Py_ssize_t start)
