cimport cython
from binlogcli.binary cimport kernel
from binlogcli.binary.cursor cimport Cursor
from binlogcli.log.walker cimport Walker

cdef int _IN_USE_FLAG, FORMAT_DESCRIPTION_EVENT, START_EVENT_V3, CHECKSUM_SIZE, HEADER_SIZE, _CRC32
cdef Py_ssize_t _START_V1_SIZE, _START_V3_SIZE, _FORMAT_SIZE, _WITNESS_SIZE
cdef unsigned long long _MASK32

cdef class FormatWalker(Walker):
    @cython.locals(old=bint, end=Py_ssize_t, proven=bint, witness=int)
    cdef bint meet_format(self) except -1
    cdef object read_old_format(self)
    @cython.locals(cursor=Cursor, stored=Py_ssize_t)
    cpdef bint is_sound(self) except -1
    cdef bint has_checksum(self, Py_ssize_t at, Py_ssize_t end) except -1
    cdef bytes without_in_use(self, Py_ssize_t at, Py_ssize_t end)
    @cython.locals(end=Py_ssize_t, reached=int)
    cdef int contradicted(self, bint old) except -2
    cdef int reach(self, Py_ssize_t end) except -2
    @cython.locals(cursor=Cursor, end=Py_ssize_t, reached=int)
    cdef int witness(self, Py_ssize_t at, int count) except -2
    @cython.locals(start=Py_ssize_t)
    cdef bint settle(self) except -1
    @cython.locals(at=Py_ssize_t, end=Py_ssize_t, stored=Py_ssize_t, computed=Py_ssize_t)
    cdef bint mismatch(self) except -1
    cdef bint assume_format(self, Py_ssize_t at) except -1
