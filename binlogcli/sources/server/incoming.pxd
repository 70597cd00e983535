cimport cython
from binlogcli.binary cimport kernel
from binlogcli.sources.server.checksums cimport EventChecksums

cdef int LARGEST_MARK, LARGEST_CHUNK, PACKET_HEADER, EVENT_HEADER
cdef Py_ssize_t MASK32
cdef int EOF, ERR, LONGEST_EOF, ACK_WANTED
cdef int FORMAT_DESCRIPTION_EVENT, START_ENCRYPTION_EVENT, HEARTBEAT_LOG_EVENT, HEARTBEAT_LOG_EVENT_V2, ARTIFICIAL_FLAG
cdef int ROTATE_EVENT, GTID_EVENT, GTID_LOG_EVENT, GTID_TAGGED_LOG_EVENT

@cython.final
cdef class Incoming:
    cdef readonly Py_ssize_t max_event_size
    cdef readonly bint placed
    cdef EventChecksums sums
    cdef object buffer
    cdef const unsigned char[::1] view
    cdef Py_ssize_t start, end
    cdef unsigned char[::1] out
    cdef readonly Py_ssize_t ready, marks
    cdef Py_ssize_t chunk_left, event_left
    cdef bint goes_on, wants_ack, told_group
    cdef Py_ssize_t mark_start, mark_end, now
    cdef readonly int last_type
    cdef bint completed
    cdef int open_type
    cdef readonly Py_ssize_t offset, boundary, skip_to, events, delay_sum, delay_max

    cpdef begin(self, Py_ssize_t position, Py_ssize_t skip_to)
    cpdef Py_ssize_t proven(self) except? -1
    cpdef know(self, Py_ssize_t size)
    @cython.locals(left=Py_ssize_t)
    cpdef object space(self)
    cpdef filled(self, Py_ssize_t count, Py_ssize_t now)
    cpdef bytes take(self)
    cpdef bytes mark(self)
    cpdef int advance(self) except -1
    @cython.locals(value=Py_ssize_t)
    cdef Py_ssize_t number(self, Py_ssize_t at, int size) except? -1
    @cython.locals(at=Py_ssize_t, have=Py_ssize_t, event=Py_ssize_t, size=Py_ssize_t, length=Py_ssize_t, wants_ack=bint)
    cdef int open_packets(self) except -1
    cdef bint needs_more(self, Py_ssize_t event, Py_ssize_t end) except -1
    cdef int begin_event(self, Py_ssize_t event, Py_ssize_t size, Py_ssize_t length) except -1
    @cython.locals(size=Py_ssize_t)
    cdef int short_of(self, Py_ssize_t at) except -1
    @cython.locals(inside=Py_ssize_t)
    cdef check_lengths(self, Py_ssize_t size, Py_ssize_t length)
    @cython.locals(code=int)
    cdef bint is_mark(self, Py_ssize_t event) except -1
    @cython.locals(code=int)
    cdef bint begins_group(self, Py_ssize_t event) except -1
    cdef int tell_group(self, Py_ssize_t event, Py_ssize_t length, Py_ssize_t after) except -1
    @cython.locals(log_pos=Py_ssize_t, missing=Py_ssize_t)
    cdef check_place(self, Py_ssize_t event, Py_ssize_t length)
    cdef put_withheld(self, Py_ssize_t event, Py_ssize_t size)
    @cython.locals(timestamp=Py_ssize_t, delay=Py_ssize_t)
    cdef count(self, Py_ssize_t event)
    @cython.locals(known=Py_ssize_t)
    cdef put(self, Py_ssize_t at, Py_ssize_t size)
    @cython.locals(size=Py_ssize_t)
    cdef bint pass_on(self) except -1
    @cython.locals(size=Py_ssize_t, start=Py_ssize_t, end=Py_ssize_t, status=int)
    cdef int open_mark(self, Py_ssize_t at) except -1
    @cython.locals(first=bint, code=int)
    cdef int open_event_mark(self, Py_ssize_t size) except -1
