cimport cython
from binlogcli.events.event cimport Event, Transaction
from binlogcli.events.load cimport Load
from binlogcli.events.statements cimport Query
from binlogcli.events.tables cimport Rows
from binlogcli.log.boundaries cimport role_of

cdef int COMMIT, RELEASE_SAVEPOINT

@cython.final
cdef class Limits:
    cdef readonly int counted
    cdef readonly Py_ssize_t left, shown
    cdef public Py_ssize_t to_drop
    cdef Transaction transaction
    cdef const unsigned char[::1] ending
    cdef bint admit(self, Event event) except -1
    @cython.locals(query=bytes)
    cdef bint counts(self, Event event) except -1
    @cython.locals(transaction=Transaction)
    cdef bint takes_behind(self, Event event) except -1
    @cython.locals(query=bytes)
    cdef bint ends(self, Event event) except -1
