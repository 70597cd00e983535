from binlogcli.rows.column cimport Moment

cpdef str date_text(Moment moment)
cpdef str fraction_text(Moment moment)
cpdef str clock_text(Moment moment)
cpdef str shortest_single(double value)
