cimport cython
from binlogcli.binary cimport kernel
from binlogcli.binary.cursor cimport Cursor
from binlogcli.rows.readers cimport reads
from binlogcli.rows.column cimport Column, Moment, Sink

cdef unsigned long long _DATETIME_ZERO
cdef Py_ssize_t _OLD_TIME_SECONDS

cdef class TemporalColumn(Column):
    cdef readonly int fsp, fraction_bytes, unit, power
    cdef Moment moment

cdef class DateColumn(TemporalColumn):
    @cython.locals(value=Py_ssize_t)
    cdef int read(self, Cursor cursor, Sink sink) except -1

cdef class TimestampColumn(TemporalColumn):
    @cython.locals(moment=Moment, width=int, fraction=Py_ssize_t)
    cdef int read(self, Cursor cursor, Sink sink) except -1

cdef class Timestamp2Column(TemporalColumn):
    @cython.locals(moment=Moment, width=int)
    cdef int read(self, Cursor cursor, Sink sink) except -1

cdef class Datetime2Column(TemporalColumn):
    @cython.locals(moment=Moment, width=int, value="unsigned long long")
    cdef int read(self, Cursor cursor, Sink sink) except -1

cdef class Time2Column(TemporalColumn):
    @cython.locals(moment=Moment, width=int, value="unsigned long long", zero="unsigned long long", fraction=Py_ssize_t)
    cdef int read(self, Cursor cursor, Sink sink) except -1

cdef class DatetimeColumn(TemporalColumn):
    @cython.locals(width=int)
    cdef int read(self, Cursor cursor, Sink sink) except -1
    @cython.locals(moment=Moment, date=Py_ssize_t, time=Py_ssize_t)
    cdef int from_decimal(self, unsigned long long value) except -1
    @cython.locals(moment=Moment, units=Py_ssize_t, date=Py_ssize_t)
    cdef int from_packed(self, unsigned long long value) except -1

cdef class TimeColumn(TemporalColumn):
    @cython.locals(width=int)
    cdef int read(self, Cursor cursor, Sink sink) except -1
    @cython.locals(moment=Moment)
    cdef int from_decimal(self, Py_ssize_t value) except -1
    @cython.locals(moment=Moment, units=Py_ssize_t, number=Py_ssize_t)
    cdef int from_packed(self, Py_ssize_t value) except -1

cdef int _micro_of(Py_ssize_t value) except -1
