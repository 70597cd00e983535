from binlogcli.binary.text_buffer cimport TextBuffer
from binlogcli.rows.column cimport Moment

cdef int _DASH, _COLON, _POINT

cpdef str date_text(Moment moment)
cpdef str fraction_text(Moment moment)
cpdef str clock_text(Moment moment)
cpdef str shortest_single(double value)
cpdef int put_date(TextBuffer out, Moment moment) except -1
cpdef int put_clock(TextBuffer out, Moment moment) except -1
