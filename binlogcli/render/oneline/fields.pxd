cimport cython
from binlogcli.binary.text_buffer cimport TextBuffer
from binlogcli.events.event cimport Event, Transaction
from binlogcli.events.statements cimport Query, StatementText
from binlogcli.events.transaction_facts cimport TransactionFacts
from binlogcli.rows.plan cimport TablePlan

cdef int _TAB, _NEWLINE, _DASH, _UNKNOWN, _OTHER, _SPACE, _PLAIN
cdef Py_ssize_t TEXT_SIZE
cdef const unsigned char[::1] _CLASSES
cdef bytes _ELLIPSIS

@cython.final
cdef class TransactionFields:
    cdef readonly TextBuffer out
    cdef object zone
    cdef bytes file, time
    cdef Py_ssize_t second
    cdef object names
    cdef bint headed
    cpdef begin_log(self, str path)
    @cython.locals(out=TextBuffer)
    cpdef put(self, TransactionFacts work)
    cdef turn_to(self, Py_ssize_t second)
    @cython.locals(out=TextBuffer)
    cdef put_identity(self, TransactionFacts work, Transaction transaction)
    @cython.locals(out=TextBuffer)
    cdef put_times(self, TransactionFacts work)
    cdef int put_rows(self, TransactionFacts work, bint counted) except -1
    cdef int put_count(self, Py_ssize_t count, bint counted) except -1
    @cython.locals(out=TextBuffer, plan=TablePlan, named=list, text=bytes)
    cdef put_tables(self, TransactionFacts work)
    @cython.locals(event=Event, query=Query, text=StatementText, plain=bint)
    cdef put_statement(self, TransactionFacts work)
    @cython.locals(
        out=TextBuffer, size=Py_ssize_t, at=Py_ssize_t, place=Py_ssize_t, byte="unsigned char", kind="unsigned char", blank=bint)
    cdef bint put_plain(self, bytes raw) except -1
