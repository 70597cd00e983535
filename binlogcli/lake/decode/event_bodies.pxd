cimport cython
from binlogcli.events.event cimport Event
from binlogcli.events.mariadb cimport MariadbGtid
from binlogcli.events.statements cimport Query, StatementText, Xid
from binlogcli.binary.json_writer cimport json_bytes, put_json
from binlogcli.binary.text_buffer cimport TextBuffer

cdef int ANNOTATE_ROWS_EVENT, _GTID_OPTIONAL
cdef Py_ssize_t _SHORT_QUERY, _KEPT

@cython.final
cdef class BodyWriter:
    cdef list annotation, xid
    cdef dict gtids, queries
    cpdef put(self, TextBuffer out, Event event)
    @cython.locals(begun=Py_ssize_t)
    cdef _put_annotation(self, TextBuffer out, StatementText event)
    cdef _put_xid(self, TextBuffer out, Xid event)
    @cython.locals(known=list)
    cdef _put_gtid(self, TextBuffer out, MariadbGtid event)
    @cython.locals(key=bytes, known=bytes)
    cdef _put_query(self, TextBuffer out, Query event)
