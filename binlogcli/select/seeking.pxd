cimport cython
from binlogcli.log.framer cimport Framer

cdef int QUERY_EVENT, XID_EVENT, _RELAY_LOG_FLAG

@cython.final
cdef class StartFinder:
    cdef object source
    cdef Py_ssize_t size, max_event_size
    cdef const unsigned char[::1] opens
    cdef const unsigned char[::1] heads
    cdef Framer framer, prover
    cpdef Py_ssize_t find(self, Py_ssize_t low, Py_ssize_t since) except? -1
    cdef Framer new_framer(self, bint verify)
    @cython.locals(prover=Framer)
    cdef bint stands_alone(self, Py_ssize_t offset) except -1
    @cython.locals(framer=Framer)
    cdef object head_format(self)
    @cython.locals(framer=Framer, boundary=Py_ssize_t, format_at=Py_ssize_t, gtids=bint, in_head=bint, torn=bint, code=int)
    cdef Py_ssize_t walk(self, Py_ssize_t low, Py_ssize_t since) except? -1
    @cython.locals(end=Py_ssize_t)
    cdef bint is_begin(self) except -1
