cimport cython
from binlogcli.events.event cimport Event
from binlogcli.events.log cimport Log
from binlogcli.events.mysql cimport MysqlGtid
from binlogcli.events.statements cimport Query, StatementText, XaPrepare
from binlogcli.events.tables cimport Rows, TableMap
from binlogcli.events.stream cimport EventStream
from binlogcli.log.boundaries cimport role_of
from binlogcli.rows.plan cimport TablePlan
from binlogcli.rows.count cimport RowSkipper
from binlogcli.rows.images cimport RowImages
from binlogcli.events.transaction_facts cimport TransactionFacts
from binlogcli.stats.collector cimport SectionCollector, EventFacts
from binlogcli.stats.sections.summary cimport SummaryCollector
from binlogcli.stats.sections.event_types cimport EventTypesCollector

cdef int RELEASE_SAVEPOINT, DELETE, UPDATE, ROTATE_EVENT, STOP_EVENT, NO_ROWS, _FRAME_SIZE

@cython.final
cdef class Scan:
    cdef readonly bint count_all
    cdef readonly EventFacts facts
    cdef readonly TransactionFacts work
    cdef bint open
    cdef RowSkipper skipper
    cdef RowImages images
    cdef SummaryCollector overall
    cdef EventTypesCollector by_type
    cdef dict named
    cdef list collectors
    cdef public list gaps
    cdef Py_ssize_t more_gaps
    cdef object tell
    cdef EventStream stream
    cdef public object rotate_to
    cdef public int last_code
    @cython.locals(event=Event)
    cpdef read(self, Log log)
    @cython.locals(collector=SectionCollector)
    cpdef dict figures(self, Log log)
    @cython.locals(facts=EventFacts, collector=SectionCollector)
    cdef int see(self, Event event) except -1
    @cython.locals(work=TransactionFacts)
    cdef int place(self, Event event) except -1
    @cython.locals(facts=EventFacts, work=TransactionFacts)
    cdef int add_to_work(self, Event event) except -1
    @cython.locals(facts=EventFacts)
    cdef int add_rows(self, TransactionFacts work) except -1
    @cython.locals(work=TransactionFacts)
    cdef describe_work(self, Event event)
    @cython.locals(work=TransactionFacts, size=Py_ssize_t)
    cdef note_statement(self, Query event)
    cpdef note_xa_end(self, bytes query)
    @cython.locals(facts=EventFacts)
    cdef count_rows(self, Rows event)
    @cython.locals(images=RowImages, count=Py_ssize_t)
    cdef Py_ssize_t count_images(self, Rows event) except? -1
    cpdef note_rotate(self, Event event)
    @cython.locals(collector=SectionCollector)
    cdef int close(self) except -1
    @cython.locals(collector=SectionCollector)
    cpdef miss(self, object gap)
    cpdef keep_damage(self, object damage)
