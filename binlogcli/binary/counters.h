/* Blocks for AES in bulk: counters of CTR mode written out, and two stretches of bytes combined. */
#ifndef BINLOGCLI_COUNTERS_H
#define BINLOGCLI_COUNTERS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t binlog_big_endian(const unsigned char *p)
{
    uint64_t value = 0;
    for (int at = 0; at < 8; at++)
        value = value << 8 | p[at];
    return value;
}

static inline void binlog_put_big_endian(unsigned char *p, uint64_t value)
{
    for (int at = 7; at >= 0; at--, value >>= 8)
        p[at] = (unsigned char)value;
}

/* iv + first, iv + first + 1, ...: numbers of 128 bits, big-endian, of which all take part in the carry. */
static inline void binlog_fill_counters(unsigned char *target, const unsigned char *iv, uint64_t first, size_t count)
{
    uint64_t high = binlog_big_endian(iv), base = binlog_big_endian(iv + 8), low = base + first;
    high += low < base;
    for (; count > 0; count--, target += 16) {
        binlog_put_big_endian(target, high);
        binlog_put_big_endian(target + 8, low);
        high += ++low == 0;
    }
}

static inline void binlog_xor(unsigned char *target, const unsigned char *left, const unsigned char *right, size_t size)
{
    uint64_t a, b;
    for (; size >= 8; size -= 8, target += 8, left += 8, right += 8) {
        memcpy(&a, left, 8);
        memcpy(&b, right, 8);
        a ^= b;
        memcpy(target, &a, 8);
    }
    for (; size > 0; size--)
        *target++ = *left++ ^ *right++;
}

#endif
