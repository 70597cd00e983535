cimport cython
from binlogcli.binary cimport kernel
from binlogcli.binary.notes cimport Notes

@cython.final
cdef class Cursor:
    cdef readonly bytes data
    cdef readonly const unsigned char[::1] view
    cdef readonly Py_ssize_t size
    cdef public Py_ssize_t pos, end
    cdef readonly Notes notes

    cpdef int load(self, bytes data) except -1
    cpdef int point(self, Py_ssize_t pos, Py_ssize_t end) except -1
    cpdef int listen(self, Notes notes) except -1
    cpdef Py_ssize_t left(self)
    @cython.locals(at=Py_ssize_t)
    cpdef Py_ssize_t need(self, str name, Py_ssize_t size) except? -1
    cpdef int note(self, str name, Py_ssize_t start, object value) except -1
    cpdef int enter(self, str name) except -1
    cpdef int leave(self, object value=*) except -1
    @cython.locals(at=Py_ssize_t, value=Py_ssize_t)
    cpdef Py_ssize_t u1(self, str name) except? -1
    @cython.locals(at=Py_ssize_t, value=Py_ssize_t)
    cpdef Py_ssize_t u2(self, str name) except? -1
    @cython.locals(at=Py_ssize_t, value=Py_ssize_t)
    cpdef Py_ssize_t u3(self, str name) except? -1
    @cython.locals(at=Py_ssize_t, value=Py_ssize_t)
    cpdef Py_ssize_t u4(self, str name) except? -1
    @cython.locals(at=Py_ssize_t, value="unsigned long long")
    cpdef unsigned long long uint(self, str name, Py_ssize_t size) except? 0xFEDCBA9876543210
    cpdef unsigned long long u8(self, str name) except? 0xFEDCBA9876543210
    @cython.locals(at=Py_ssize_t, value=Py_ssize_t)
    cpdef Py_ssize_t i8(self, str name) except? -81985529216486895
    @cython.locals(at=Py_ssize_t, value=Py_ssize_t)
    cpdef Py_ssize_t i4(self, str name) except? -81985529216486895
    cpdef unsigned long long little(self, Py_ssize_t at, Py_ssize_t size) except? 0xFEDCBA9876543210
    cpdef unsigned long long big(self, Py_ssize_t at, Py_ssize_t size) except? 0xFEDCBA9876543210
    @cython.locals(at=Py_ssize_t)
    cpdef double f8(self, str name) except? -7.25
    @cython.locals(at=Py_ssize_t, value="unsigned long long", size=Py_ssize_t)
    cpdef Py_ssize_t lenenc(self, str name) except? -1
    @cython.locals(at=Py_ssize_t, value=bytes)
    cpdef bytes take(self, str name, Py_ssize_t size, bytes known=*)
    cpdef bytes rest(self, str name, bytes known=*)
    @cython.locals(at=Py_ssize_t)
    cpdef str text(self, str name, Py_ssize_t size)
    @cython.locals(at=Py_ssize_t)
    cpdef str padded_text(self, str name, Py_ssize_t size)
    @cython.locals(at=Py_ssize_t, nul=Py_ssize_t)
    cpdef str nul_text(self, str name)
    @cython.locals(at=Py_ssize_t)
    cpdef int skip(self, str name, Py_ssize_t size) except -1
