# C forms of kernel.py for the compiled modules: `cimport kernel` beside `import kernel`.
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport uint64_t
from libc.string cimport memcmp, memcpy

cdef extern from "crc32.h" nogil:
    unsigned int binlog_crc32(const unsigned char *data, size_t size)

cdef extern from * nogil:
    unsigned long long swapped "__builtin_bswap64"(unsigned long long value)

cdef extern from "digits.h" nogil:
    const unsigned long long powers_of_ten[20]
    int digit_count(unsigned long long value)
    void put_digits(unsigned char *text, unsigned long long value, Py_ssize_t count)

cdef extern from "counters.h" nogil:
    void binlog_fill_counters(unsigned char *target, const unsigned char *iv, uint64_t first, size_t count)
    void binlog_xor(unsigned char *target, const unsigned char *left, const unsigned char *right, size_t size)

cdef extern from "copies.h" nogil:
    void copy_bytes(unsigned char *to, const unsigned char *from_, size_t size)

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
        copy_bytes(&target[at], &data[start], <size_t>(end - start))
    return at + end - start

cdef inline Py_ssize_t put_all(unsigned char[::1] target, Py_ssize_t at, bytes data) except? -1:
    cdef const unsigned char *source = data
    cdef Py_ssize_t size = len(data)
    if not 0 <= at <= target.shape[0] - size:
        raise IndexError("copy outside of a buffer")
    if size > 0:
        copy_bytes(&target[at], source, <size_t>size)
    return at + size

cdef inline object blank(type kind, tuple names):
    return kind.__new__(kind)

cdef inline bint is_zero(const unsigned char[::1] data, Py_ssize_t start, Py_ssize_t end) except -1:
    if not 0 <= start <= end <= data.shape[0]:
        raise IndexError("read outside of a buffer")
    while start < end:
        if data[start] != 0:
            return False
        start += 1
    return True

cdef inline unsigned long long little(
    const unsigned char[::1] data, Py_ssize_t at, Py_ssize_t size
) except? 0xFEDCBA9876543210:
    cdef unsigned long long value = 0
    cdef unsigned int four
    cdef unsigned short two
    if not 0 <= at <= data.shape[0] - size or not 0 <= size <= 8:
        raise IndexError("number outside of a buffer")
    if size == 4:  # the machine is little-endian: setup.py compiles on no other
        memcpy(&four, &data[at], 4)
        return four
    if size == 2:
        memcpy(&two, &data[at], 2)
        return two
    if size == 1:
        return data[at]
    if size == 8:
        memcpy(&value, &data[at], 8)
        return value
    if size > 0:
        copy_bytes(<unsigned char *>&value, &data[at], <size_t>size)
    return value

cdef inline unsigned long long big(
    const unsigned char[::1] data, Py_ssize_t at, Py_ssize_t size
) except? 0xFEDCBA9876543210:
    cdef unsigned long long value = 0
    cdef Py_ssize_t end = at + size
    if not 0 <= at <= data.shape[0] - size or not 0 <= size <= 8:
        raise IndexError("number outside of a buffer")
    if 0 < size and at <= data.shape[0] - 8:  # all eight bytes at once, and those after the number shifted out
        memcpy(&value, &data[at], 8)
        return swapped(value) >> (64 - 8 * size)
    while at < end:
        value = value << 8 | data[at]
        at += 1
    return value

cdef inline bytes cut(bytes data, Py_ssize_t start, Py_ssize_t end):
    if not 0 <= start <= end <= len(data):
        raise IndexError("cut outside of a buffer")
    return PyBytes_FromStringAndSize(PyBytes_AS_STRING(data) + start, end - start)

cdef inline str utf8(bytes data, Py_ssize_t start, Py_ssize_t end):
    if not 0 <= start <= end <= len(data):
        raise IndexError("text outside of a buffer")
    return PyUnicode_DecodeUTF8(PyBytes_AS_STRING(data) + start, end - start, "surrogateescape")

cdef inline bint same(bytes data, Py_ssize_t start, Py_ssize_t end, bytes other) except -1:
    if not 0 <= start <= end <= len(data):
        raise IndexError("comparison outside of a buffer")
    if len(other) != end - start:
        return False
    return memcmp(PyBytes_AS_STRING(data) + start, PyBytes_AS_STRING(other), <size_t>(end - start)) == 0

cdef extern from "json_chars.h" nogil:
    Py_ssize_t binlog_json_chars(unsigned char *to, const unsigned char *from_, size_t size, int allow_high)

cdef inline Py_ssize_t json_chars(
    unsigned char[::1] target, Py_ssize_t at, bytes data, Py_ssize_t start, Py_ssize_t end, bint allow_high
) except -2:
    cdef Py_ssize_t written
    if not 0 <= start <= end <= len(data) or not 0 <= at <= target.shape[0] - 6 * (end - start):
        raise IndexError("copy outside of a buffer")
    if start == end:
        return at
    written = binlog_json_chars(
        &target[at], <const unsigned char *>PyBytes_AS_STRING(data) + start, <size_t>(end - start), allow_high)
    return -1 if written < 0 else at + written

cdef inline Py_ssize_t put_number(
    unsigned char[::1] target, Py_ssize_t at, unsigned long long value, int width
) except -1:
    cdef Py_ssize_t size = max(digit_count(value), width)
    if not 0 <= at <= target.shape[0] - size:
        raise IndexError("copy outside of a buffer")
    put_digits(&target[at], value, size)
    return at + size

cdef inline unsigned long long power_of_ten(int exponent) except 0:
    if not 0 <= exponent < 20:
        raise IndexError("no power of ten in 64 bits")
    return powers_of_ten[exponent]

cdef inline Py_ssize_t to_signed(unsigned long long value, int bits) except? -81985529216486895:
    cdef unsigned long long sign = 1
    if not 0 < bits <= 64:
        raise IndexError("no number of so many bits")
    sign <<= bits - 1
    return <Py_ssize_t>((value ^ sign) - sign)

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

cdef extern from "find.h" nogil:
    Py_ssize_t binlog_find(
        const unsigned char *data, size_t size, const unsigned char *needle, size_t length, int fold)
    int binlog_is_ascii(const unsigned char *data, size_t size)

cdef inline Py_ssize_t find(
    const unsigned char[::1] data, Py_ssize_t start, Py_ssize_t end, bytes needle, bint fold
) except -2:
    cdef Py_ssize_t found
    if not 0 <= start <= end <= data.shape[0]:
        raise IndexError("search outside of a buffer")
    if start == end:
        return -1 if needle else start
    found = binlog_find(
        &data[start], <size_t>(end - start), <const unsigned char *>PyBytes_AS_STRING(needle), <size_t>len(needle), fold)
    return found if found < 0 else start + found

cdef inline bint is_ascii(const unsigned char[::1] data, Py_ssize_t start, Py_ssize_t end) except -1:
    if not 0 <= start <= end <= data.shape[0]:
        raise IndexError("read outside of a buffer")
    return start == end or binlog_is_ascii(&data[start], <size_t>(end - start))
