cimport cython
from binlogcli.events.event cimport Event
from binlogcli.events.mariadb cimport GtidList, MariadbGtid
from binlogcli.events.mysql cimport MysqlGtid, PreviousGtids
from binlogcli.stats.collector cimport SectionCollector, EventFacts, power

cdef int ANONYMOUS_GTID_LOG_EVENT

@cython.final
cdef class GroupSizes:
    cdef object key
    cdef Py_ssize_t size
    cdef readonly Py_ssize_t groups, members, largest
    cdef long long[::1] sizes
    cdef add(self, object key)
    cdef end(self)
    cpdef tuple export(self)

cdef class GtidsCollector(SectionCollector):
    cdef bint continuous
    cdef const unsigned char[::1] codes
    cdef dict sets
    cdef Py_ssize_t left_out
    cdef list before
    cdef bint mariadb
    cdef dict domains, counts, found
    cdef object lag, lag_sum
    cdef Py_ssize_t lag_count
    cdef object lag_most
    cdef Py_ssize_t independent
    cdef GroupSizes commits, together
    cdef see(self, EventFacts facts)
    cpdef see_mariadb(self, MariadbGtid event, Py_ssize_t position)
    cpdef see_mysql(self, MysqlGtid event, Py_ssize_t position)
    cpdef see_lag(self, MysqlGtid event, Py_ssize_t position)
    cpdef see_history(self, Event event)
    cpdef bint take(self, object source, object number) except -1
    cpdef object place(self, object source)
    cpdef note(self, str kind, str gtid, Py_ssize_t position, object after)
