cimport cython
from binlogcli.binary cimport kernel
from binlogcli.binary.cursor cimport Cursor
from binlogcli.rows.sinks cimport column_loops
from binlogcli.binary.digits cimport Digits
from binlogcli.binary.text_buffer cimport TextBuffer

cdef Py_ssize_t _FIRST_ROWS, _FIRST_BYTES, _END_SIZE, _MOST_BYTES

@cython.final
cdef class ColumnBuffer:
    # what each value needs stands first and together: with hundreds of tables it is not in the processor's cache
    cdef readonly int width, unit
    cdef readonly Py_ssize_t count, size, room
    cdef readonly bint recoding
    cdef public bint turned
    cdef unsigned char[::1] chars
    cdef Py_ssize_t ends_room
    cdef unsigned char[::1] places
    cdef readonly Py_ssize_t nulls
    cdef Py_ssize_t valid_room, expected, ends_expected
    cdef readonly object data, ends, valid
    cdef unsigned char[::1] bits
    cdef public list labels
    cdef public Py_ssize_t label_count
    cdef public ColumnBuffer more
    cdef const unsigned char[::1] table
    cdef public bint addresses
    cpdef expect(self, Py_ssize_t size)
    cpdef expect_like(self, ColumnBuffer other)
    @cython.locals(room=Py_ssize_t, least=Py_ssize_t, data=bytearray)
    cdef int grow(self, Py_ssize_t more) except -1
    cpdef recode_by(self, bytes table)
    cpdef int put(self, unsigned long long value) except -1
    cpdef int put_many(self, unsigned long long value, Py_ssize_t count) except -1
    cpdef int put_up(self, unsigned long long value, Py_ssize_t count) except -1
    @cython.locals(column=ColumnBuffer)
    cpdef ColumnBuffer lengthened(self, unsigned long long low, unsigned long long high)
    cdef int put_wide(self, unsigned long long value, bint negative) except -1
    cdef int put_digits(self, Digits digits) except -1
    cpdef int append(self, bytes data) except -1
    cdef int append_range(self, Cursor data, Py_ssize_t start, Py_ssize_t end) except -1
    cdef int append_out(self, TextBuffer out) except -1
    @cython.locals(at=Py_ssize_t)
    cdef int close_value(self) except -1
    @cython.locals(room=Py_ssize_t, ends=bytearray)
    cdef int grow_ends(self) except -1
    cpdef int put_null(self) except -1
    cpdef int pad(self, Py_ssize_t count) except -1
    @cython.locals(end=Py_ssize_t)
    cdef int pad_numbers(self, Py_ssize_t count) except -1
    @cython.locals(room=Py_ssize_t, valid=bytearray)
    cdef int grow_valid(self, Py_ssize_t count) except -1
    cpdef int finish(self, Py_ssize_t count) except -1
    cpdef int cut(self, Py_ssize_t count) except -1
    cdef Py_ssize_t end_of(self, Py_ssize_t count) except? -1
    cdef Py_ssize_t label(self, str text) except? -1
