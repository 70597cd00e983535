cimport cython
from binlogcli.binary cimport kernel
from binlogcli.carve cimport shapes

cdef Py_ssize_t _EFFORT, _SMALL_EFFORT, _LONG_EFFORT
cdef unsigned long long _MASK32
cdef const unsigned char[::1] _VAGUE
cdef int _IN_USE, _ARTIFICIAL, _MAGIC_SIZE, FORMAT_DESCRIPTION_EVENT, HEADER_SIZE, CHECKSUM_SIZE

cpdef Py_ssize_t number_at(data, Py_ssize_t at) except -1
@cython.locals(
    length=Py_ssize_t, position=Py_ssize_t, next_length=Py_ssize_t, next_position=Py_ssize_t, unplaced=bint)
cpdef int link_of(bytes header, bytes following, bint relayed) except -1

cdef class Window:
    cdef readonly object image
    cdef readonly Py_ssize_t file_size
    cdef bytearray buffer
    cdef const unsigned char[::1] view
    cdef readonly Py_ssize_t base
    cdef Py_ssize_t size, at
    cdef readonly Py_ssize_t scanned, wasted, wasted_on_vague, wasted_on_small, passed_over
    cdef Py_ssize_t sound_at
    cdef int load(self, Py_ssize_t offset) except -1
    cdef bint need(self, Py_ssize_t count) except -1
    cdef int pass_over(self, Py_ssize_t length) except -1
    @cython.locals(at=Py_ssize_t)
    cdef bytes header_at(self, Py_ssize_t offset)
    @cython.locals(at=Py_ssize_t, left=Py_ssize_t, length=Py_ssize_t, whole=bint)
    cdef int shape_at(self, Py_ssize_t offset) except -1
    @cython.locals(at=Py_ssize_t)
    cdef bint has_magic(self, Py_ssize_t offset) except -1
    @cython.locals(offset=Py_ssize_t, end=Py_ssize_t, sound=bint)
    cdef bint is_sound(self, Py_ssize_t length) except -1
    cdef bint is_sound_in_use(self, Py_ssize_t length) except -1
    @cython.locals(offset=Py_ssize_t, limit=Py_ssize_t, spent=Py_ssize_t)
    cdef bint affordable(self, Py_ssize_t length) except -1
