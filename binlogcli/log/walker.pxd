cimport cython
from binlogcli.binary cimport kernel
from binlogcli.binary.cursor cimport Cursor

cdef int _FORMAT_HEAD_END, _IGNORABLE_FLAG
cdef int ANNOTATE_ROWS_EVENT
cdef int START_EVENT_V3, ROTATE_EVENT, FORMAT_DESCRIPTION_EVENT, START_ENCRYPTION_EVENT
cdef unsigned long long _MASK32

cdef class Walker:
    cdef readonly Cursor cursor
    cdef object gathered
    cdef Py_ssize_t held
    cdef readonly Py_ssize_t wanted, pos, base
    cdef readonly bint ended
    cdef public Py_ssize_t stream_size
    cdef public int state
    cdef readonly bint nested, verify
    cdef readonly Py_ssize_t max_event_size
    cdef public object gap
    cdef public bint headless
    cdef readonly const unsigned char[::1] known
    cdef readonly bint in_use
    cdef Py_ssize_t doubted, doubted_end
    cdef readonly unsigned long long delta
    cdef readonly Py_ssize_t start, end
    cdef readonly unsigned int timestamp
    cdef readonly int type_code
    cdef readonly unsigned int server_id
    cdef readonly Py_ssize_t length
    cdef readonly unsigned long long log_pos
    cdef readonly unsigned int flags
    cdef readonly Py_ssize_t at, body_start, body_end, crc
    cdef public Py_ssize_t keep
    cdef bytes saved
    cdef Py_ssize_t saved_at, lost_at, effort
    cdef str lost_reason, lost_hint
    cdef Py_ssize_t next_try
    cdef readonly object format
    cdef readonly int header_size, trailer
    cdef readonly bint checking, trusted
    cdef bint positions_are_starts, early_types

    cdef int use(self, object log_format) except -1
    cdef int feed(self, bytes chunk) except -1
    cdef bint starve(self, Py_ssize_t wanted) except -1
    cdef bint hungry(self)
    cdef Py_ssize_t missing(self)
    cdef bint done(self)
    cpdef int trust(self, bint trusted) except -1
    cdef object take_gap(self)
    @cython.locals(start=Py_ssize_t)
    cdef int save(self) except -1
    @cython.locals(found=bytes, first=Py_ssize_t, last=Py_ssize_t)
    cpdef bytes lost_bytes(self, Py_ssize_t start, Py_ssize_t end)
    cpdef int jump(self, Py_ssize_t offset) except -1
    cpdef int finish(self) except -1
    @cython.locals(cursor=Cursor, at=Py_ssize_t, left=Py_ssize_t, length=Py_ssize_t)
    cdef bint advance(self) except -1
    @cython.locals(cursor=Cursor)
    cdef int take_header(self, Py_ssize_t at, Py_ssize_t length) except -1
    cdef int point(self, Cursor cursor) except -1
    cdef bint meet_format(self) except -1
    cdef bint settle(self) except -1
    cdef bint mismatch(self) except -1
    cdef bint assume_format(self, Py_ssize_t at) except -1
    cdef bint fits(self, Py_ssize_t at, Py_ssize_t length) except -1
    cdef bint follows(self, Py_ssize_t at, Py_ssize_t end) except -1
    cdef int remark(self) except -1
    cdef bint run_dry(self, Py_ssize_t left) except -1
    @cython.locals(at=Py_ssize_t)
    cdef bint misfit(self, Py_ssize_t length, Py_ssize_t left) except -1
    @cython.locals(following=Py_ssize_t)
    cdef bint coherent(self) except -1
    cdef bint spoil(self, str reason, Py_ssize_t length, str hint=*) except -1
    cdef bint recover(self) except -1
    cdef bint plausible(self, Py_ssize_t at) except -1
