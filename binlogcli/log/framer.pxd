cimport cython
from binlogcli.binary.cursor cimport Cursor
from binlogcli.log.format_walker cimport FormatWalker

cdef Py_ssize_t _HEADLESS_SEARCH, _UNLIKELY_SIZE, _SMALL_SIZE, _UNKNOWN_FLAGS
cdef Py_ssize_t _EFFORT, _EFFORT_PER_BYTE, _TIMESTAMP_SIZE, _DAY, _BEGINNING_SIZE
cdef int _WITNESSES

cdef class Framer(FormatWalker):
    cdef bint recover(self) except -1
    @cython.locals(cursor=Cursor, looks_right=bint)
    cdef bint begin(self) except -1
    cpdef int go_on(self, Py_ssize_t offset) except -1
    cdef int resume(self, Py_ssize_t offset) except -1
    cdef int search_from(self, Py_ssize_t offset) except -1
    @cython.locals(cursor=Cursor, data=bytes, stripped=Py_ssize_t)
    cdef bint pass_zeros(self) except -1
    cdef bint pass_sealed(self) except -1
    @cython.locals(at=Py_ssize_t, verdict=int)
    cdef bint search(self) except -1
    cdef bint found(self, Py_ssize_t at) except -1
    @cython.locals(cursor=Cursor)
    cdef bint run_out(self) except -1
    @cython.locals(end=Py_ssize_t)
    cdef bint give_up(self, Py_ssize_t pos) except -1
    @cython.locals(at=Py_ssize_t, last=Py_ssize_t)
    cdef Py_ssize_t candidate(self) except -2
    @cython.locals(cursor=Cursor, length=Py_ssize_t)
    cdef bint plausible(self, Py_ssize_t at) except -1
    @cython.locals(log_pos="unsigned long long", end=Py_ssize_t)
    cdef bint fits(self, Py_ssize_t at, Py_ssize_t length) except -1
    @cython.locals(cursor=Cursor, length=Py_ssize_t, fits=bint, end=Py_ssize_t)
    cdef int prove(self, Py_ssize_t at) except -2
    @cython.locals(witness=int)
    cdef int unsealed(self, Py_ssize_t end) except -2
    @cython.locals(follows=bint)
    cdef bint stands(self, Py_ssize_t at, Py_ssize_t end, bint fits) except -1
    cdef bint affordable(self, Py_ssize_t at, Py_ssize_t length) except -1
    @cython.locals(sound=bint)
    cdef bint sound(self, Py_ssize_t at, Py_ssize_t end) except -1
    @cython.locals(cursor=Cursor)
    cdef bint follows(self, Py_ssize_t at, Py_ssize_t end) except -1
    @cython.locals(cursor=Cursor, log_pos="unsigned long long", step=Py_ssize_t)
    cdef bint chained(self, Py_ssize_t at, Py_ssize_t end) except -1
    @cython.locals(cursor=Cursor, server_id=Py_ssize_t, seconds=Py_ssize_t)
    cdef bint akin(self, Py_ssize_t at, Py_ssize_t end) except -1
