# The C form of shapes.py for the compiled modules: `cimport shapes` beside `import shapes`.
from libc.stdint cimport uint64_t

cdef extern from "shapes.h" nogil:
    int binlog_shape(const unsigned char *data, size_t at_hand, uint64_t left)
    Py_ssize_t binlog_find_shape(const unsigned char *data, size_t at, size_t stop, size_t size, uint64_t left)

cdef inline int shape_of(
    const unsigned char[::1] data, Py_ssize_t at, Py_ssize_t size, Py_ssize_t left
) except -1:
    if not 0 <= at <= size <= data.shape[0]:
        raise IndexError("shape outside of a buffer")
    return 0 if at == size else binlog_shape(&data[at], <size_t>(size - at), <uint64_t>max(left, 0))

cdef inline Py_ssize_t find_shape(
    const unsigned char[::1] data, Py_ssize_t at, Py_ssize_t stop, Py_ssize_t size, Py_ssize_t left
) except -2:
    if not 0 <= at <= size <= data.shape[0] or stop > size:
        raise IndexError("search outside of a buffer")
    if at >= stop:
        return -1
    return binlog_find_shape(&data[0], <size_t>at, <size_t>stop, <size_t>size, <uint64_t>max(left, 0))
