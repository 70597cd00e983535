from binlogcli.events.event cimport Event, Transaction
from binlogcli.events.log cimport Log
from binlogcli.events.stream cimport Chooser
from binlogcli.events.tables cimport Rows
from binlogcli.rows.count cimport RowSkipper
from binlogcli.rows.images cimport RowImages
cimport cython

cdef int SHOW, RELEASE

@cython.final
cdef class TransactionScan:
    cdef readonly object choice
    cdef Chooser chooser
    cdef bint touched
    cdef set xids_seen, threads_seen
    cdef readonly Py_ssize_t without_thread, found
    cdef RowSkipper skipper
    cdef RowImages images
    cdef dict stretches
    cdef object chosen
    cdef public bint is_first
    cdef Transaction transaction
    cdef Py_ssize_t start, end, rows, size
    cpdef begin(self, Event event)
    cpdef object chosen_in(self, str path)
    @cython.locals(event=Event)
    cpdef read(self, Log log)
    cpdef see(self, Event event)
    cdef choose(self, Chooser chooser, Event event)
    cpdef close(self)
    cdef bint takes(self, Transaction transaction) except -1
    cdef bint takes_thread(self, object thread_id) except -1
