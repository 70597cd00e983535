/* Loops over the bytes of values that become columns: decimals as numbers of 128 bits, texts as sound UTF-8. */
#ifndef BINLOGCLI_COLUMN_LOOPS_H
#define BINLOGCLI_COLUMN_LOOPS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The digits of a decimal, sign first and a point wherever it is, as one number of 128 bits, little-endian. */
static inline void column_decimal(unsigned char *to, const unsigned char *text, size_t size)
{
    unsigned __int128 value = 0;
    uint64_t part = 0, scale = 1;
    int negative = size > 0 && text[0] == '-';
    for (size_t at = (size_t)negative; at < size; at++) {
        if (text[at] == '.')
            continue;
        part = part * 10 + (uint64_t)(text[at] - '0');
        scale *= 10;
        if (scale == 1000000000000000000ULL) { /* before it grows out of 64 bits */
            value = value * scale + part;
            part = 0;
            scale = 1;
        }
    }
    value = value * scale + part;
    if (negative)
        value = -value;
    memcpy(to, &value, 16);
}

/* Whether from[0:size] is UTF-8, by the table of the Unicode standard: shortest forms, no surrogates, up to U+10FFFF. */
static int column_is_utf8(const unsigned char *from, size_t size)
{
    const unsigned char *end = from + size;
    while (from < end) {
        unsigned char first = *from++;
        unsigned char low = 0x80, high = 0xBF;
        int more;
        if (first < 0x80)
            continue;
        if (first < 0xC2 || first > 0xF4)
            return 0;
        more = first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
        if (end - from < more)
            return 0;
        if (first == 0xE0)
            low = 0xA0;
        else if (first == 0xED)
            high = 0x9F;
        else if (first == 0xF0)
            low = 0x90;
        else if (first == 0xF4)
            high = 0x8F;
        if (*from < low || *from > high)
            return 0;
        for (from++, more--; more > 0; from++, more--)
            if ((*from & 0xC0) != 0x80)
                return 0;
    }
    return 1;
}

/* Copies; 2 where all was ASCII, 1 where it was other UTF-8, 0 where it was neither. */
static inline int column_copy_text(unsigned char *to, const unsigned char *from, size_t size)
{
    const uint64_t tops = 0x8080808080808080ULL;
    uint64_t seen = 0, eight = 0;
    size_t at = 0;
    for (; at + 8 <= size; at += 8) {
        memcpy(&eight, from + at, 8);
        memcpy(to + at, &eight, 8);
        seen |= eight;
    }
    for (; at < size; at++) {
        to[at] = from[at];
        seen |= from[at];
    }
    if (!(seen & tops))
        return 2;
    return column_is_utf8(from, size);
}

/* Characters of one byte each as UTF-8. The table has four bytes for each of 256: a length up to 3, then so many bytes.
 * Returns how many were written (`to` has room for three times `size`), or -1 at a byte that is no character. */
static inline ptrdiff_t column_recode(
    unsigned char *to, const unsigned char *from, size_t size, const unsigned char *table)
{
    unsigned char *begin = to;
    for (size_t at = 0; at < size; at++) {
        const unsigned char *entry = table + 4 * (size_t)from[at];
        if (entry[0] == 0 || entry[0] > 3)
            return -1;
        memcpy(to, entry + 1, 3);
        to += entry[0];
    }
    return to - begin;
}

/* Clears the bits [start, end), counted from the lowest of the first byte. */
static inline void column_clear_bits(unsigned char *bits, size_t start, size_t end)
{
    for (; start < end && (start & 7); start++)
        bits[start >> 3] &= (unsigned char)~(1u << (start & 7));
    if (end - start >= 8) {
        size_t whole = (end - start) >> 3;
        memset(bits + (start >> 3), 0, whole);
        start += whole << 3;
    }
    for (; start < end; start++)
        bits[start >> 3] &= (unsigned char)~(1u << (start & 7));
}

#endif
