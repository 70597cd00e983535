from binlogcli.binary.cursor cimport Cursor
from binlogcli.rows.column cimport Column, Moment, Sink

cdef class _LegalSink(Sink):
    cdef int put_date(self, Column column, Moment moment) except -1
    cdef int put_time(self, Column column, Moment moment) except -1
    cdef int put_datetime(self, Column column, Moment moment) except -1

cdef class _LikelySink(_LegalSink):
    cdef int put_time(self, Column column, Moment moment) except -1
    cdef int put_datetime(self, Column column, Moment moment) except -1

cpdef int _skip_value(Column reader, Cursor cursor, Sink sink) except -1
