# C forms of reads.py for the compiled modules: `cimport reads` beside `import reads`.
from binlogcli.binary cimport kernel
from binlogcli.binary.cursor cimport Cursor
from binlogcli.rows.column cimport Column

# Cursor.need without a call across modules, which took 6 % of decoding rows; where it fails, the cursor says why.
cdef inline Py_ssize_t need(Cursor cursor, str name, Py_ssize_t size) except? -1:
    cdef Py_ssize_t at = cursor.pos
    if size < 0 or size > cursor.end - at:
        return cursor.need(name, size)
    cursor.pos = at + size
    return at

cdef inline unsigned long long little(Cursor cursor, str name, Py_ssize_t size) except? 0xFEDCBA9876543210:
    return kernel.little(cursor.view, need(cursor, name, size), size)

cdef inline unsigned long long big(Cursor cursor, str name, Py_ssize_t size) except? 0xFEDCBA9876543210:
    return kernel.big(cursor.view, need(cursor, name, size), size)

# Without a test of the type, which took 8 % of printing rows: plans make these lists, of columns alone.
cdef inline Column column_at(list columns, Py_ssize_t at):
    if not 0 <= at < len(columns):
        raise IndexError("no such column")
    return <Column>columns[at]
