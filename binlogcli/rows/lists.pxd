# C form of lists.py for the compiled modules: `cimport lists` beside `import lists`.
from binlogcli.rows.column cimport Column
from binlogcli.rows.column_buffer cimport ColumnBuffer

# Without a test of the type, which took 8 % of printing rows: plans make these lists, out of columns alone.
cdef inline Column column_at(list columns, Py_ssize_t at):
    if not 0 <= at < len(columns):
        raise IndexError("no such column")
    return <Column>columns[at]

# The same; `lake.tables` makes these.
cdef inline ColumnBuffer buffer_at(list buffers, Py_ssize_t at):
    if not 0 <= at < len(buffers):
        raise IndexError("no such column")
    return <ColumnBuffer>buffers[at]
