from binlogcli.binary.text_buffer cimport TextBuffer
from binlogcli.rows.column cimport Moment

cdef int _DASH, _COLON, _POINT

cpdef int put_date(TextBuffer out, Moment moment) except -1
cpdef int put_clock(TextBuffer out, Moment moment) except -1
