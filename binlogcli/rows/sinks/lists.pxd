# C form of lists.py for the compiled modules: `cimport lists` beside `import lists`.
from binlogcli.rows.sinks.arrow_buffer cimport ColumnBuffer

# Without a test of the type, as in `reads.column_at`: the lists come from `lake.decode.table_maker`.
cdef inline ColumnBuffer buffer_at(list buffers, Py_ssize_t at):
    if not 0 <= at < len(buffers):
        raise IndexError("no such column")
    return <ColumnBuffer>buffers[at]
