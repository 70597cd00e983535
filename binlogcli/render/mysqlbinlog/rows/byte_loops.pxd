# C forms of byte_loops.py for the compiled modules: `cimport byte_loops` beside `import byte_loops`.
from libc.stdint cimport uint64_t

cdef extern from "byte_loops.h" nogil:
    size_t text_base64(unsigned char *target, const unsigned char *data, size_t size)
    size_t text_quoted(unsigned char *target, const unsigned char *data, size_t size, int escaping)
    size_t text_date(unsigned char *target, unsigned int year, unsigned int month, unsigned int day, unsigned char separator)
    size_t text_clock(unsigned char *target, unsigned int hour, unsigned int minute, unsigned int second)
    size_t text_commented(unsigned char *target, const unsigned char *data, size_t size)
    size_t text_header(unsigned char *target, const unsigned char *data, uint64_t offset, int mysql)
    size_t text_hexdump(unsigned char *target, const unsigned char *data, size_t size, uint64_t offset, int mysql)

cdef inline Py_ssize_t base64_size(Py_ssize_t size):
    return 4 * (size // 3 + 1) + size // 57 + 2

cdef inline Py_ssize_t hexdump_size(Py_ssize_t size):
    return 88 * (size // 16 + 1)

cdef inline int fits(
    unsigned char[::1] target, Py_ssize_t at, Py_ssize_t room, const unsigned char[::1] data, Py_ssize_t start,
    Py_ssize_t end
) except -1:
    if not 0 <= start <= end <= data.shape[0] or not 0 <= at <= target.shape[0] - room:
        raise IndexError("text outside of a buffer")
    return 0

cdef inline Py_ssize_t put_base64(
    unsigned char[::1] target, Py_ssize_t at, const unsigned char[::1] data, Py_ssize_t start, Py_ssize_t end
) except -1:
    fits(target, at, base64_size(end - start), data, start, end)
    if start == end:
        return at
    return at + <Py_ssize_t>text_base64(&target[at], &data[start], <size_t>(end - start))

cdef inline Py_ssize_t put_quoted(
    unsigned char[::1] target, Py_ssize_t at, const unsigned char[::1] data, Py_ssize_t start, Py_ssize_t end,
    bint escaping
) except -1:
    fits(target, at, 4 * (end - start) + 10, data, start, end)
    if start == end:
        target[at] = 39
        target[at + 1] = 39
        return at + 2
    return at + <Py_ssize_t>text_quoted(&target[at], &data[start], <size_t>(end - start), escaping)

cdef inline Py_ssize_t put_date(
    unsigned char[::1] target, Py_ssize_t at, int year, int month, int day, unsigned char separator
) except -1:
    if not 0 <= at <= target.shape[0] - 40:
        raise IndexError("text outside of a buffer")
    return at + <Py_ssize_t>text_date(&target[at], year, month, day, separator)

cdef inline Py_ssize_t put_clock(unsigned char[::1] target, Py_ssize_t at, int hour, int minute, int second) except? -1:
    if not 0 <= at <= target.shape[0] - 40:
        raise IndexError("text outside of a buffer")
    return at + <Py_ssize_t>text_clock(&target[at], hour, minute, second)

cdef inline Py_ssize_t put_commented(
    unsigned char[::1] target, Py_ssize_t at, const unsigned char[::1] data, Py_ssize_t start, Py_ssize_t end
) except -1:
    fits(target, at, 6 * (end - start) + 8, data, start, end)
    if start == end:
        return at
    return at + <Py_ssize_t>text_commented(&target[at], &data[start], <size_t>(end - start))

cdef inline Py_ssize_t put_hexdump(
    unsigned char[::1] target, Py_ssize_t at, const unsigned char[::1] data, Py_ssize_t start, Py_ssize_t end,
    Py_ssize_t offset, bint mysql
) except -1:
    fits(target, at, hexdump_size(end - start), data, start, end)
    if start == end:
        return at
    return at + <Py_ssize_t>text_hexdump(
        &target[at], &data[start], <size_t>(end - start), <uint64_t>offset, mysql)

cdef inline Py_ssize_t put_header(
    unsigned char[::1] target, Py_ssize_t at, const unsigned char[::1] data, Py_ssize_t start, Py_ssize_t offset,
    bint mysql
) except -1:
    fits(target, at, 120, data, start, start + 19)
    return at + <Py_ssize_t>text_header(&target[at], &data[start], <uint64_t>offset, mysql)
