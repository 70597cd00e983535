# C forms of kernel.py for the compiled modules: `cimport kernel` beside `import kernel`.
from libc.stdint cimport uint64_t
from libc.string cimport memcpy

cdef extern from "counters.h" nogil:
    void binlog_fill_counters(unsigned char *target, const unsigned char *iv, uint64_t first, size_t count)
    void binlog_xor(unsigned char *target, const unsigned char *left, const unsigned char *right, size_t size)

cdef inline int gather(
    unsigned char[::1] target, Py_ssize_t at, const unsigned char[::1] data, Py_ssize_t start, Py_ssize_t size
) except -1:
    if size < 0 or not 0 <= start <= data.shape[0] - size or not 0 <= at <= target.shape[0] - size:
        raise IndexError("copy outside of a buffer")
    if size > 0:
        memcpy(&target[at], &data[start], <size_t>size)
    return 0

cdef inline int fill_counters(
    unsigned char[::1] target, Py_ssize_t at, const unsigned char[::1] iv, Py_ssize_t first, Py_ssize_t count
) except -1:
    if count < 0 or first < 0 or iv.shape[0] != 16 or not 0 <= at <= target.shape[0] - 16 * count:
        raise IndexError("counters outside of a buffer")
    if count > 0:
        binlog_fill_counters(&target[at], &iv[0], <uint64_t>first, <size_t>count)
    return 0

cdef inline int xor(
    unsigned char[::1] target, Py_ssize_t at,
    const unsigned char[::1] left, Py_ssize_t left_at,
    const unsigned char[::1] right, Py_ssize_t right_at, Py_ssize_t size
) except -1:
    if (
        size < 0 or not 0 <= at <= target.shape[0] - size
        or not 0 <= left_at <= left.shape[0] - size or not 0 <= right_at <= right.shape[0] - size
    ):
        raise IndexError("xor outside of a buffer")
    if size > 0:
        binlog_xor(&target[at], &left[left_at], &right[right_at], <size_t>size)
    return 0
