cimport cython

cdef int OBJECT, SIGNED, UNSIGNED, GROUP, CONTENT
cdef int DEPTH_MASK, KIND_SHIFT, PREFIX_SHIFT
cdef Py_ssize_t RECORD, _MANY
cdef long long _MAX_SIGNED

@cython.final
cdef class Notes:
    cdef readonly list names, values
    cdef readonly object numbers
    cdef long long[::1] view
    cdef Py_ssize_t room
    cdef readonly Py_ssize_t count, taken, covered
    cdef list open, outer
    cdef public object reader, walker
    cpdef int clear(self, Py_ssize_t pos) except -1
    cdef int grow(self) except -1
    @cython.locals(at=Py_ssize_t)
    cdef int add(self, object name, Py_ssize_t start, Py_ssize_t end, long long form, long long number, object value) except -1
    cdef int number(self, str name, Py_ssize_t start, Py_ssize_t end, long long value) except -1
    @cython.locals(low="long long")
    cdef int unsigned(self, str name, Py_ssize_t start, Py_ssize_t end, unsigned long long value) except -1
    cpdef int leaf(self, object name, Py_ssize_t start, Py_ssize_t end, object value) except -1
    cpdef int counted(self, object name, Py_ssize_t start, Py_ssize_t end, object value, long long prefix) except -1
    cpdef int enter(self, object name, Py_ssize_t start) except -1
    @cython.locals(at=Py_ssize_t)
    cpdef int expect(self, Py_ssize_t end) except -1
    cpdef int enter_content(self, str name, bytes content) except -1
    @cython.locals(at=Py_ssize_t)
    cpdef int leave(self, Py_ssize_t end, object value) except -1
    cpdef int leave_content(self, str reason=*) except -1
    cpdef int close(self, Py_ssize_t depth, str reason=*) except -1
    cpdef Py_ssize_t depth(self) except? -1
    cpdef int breathe(self) except -1
    @cython.locals(depth=Py_ssize_t, at=Py_ssize_t, index=Py_ssize_t, form="long long", start=Py_ssize_t, end=Py_ssize_t)
    cpdef int replay(self, Notes other, Py_ssize_t shift) except -1
    @cython.locals(depth=Py_ssize_t, at=Py_ssize_t, index=Py_ssize_t, form="long long", start=Py_ssize_t, end=Py_ssize_t)
    cpdef Notes copy_since(self, Py_ssize_t first, Py_ssize_t shift)
    @cython.locals(value="long long")
    cpdef object number_at(self, Py_ssize_t index)
