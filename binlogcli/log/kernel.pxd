# C forms of kernel.py for the compiled modules: `cimport kernel` beside `import kernel`.
from libc.string cimport memcpy

cdef extern from "crc32.h" nogil:
    unsigned int binlog_crc32(const unsigned char *data, size_t size)

cdef extern from "digits.h" nogil:
    Py_ssize_t number_text(unsigned char *text, unsigned long long value, int width)

cdef inline unsigned int crc32_range(const unsigned char[::1] data, Py_ssize_t start, Py_ssize_t end) except? 7:
    if not 0 <= start <= end <= data.shape[0]:
        raise IndexError("checksum outside of a buffer")
    if start == end:
        return 0
    return binlog_crc32(&data[start], <size_t>(end - start))

cdef inline Py_ssize_t copy_range(
    unsigned char[::1] target, Py_ssize_t at, const unsigned char[::1] data, Py_ssize_t start, Py_ssize_t end
) except -1:
    if not 0 <= start <= end <= data.shape[0] or not 0 <= at <= target.shape[0] - (end - start):
        raise IndexError("copy outside of a buffer")
    if start < end:
        memcpy(&target[at], &data[start], <size_t>(end - start))
    return at + end - start

cdef inline Py_ssize_t put_all(unsigned char[::1] target, Py_ssize_t at, bytes data) except -1:
    cdef const unsigned char *source = data
    cdef Py_ssize_t size = len(data)
    if not 0 <= at <= target.shape[0] - size:
        raise IndexError("copy outside of a buffer")
    if size > 0:
        memcpy(&target[at], source, <size_t>size)
    return at + size

cdef inline Py_ssize_t put_number(
    unsigned char[::1] target, Py_ssize_t at, unsigned long long value, int width
) except -1:
    cdef unsigned char text[80]
    cdef Py_ssize_t size
    if not 0 <= width <= 60:
        raise IndexError("no number is that wide")
    size = number_text(text, value, width)
    if not 0 <= at <= target.shape[0] - size:
        raise IndexError("copy outside of a buffer")
    memcpy(&target[at], &text[80 - size], <size_t>size)
    return at + size

cdef inline double float_at(const unsigned char[::1] data, Py_ssize_t at) except? -7.25:
    cdef float value
    if not 0 <= at <= data.shape[0] - 4:
        raise IndexError("read outside of a buffer")
    memcpy(&value, &data[at], 4)
    return value

cdef inline double double_at(const unsigned char[::1] data, Py_ssize_t at) except? -7.25:
    cdef double value
    if not 0 <= at <= data.shape[0] - 8:
        raise IndexError("read outside of a buffer")
    memcpy(&value, &data[at], 8)
    return value
