cimport cython
from binlogcli.binary cimport kernel

cdef Py_ssize_t BLOCK, HEADER, CLEAR, LOOK, CANDIDATES, RUN, AT, SIZE, GATHERED, TAIL, LENGTH
cdef unsigned int UNKNOWN_FLAGS
cdef unsigned long long MASK32

@cython.locals(value="unsigned long long")
cdef unsigned long long u4(const unsigned char[::1] data, Py_ssize_t at) except? 7

@cython.final
cdef class EventCipher:
    cdef readonly str algorithm
    cdef bint counting
    cdef object encrypt, decrypt
    cdef unsigned char[::1] iv
    cdef unsigned char[::1] chain
    cdef unsigned char[::1] blocks
    cdef unsigned char[::1] ciphered
    cdef unsigned char[::1] tails
    cdef unsigned char[::1] streams
    cdef readonly long long[::1] runs
    cdef long long[::1] places
    cdef const unsigned char[::1] known
    cdef readonly Py_ssize_t count
    cdef Py_ssize_t nominated, filled, tailed
    cdef readonly Py_ssize_t place, length
    cdef Py_ssize_t done
    cdef unsigned long long delta, heard
    cdef Py_ssize_t heard_at
    cdef readonly Py_ssize_t proven

    cpdef int forget(self) except -1
    cpdef Py_ssize_t run(self, unsigned char[::1] window, Py_ssize_t base, Py_ssize_t size, bint ended) except? -1
    @cython.locals(at=Py_ssize_t, found=Py_ssize_t, used=Py_ssize_t)
    cpdef Py_ssize_t find_header(self, const unsigned char[::1] window, Py_ssize_t base, Py_ssize_t start, Py_ssize_t end, Py_ssize_t log_size) except -2
    @cython.locals(run=Py_ssize_t)
    cpdef tuple event(self, Py_ssize_t index)
    @cython.locals(at=Py_ssize_t, length=Py_ssize_t)
    cdef Py_ssize_t collect(self, unsigned char[::1] window, Py_ssize_t base, Py_ssize_t size, Py_ssize_t usable) except? -1
    @cython.locals(at=Py_ssize_t)
    cdef int set_place(self, Py_ssize_t place) except -1
    @cython.locals(took=Py_ssize_t, whole=bint, run=Py_ssize_t, blocks=Py_ssize_t)
    cdef Py_ssize_t take(self, unsigned char[::1] window, Py_ssize_t at, Py_ssize_t size, Py_ssize_t usable, Py_ssize_t length) except? -1
    @cython.locals(full=Py_ssize_t)
    cdef int take_chained(self, unsigned char[::1] window, Py_ssize_t at, Py_ssize_t took, Py_ssize_t run) except -1
    @cython.locals(index=Py_ssize_t, run=Py_ssize_t, at=Py_ssize_t, size=Py_ssize_t, gathered=Py_ssize_t, tail=Py_ssize_t, length=Py_ssize_t, full=Py_ssize_t, byte=Py_ssize_t)
    cdef int apply(self, unsigned char[::1] window) except -1
    @cython.locals(length=Py_ssize_t)
    cpdef Py_ssize_t unsound(self, unsigned char[::1] window, Py_ssize_t base, Py_ssize_t index) except -2
    @cython.locals(log_pos="unsigned long long", delta="unsigned long long")
    cdef bint sound(self, unsigned char[::1] window, Py_ssize_t base, Py_ssize_t at, Py_ssize_t length) except -1
    @cython.locals(length=Py_ssize_t, slot=Py_ssize_t)
    cdef Py_ssize_t nominate(self, const unsigned char[::1] window, Py_ssize_t base, Py_ssize_t at, Py_ssize_t end, Py_ssize_t log_size) except? -1
    @cython.locals(index=Py_ssize_t, at=Py_ssize_t, length=Py_ssize_t, slot=Py_ssize_t, log_pos="unsigned long long", delta="unsigned long long")
    cdef Py_ssize_t elect(self, const unsigned char[::1] window, Py_ssize_t base) except -2
