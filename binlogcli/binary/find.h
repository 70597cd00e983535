/* The first place of a byte string: sixteen places at a time are ruled out by the first and the last byte.
 *
 * With `fold`, ASCII letters match in both cases; the needle has small ones. Returns -1 where there is none.
 */
#ifndef BINLOGCLI_FIND_H
#define BINLOGCLI_FIND_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef unsigned char binlog_block __attribute__((vector_size(16)));

static inline int binlog_is_small(unsigned char byte)
{
    return byte >= 'a' && byte <= 'z';
}

static inline int binlog_is_at(const unsigned char *data, const unsigned char *needle, size_t length, int fold)
{
    if (!fold)
        return memcmp(data, needle, length) == 0;
    for (size_t at = 0; at < length; at++)
        if ((data[at] | (binlog_is_small(needle[at]) ? 0x20 : 0)) != needle[at])
            return 0;
    return 1;
}

static ptrdiff_t binlog_find(
    const unsigned char *data, size_t size, const unsigned char *needle, size_t length, int fold)
{
    if (length == 0)
        return 0;
    if (size < length)
        return -1;
    size_t at = 0, last = size - length;
    unsigned char first = needle[0], end = needle[length - 1];
    unsigned char first_case = fold && binlog_is_small(first) ? 0x20 : 0;
    unsigned char end_case = fold && binlog_is_small(end) ? 0x20 : 0;
    for (; at + 15 <= last; at += 16) {
        binlog_block firsts, ends;
        uint64_t halves[2];
        memcpy(&firsts, data + at, 16);
        memcpy(&ends, data + at + length - 1, 16);
        binlog_block hits = (binlog_block)(((firsts | first_case) == first) & ((ends | end_case) == end));
        memcpy(halves, &hits, 16);
        for (int half = 0; half < 2; half++)
            while (halves[half] != 0) {
                int byte = __builtin_ctzll(halves[half]) >> 3;  /* a hit is a byte of ones; the machine is little-endian */
                if (binlog_is_at(data + at + 8 * half + byte, needle, length, fold))
                    return (ptrdiff_t)(at + 8 * half + byte);
                halves[half] &= ~(0xFFULL << 8 * byte);
            }
    }
    for (; at <= last; at++)
        if ((data[at] | first_case) == first && binlog_is_at(data + at, needle, length, fold))
            return (ptrdiff_t)at;
    return -1;
}

/* Whether all bytes are below 0x80. */
static inline int binlog_is_ascii(const unsigned char *data, size_t size)
{
    uint64_t eight, all = 0;
    if (size >= 8) {
        const unsigned char *last = data + size - 8;
        for (; data < last; data += 8) {
            memcpy(&eight, data, 8);
            all |= eight;
        }
        memcpy(&eight, last, 8);  /* with some of the bytes before it once more */
        all |= eight;
        size = 0;
    }
    while (size > 0)
        all |= data[--size];
    return (all & 0x8080808080808080ULL) == 0;
}

#endif
