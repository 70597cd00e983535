cimport cython
from binlogcli.events.event cimport Event
from binlogcli.events.mariadb cimport MariadbGtid
from binlogcli.events.statements cimport Query, StatementText, Xid
from binlogcli.binary.json_writer cimport json_bytes, put_json
from binlogcli.binary.text_buffer cimport TextBuffer

cdef int ANNOTATE_ROWS_EVENT, GTID_OPTIONAL
cdef Py_ssize_t SHORT_QUERY, KEPT

@cython.final
cdef class BodyWriter:
    cdef list annotation
    cdef list xid
    cdef dict gtids
    cdef dict queries
    cpdef put(self, TextBuffer out, Event event)
    @cython.locals(begun=Py_ssize_t)
    cdef put_annotation(self, TextBuffer out, StatementText event)
    cdef put_xid(self, TextBuffer out, Xid event)
    @cython.locals(known=list)
    cdef put_gtid(self, TextBuffer out, MariadbGtid event)
    @cython.locals(key=bytes, known=bytes)
    cdef put_query(self, TextBuffer out, Query event)

cdef list around_seq_no(MariadbGtid event)
