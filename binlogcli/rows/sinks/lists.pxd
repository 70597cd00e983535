# C form of lists.py for the compiled modules: `cimport lists` beside `import lists`.
from binlogcli.rows.sinks.arrow_buffer cimport ColumnBuffer

# Without a test of the type, as in `reads.column_at`: the lists come from `lake.decode.table_maker`.
cdef inline ColumnBuffer buffer_at(list buffers, Py_ssize_t at):
    if not 0 <= at < len(buffers):
        raise IndexError("no such column")
    return <ColumnBuffer>buffers[at]

cdef extern from *:
    """
    #if defined(__GNUC__)
    #define fetch_line(place) __builtin_prefetch((const void *)(place), 1)
    #else
    #define fetch_line(place) ((void)(place))
    #endif
    """
    void fetch_line(const void *place) nogil

cdef extern from "Python.h":
    const char *item_address "(const char *)PyList_GET_ITEM" (list items, Py_ssize_t at)

cdef enum:
    CACHE_LINE = 64
    PLACES_LINE = 5 * CACHE_LINE  # where a buffer has what values of any length need

# First all buffers, then what they lead to: the processor waits once for all of them, and not for each in turn.
cdef inline int fetch(list buffers) except -1:
    cdef Py_ssize_t at
    cdef ColumnBuffer buffer
    cdef const char *place
    for at in range(len(buffers)):
        place = item_address(buffers, at)
        fetch_line(place)
        fetch_line(place + CACHE_LINE)
        fetch_line(place + PLACES_LINE)
    for at in range(len(buffers)):
        buffer = buffer_at(buffers, at)
        if buffer.size < buffer.chars.shape[0]:
            fetch_line(&buffer.chars[buffer.size])
        if buffer.width == 0 and 4 * buffer.count < buffer.places.shape[0]:
            fetch_line(&buffer.places[4 * buffer.count])
    return 0
