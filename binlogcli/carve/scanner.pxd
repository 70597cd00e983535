cimport cython
from binlogcli.binary cimport kernel
from binlogcli.carve cimport shapes
from binlogcli.carve.window cimport Window, link_of, number_at

cdef Py_ssize_t WINDOW, AHEAD, LARGEST, SMALL, _BEFORE_HOLE_END
cdef unsigned long long _MASK32
cdef int UNKNOWN_FLAGS, NO_LINK, LINKED, LINKED_BY_STARTS, _ARTIFICIAL, _RELAY, _MAGIC_SIZE, _PLAIN, _SUMMED, _LED
cdef int FORMAT_DESCRIPTION_EVENT, START_EVENT_V3, ROTATE_EVENT, STOP_EVENT, HEADER_SIZE, CHECKSUM_SIZE

cpdef Py_ssize_t find_in(bytes data, Py_ssize_t at, Py_ssize_t stop, Py_ssize_t left) except -2
cpdef int shape_in(bytes data, Py_ssize_t at, Py_ssize_t left) except -1

@cython.final
cdef class Scanner(Window):
    cdef readonly bint unproven
    cdef const unsigned char[::1] known
    cdef readonly list fragments, guesses
    cdef Py_ssize_t summed_end, offset, shift, count
    cdef unsigned long long summed_pos, last_pos
    cdef bint over, placed, anchored, chained, relay, summed, starts, begins, retracted
    cdef Py_ssize_t first_time, last_time, server
    cdef int last_type
    cdef dict servers
    cdef bytearray types
    cdef object log_format
    cdef int forget(self) except -1
    @cython.locals(offset=Py_ssize_t, data=Py_ssize_t)
    cpdef list scan(self)
    @cython.locals(last=bint, stop=Py_ssize_t, found=Py_ssize_t, left=Py_ssize_t)
    cdef Py_ssize_t sweep(self) except -1
    @cython.locals(offset=Py_ssize_t)
    cdef bint take_run(self) except -1
    cdef int keep_run(self) except -1
    @cython.locals(code=int, length=Py_ssize_t, offset=Py_ssize_t)
    cdef bint begin_run(self) except -1
    cdef bint counts_on_from_sums(self, Py_ssize_t offset) except -1
    @cython.locals(offset=Py_ssize_t, length=Py_ssize_t, size=Py_ssize_t)
    cdef bint leads_to_sums(self) except -1
    @cython.locals(at=int, shape=int)
    cdef bint is_chain(self, Py_ssize_t offset) except -1
    @cython.locals(found=int)
    cdef int link(self, bytes header, bytes following) except -1
    @cython.locals(length=Py_ssize_t, position=Py_ssize_t, start=Py_ssize_t)
    cdef int guess(self, Py_ssize_t offset) except -1
    cdef bint miss(self, Py_ssize_t offset) except -1
    @cython.locals(at=Py_ssize_t, code=int, length=Py_ssize_t)
    cdef bint take_event(self) except -1
    @cython.locals(log_pos="unsigned long long", end=Py_ssize_t)
    cdef bint continues(self, Py_ssize_t length) except -1
    @cython.locals(offset=Py_ssize_t, end=Py_ssize_t, shape=int)
    cdef bint is_linked(self, Py_ssize_t length) except -1
    @cython.locals(
        view="const unsigned char[::1]", at=Py_ssize_t, end=Py_ssize_t, position="unsigned long long",
        next_length="unsigned long long", linked=bint)
    cdef bint links_at_hand(self, Py_ssize_t length) except -1
    @cython.locals(offset=Py_ssize_t)
    cdef bint take_format(self, int code, Py_ssize_t length) except -1
    cdef object read_format(self, int code, Py_ssize_t length)
    @cython.locals(offset=Py_ssize_t, end=Py_ssize_t, size=Py_ssize_t, stored=Py_ssize_t)
    cdef bint is_followed(self, Py_ssize_t length) except -1
    @cython.locals(at=Py_ssize_t, time=Py_ssize_t, server=Py_ssize_t, own=bint)
    cdef int note(self, Py_ssize_t length) except -1
