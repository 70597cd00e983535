# C forms of column_loops.py for the compiled modules: `cimport column_loops` beside `import column_loops`.
from cpython.bytearray cimport PyByteArray_FromStringAndSize
from libc.string cimport memcpy, memset

cdef extern from "column_loops.h" nogil:
    void column_decimal(unsigned char *to, const unsigned char *text, size_t size)
    int column_copy_text(unsigned char *to, const unsigned char *from_, size_t size)
    Py_ssize_t column_recode(unsigned char *to, const unsigned char *from_, size_t size, const unsigned char *table)
    void column_clear_bits(unsigned char *bits, size_t start, size_t end)

cdef inline bytearray new_room(Py_ssize_t size):
    return PyByteArray_FromStringAndSize(NULL, size)

cdef inline int put_little(
    unsigned char[::1] target, Py_ssize_t at, unsigned long long value, int width
) except -1:
    cdef unsigned int four
    if not 0 <= at <= target.shape[0] - width or not 1 <= width <= 8:
        raise IndexError("number outside of a buffer")
    if width == 8:  # the machine is little-endian: setup.py compiles on no other
        memcpy(&target[at], &value, 8)
    elif width == 4:
        four = <unsigned int>value
        memcpy(&target[at], &four, 4)
    else:
        memcpy(&target[at], &value, <size_t>width)
    return 0

cdef inline int put_run(
    unsigned char[::1] target, Py_ssize_t at, unsigned long long value, int width, Py_ssize_t count, unsigned int step
) except -1:
    cdef unsigned int four
    cdef unsigned char *to
    if not 1 <= width <= 8 or count < 0 or not 0 <= at <= target.shape[0] - width * count:
        raise IndexError("numbers outside of a buffer")
    if count == 0:
        return 0
    to = &target[at]
    if width == 8:
        while count > 0:
            memcpy(to, &value, 8)
            to += 8
            value += step
            count -= 1
    elif width == 4:
        four = <unsigned int>value
        while count > 0:
            memcpy(to, &four, 4)
            to += 4
            four += step
            count -= 1
    else:
        while count > 0:
            memcpy(to, &value, <size_t>width)
            to += width
            value += step
            count -= 1
    return 0

cdef inline unsigned long long wide_at(
    const unsigned char[::1] data, Py_ssize_t at
) except? 0xFEDCBA9876543210:
    cdef unsigned long long value
    if not 0 <= at <= data.shape[0] - 8:
        raise IndexError("number outside of a buffer")
    memcpy(&value, &data[at], 8)
    return value

cdef inline int lengthen(
    unsigned char[::1] target, const unsigned char[::1] data, Py_ssize_t count, unsigned long long low,
    unsigned long long high
) except -1:
    cdef unsigned long long value
    cdef unsigned char *to
    cdef const unsigned char *source
    if not 0 <= 8 * count <= data.shape[0] or 16 * count > target.shape[0]:
        raise IndexError("numbers outside of a buffer")
    if count == 0:
        return 0
    to = &target[0]
    source = &data[0]
    while count > 0:
        memcpy(&value, source, 8)
        value += low
        memcpy(to, &value, 8)
        memcpy(to + 8, &high, 8)
        to += 16
        source += 8
        count -= 1
    return 0

cdef inline int put_single(unsigned char[::1] target, Py_ssize_t at, double value) except -1:
    cdef float single = <float>value
    if not 0 <= at <= target.shape[0] - 4:
        raise IndexError("number outside of a buffer")
    memcpy(&target[at], &single, 4)
    return 0

cdef inline int put_double(unsigned char[::1] target, Py_ssize_t at, double value) except -1:
    if not 0 <= at <= target.shape[0] - 8:
        raise IndexError("number outside of a buffer")
    memcpy(&target[at], &value, 8)
    return 0

cdef inline int put_decimal(
    unsigned char[::1] target, Py_ssize_t at, const unsigned char[::1] text, Py_ssize_t size
) except -1:
    if not 0 <= at <= target.shape[0] - 16 or not 1 <= size <= text.shape[0]:
        raise IndexError("number outside of a buffer")
    column_decimal(&target[at], &text[0], <size_t>size)
    return 0

cdef inline int copy_text(
    unsigned char[::1] target, Py_ssize_t at, const unsigned char[::1] data, Py_ssize_t start, Py_ssize_t end
) except -1:
    if not 0 <= start <= end <= data.shape[0] or not 0 <= at <= target.shape[0] - (end - start):
        raise IndexError("copy outside of a buffer")
    if start == end:
        return 2
    return column_copy_text(&target[at], &data[start], <size_t>(end - start))

cdef inline Py_ssize_t recode(
    unsigned char[::1] target, Py_ssize_t at, const unsigned char[::1] data, Py_ssize_t start, Py_ssize_t end,
    const unsigned char[::1] table
) except -2:
    cdef Py_ssize_t written
    if not 0 <= start <= end <= data.shape[0] or not 0 <= at <= target.shape[0] - 3 * (end - start):
        raise IndexError("copy outside of a buffer")
    if table.shape[0] != 1024:
        raise IndexError("no table of characters")
    if start == end:
        return at
    written = column_recode(&target[at], &data[start], <size_t>(end - start), &table[0])
    return -1 if written < 0 else at + written

cdef inline int fill(unsigned char[::1] target, Py_ssize_t start, Py_ssize_t end, int byte) except -1:
    if not 0 <= start <= end <= target.shape[0]:
        raise IndexError("bytes outside of a buffer")
    if start < end:
        memset(&target[start], byte, <size_t>(end - start))
    return 0

cdef inline int clear_bits(unsigned char[::1] target, Py_ssize_t start, Py_ssize_t end) except -1:
    if not 0 <= start <= end <= 8 * target.shape[0]:
        raise IndexError("bits outside of a buffer")
    if start < end:
        column_clear_bits(&target[0], <size_t>start, <size_t>end)
    return 0
