cimport cython
from binlogcli.binary cimport kernel
from binlogcli.carve cimport shapes

cdef Py_ssize_t _WINDOW, _AHEAD, _BEFORE_HOLE_END, _LARGEST, _EFFORT, _SMALL, _SMALL_EFFORT, _LONG_EFFORT
cdef unsigned long long _MASK32
cdef int _UNKNOWN_FLAGS, _IN_USE, _ARTIFICIAL, _RELAY, _MAGIC_SIZE, _PLAIN, _SUMMED, _LED, _NO_LINK, _NEUTRAL, _LINKED
cdef int FORMAT_DESCRIPTION_EVENT, START_EVENT_V3, ROTATE_EVENT, STOP_EVENT
cdef int HEADER_SIZE, CHECKSUM_SIZE

cdef Py_ssize_t _number(data, Py_ssize_t at) except -1

@cython.final
cdef class Scanner:
    cdef readonly object image
    cdef Py_ssize_t file_size
    cdef bint unproven
    cdef bytearray buffer
    cdef const unsigned char[::1] view, known
    cdef Py_ssize_t base, size, at
    cdef readonly list fragments, guesses
    cdef readonly Py_ssize_t wasted, passed_over
    cdef Py_ssize_t sound_at, summed_end, offset, shift, count
    cdef unsigned long long summed_pos, last_pos
    cdef bint placed, anchored, chained, relay, summed, starts, begins, retracted
    cdef Py_ssize_t first_time, last_time, server
    cdef int last_type
    cdef dict servers
    cdef bytearray types
    cdef object log_format
    cdef int forget(self) except -1
    cdef int load(self, Py_ssize_t offset) except -1
    cdef bint need(self, Py_ssize_t count) except -1
    cdef int pass_over(self, Py_ssize_t length) except -1
    @cython.locals(at=Py_ssize_t)
    cdef bytes header_at(self, Py_ssize_t offset)
    @cython.locals(at=Py_ssize_t, left=Py_ssize_t)
    cdef int shape_at(self, Py_ssize_t offset) except -1
    @cython.locals(offset=Py_ssize_t, data=Py_ssize_t)
    cpdef list scan(self)
    @cython.locals(last=bint, stop=Py_ssize_t, found=Py_ssize_t, left=Py_ssize_t)
    cdef Py_ssize_t sweep(self) except -1
    @cython.locals(offset=Py_ssize_t)
    cdef bint take_run(self) except -1
    cdef int keep_run(self) except -1
    @cython.locals(code=int, length=Py_ssize_t, offset=Py_ssize_t)
    cdef bint begin_run(self) except -1
    cdef bint has_magic(self, Py_ssize_t offset) except -1
    cdef bint counts_on_from_sums(self, Py_ssize_t offset) except -1
    @cython.locals(offset=Py_ssize_t, length=Py_ssize_t, size=Py_ssize_t)
    cdef bint leads_to_sums(self) except -1
    cdef bint is_chain(self, Py_ssize_t offset) except -1
    cdef int link(self, bytes header, bytes following) except -1
    @cython.locals(length=Py_ssize_t, position=Py_ssize_t, start=Py_ssize_t)
    cdef int guess(self, Py_ssize_t offset) except -1
    cdef bint miss(self, Py_ssize_t offset) except -1
    @cython.locals(offset=Py_ssize_t, end=Py_ssize_t, sound=bint)
    cdef bint is_sound(self, Py_ssize_t length) except -1
    cdef bint is_sound_in_use(self, Py_ssize_t length) except -1
    @cython.locals(offset=Py_ssize_t, limit=Py_ssize_t)
    cdef bint affordable(self, Py_ssize_t length) except -1
    @cython.locals(at=Py_ssize_t, code=int, length=Py_ssize_t)
    cdef bint take_event(self) except -1
    @cython.locals(log_pos="unsigned long long", end=Py_ssize_t)
    cdef bint continues(self, Py_ssize_t length) except -1
    @cython.locals(offset=Py_ssize_t, end=Py_ssize_t, shape=int)
    cdef bint is_linked(self, Py_ssize_t length) except -1
    @cython.locals(offset=Py_ssize_t)
    cdef bint take_format(self, int code, Py_ssize_t length) except -1
    cdef object read_format(self, int code, Py_ssize_t length)
    @cython.locals(offset=Py_ssize_t, end=Py_ssize_t, size=Py_ssize_t, stored=Py_ssize_t)
    cdef bint is_followed(self, Py_ssize_t length) except -1
    @cython.locals(at=Py_ssize_t, time=Py_ssize_t, server=Py_ssize_t)
    cdef int note(self, Py_ssize_t length) except -1
