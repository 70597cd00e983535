cimport cython
from binlogcli.lake.plan.table_maps cimport TableMapKeeper
from binlogcli.log.boundaries cimport may_define, role_of
from binlogcli.log.framer cimport Framer

cdef Py_ssize_t _CHUNK
cdef int BEGIN, COMMIT, OPENS_GROUP, ROLLBACK_TO, SAVEPOINT, PLAIN
cdef int QUERY_EVENT, QUERY_COMPRESSED_EVENT, FORMAT_DESCRIPTION_EVENT, TABLE_MAP_EVENT, GTID_EVENT, START_ENCRYPTION_EVENT, TRANSACTION_PAYLOAD_EVENT, _STANDALONE, _STATEMENT_END

@cython.final
cdef class CutPoint:
    cdef readonly Py_ssize_t start
    cdef readonly tuple formats, ranges
    cdef public tuple closing

@cython.final
cdef class CutFinder:
    cdef object source
    cdef bint seekable
    cdef Framer framer
    cdef const unsigned char[::1] outside
    cdef const unsigned char[::1] gtids
    cdef const unsigned char[::1] rows
    cdef const unsigned char[::1] ends
    cdef const unsigned char[::1] statements
    cdef const unsigned char[::1] format_types
    cdef readonly tuple formats
    cdef object format
    cdef bytes post_headers
    cdef readonly object defining, savepoints
    cdef public TableMapKeeper maps
    cdef bytes gtid
    cdef readonly list cuts
    cdef list waiting
    cdef Py_ssize_t split_size, next_cut, low, since, until
    cdef readonly Py_ssize_t limit
    cdef readonly bint late, over, stopped, opened
    cdef bint within, begun, tangled
    cdef Py_ssize_t gtid_start, gtid_end, begin_start, begin_end, statement_start, maps_end
    cdef readonly Py_ssize_t whole, last, seen, torn, sealed
    cdef readonly int last_code, damaged

    cpdef choose(self, Py_ssize_t low, Py_ssize_t limit, Py_ssize_t since, Py_ssize_t until)
    cpdef resume(self, Py_ssize_t start, tuple places)
    @cython.locals(framer=Framer)
    cdef bint _fed(self) except -1
    @cython.locals(framer=Framer)
    cpdef run(self, Py_ssize_t split_size)
    cdef int _pass_gap(self) except -1
    @cython.locals(framer=Framer, start=Py_ssize_t)
    cdef bint _take(self) except -1
    cdef bint _is_late_enough(self)
    @cython.locals(code=int, beyond=Py_ssize_t)
    cdef int _consider(self, Py_ssize_t start) except -1
    cdef int _cut(self, Py_ssize_t start) except -1
    cpdef tuple frame(self)
    @cython.locals(framer=Framer, code=int)
    cdef int _see(self) except -1
    @cython.locals(framer=Framer, at=Py_ssize_t)
    cdef bint _ends_statement(self) except -1
    cdef int _learn_format(self) except -1
    @cython.locals(framer=Framer)
    cdef int _see_map(self) except -1
    @cython.locals(framer=Framer)
    cdef int _see_gtid(self, int code) except -1
    @cython.locals(framer=Framer)
    cdef int _see_format(self, int code) except -1
    @cython.locals(framer=Framer, opened=bint, role=int, start=Py_ssize_t)
    cdef int _see_query(self, int code) except -1
    @cython.locals(framer=Framer, opened=Py_ssize_t)
    cdef int _see_savepoint(self, int role) except -1
    @cython.locals(has_gtid=bint)
    cdef int _keep_statement(self) except -1
    @cython.locals(framer=Framer, start=Py_ssize_t, end=Py_ssize_t, post_header=Py_ssize_t, names=Py_ssize_t, variables=Py_ssize_t)
    cdef Py_ssize_t _text_start(self) except? -1
    cdef int _end_transaction(self) except -1
    cdef int _forget_waiting(self) except -1
