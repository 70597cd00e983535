cimport cython
from binlogcli.binary cimport kernel
from binlogcli.binary.cursor cimport Cursor
from binlogcli.rows.readers cimport reads
from binlogcli.binary.digits cimport Digits
from binlogcli.rows.column cimport Column, Sink

cdef class DecimalColumn(Column):
    cdef readonly int precision, scale, size
    cdef Digits digits
    cdef readonly list groups
    @cython.locals(at=Py_ssize_t)
    cdef int read(self, Cursor cursor, Sink sink) except -1

cpdef int _bytes_of_digits(int count)
cpdef str decimal_text(Cursor body, int precision, int scale)
@cython.locals(negative=bint, flip=int, left=int, started=bint, count=int, group="unsigned int")
cdef int _read_decimal(Cursor cursor, Py_ssize_t at, int precision, int scale, Digits digits) except -1
@cython.locals(size=int, value="unsigned int", bits="unsigned int", limit="unsigned long long")
cpdef unsigned int read_group(Cursor cursor, Py_ssize_t at, int count, int flip, bint negative) except? 0xFFFFFFFF
cdef inline int _put_group(Digits digits, unsigned int value, int width) except -1
