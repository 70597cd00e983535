cimport cython
from binlogcli.binary.cursor cimport Cursor
from binlogcli.render.hexdump.drawing.cell cimport Cell
from binlogcli.render.hexdump.drawing.hex_side cimport HexSide
from binlogcli.render.hexdump.drawing.pen cimport Pen

cdef int _NEWLINE
cdef Py_ssize_t _NARROW_OFFSETS

@cython.final
cdef class Lines:
    cdef readonly Pen pen
    cdef readonly Py_ssize_t max_bytes
    cdef readonly object layout
    cdef readonly HexSide side
    cdef readonly Cell cell
    cpdef int place(self, Py_ssize_t offset) except -1
    @cython.locals(side=HexSide)
    cpdef int begin(self, bytes name, Py_ssize_t width, Py_ssize_t depth, int kind) except -1
    cpdef int put_group(self, Py_ssize_t start) except -1
    @cython.locals(side=HexSide, cell=Cell, shown=Py_ssize_t, width=Py_ssize_t, at=Py_ssize_t, text_at=Py_ssize_t,
                   first=bint, upto=Py_ssize_t, used=Py_ssize_t)
    cpdef put_leaf(self, Py_ssize_t start, Py_ssize_t end)
    @cython.locals(side=HexSide, at=Py_ssize_t, first=Py_ssize_t, last=Py_ssize_t, line=Py_ssize_t, upto=Py_ssize_t)
    cdef _put_squeezed(self, Py_ssize_t start, Py_ssize_t shown, Py_ssize_t end)
    cpdef put_left_out(self, Py_ssize_t count)
