cimport cython
from binlogcli.binary.text_buffer cimport TextBuffer
from binlogcli.render.sql.literal_sink cimport LiteralImage, LiteralSink
from binlogcli.render.sql.table_texts cimport TableTexts
from binlogcli.render.sql.quoting cimport put_part, same_part

cdef class SqlRows(LiteralSink):
    cdef TextBuffer out
    cdef TableTexts texts
    cdef object known
    cdef bytes comment
    cdef public bint inverse
    cdef readonly list ends
    cdef readonly Py_ssize_t row_at
    cdef readonly bint begun
    cdef readonly Py_ssize_t statements
    cdef readonly set doubts, changed
    cpdef TableTexts table(self, object plan)
    cdef int begin_rows(self, object plan) except -1
    cpdef int begin_event(self, bytes comment) except -1
    cdef int begin_row(self) except -1
    cdef int end_row(self) except -1
    cdef _put_change(self, bint before, bint after)
    @cython.locals(at=Py_ssize_t, end=bytes, start=bytes, new_end=bytes, before=bint, after=bint)
    cdef _put_version(self)
    @cython.locals(out=TextBuffer, texts=TableTexts, index=Py_ssize_t, place=Py_ssize_t, filled=bint)
    cdef int _put_insert(self, LiteralImage image) except -1
    @cython.locals(out=TextBuffer, texts=TableTexts, index=Py_ssize_t, separator=bytes)
    cdef int _put_names(self, LiteralImage image) except -1
    cdef int _put_delete(self, LiteralImage image) except -1
    @cython.locals(out=TextBuffer, texts=TableTexts, start=Py_ssize_t, separator=bytes, kept=bint, changed=Py_ssize_t,
                   index=Py_ssize_t, place=Py_ssize_t, different=bint)
    cdef _put_update(self, LiteralImage old, LiteralImage new)
    @cython.locals(first=Py_ssize_t, second=Py_ssize_t, start=Py_ssize_t, end=Py_ssize_t, at=Py_ssize_t)
    cdef bint same(self, LiteralImage old, LiteralImage new, Py_ssize_t index) except -1
    cdef _note_doubt(self, Py_ssize_t index)
    @cython.locals(texts=TableTexts, separator=bytes, index=Py_ssize_t)
    cdef _put_where(self, LiteralImage image, LiteralImage other)
    @cython.locals(index=Py_ssize_t)
    cdef bint _has_key(self, LiteralImage image, LiteralImage other) except -1
    @cython.locals(texts=TableTexts, separator=bytes, index=Py_ssize_t, source=LiteralImage)
    cdef int _put_whole_row(self, LiteralImage image, LiteralImage other) except -1
    cdef _put_equal(self, LiteralImage image, Py_ssize_t index, bytes before, bytes after)
    cdef _put_value(self, LiteralImage image, Py_ssize_t index)
    @cython.locals(place=Py_ssize_t)
    cdef int _put_literal(self, LiteralImage image, Py_ssize_t index) except -1
