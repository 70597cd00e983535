/* Places in a file whose bytes look like an event: its header, and what its type says of the bytes after it.
 *
 * Sixteen places at a time are ruled out by three bytes of the header: the type, the highest byte of the length, and
 * the flags that no server sets. What is left of random bytes, one place in 300, is looked at by type. `shapes.py` has
 * the Python form with the reasons; both give the same answers.
 */
#ifndef BINLOGCLI_SHAPES_H
#define BINLOGCLI_SHAPES_H

#include "shape_bodies.h"

/* The shape of the event that may begin at `p`: `at_hand` bytes can be looked at, of `left` that the file has. */
static int binlog_shape(const unsigned char *p, size_t at_hand, uint64_t left)
{
    if (at_hand < SHAPE_HEADER)
        return 0;
    uint32_t length = shape_4(p + 9), position = shape_4(p + 13), flags = shape_2(p + 17);
    if (length < SHAPE_HEADER || length > SHAPE_LARGEST || length > left || flags & SHAPE_UNKNOWN_FLAGS)
        return 0;
    if (length > SHAPE_SHORT ? position < length : position > 0 && position < 4)
        return 0;
    shape_event event = {p + SHAPE_HEADER, (at_hand < length ? at_hand : length) - SHAPE_HEADER, length - SHAPE_HEADER};
    return shape_by_type(&event, p[4], flags);
}

typedef unsigned char shape_block __attribute__((vector_size(16)));

/* The first place in [at, stop) that has a shape, or -1. The data has `size` bytes, the file `left` more than `at`. */
static ptrdiff_t binlog_find_shape(const unsigned char *data, size_t at, size_t stop, size_t size, uint64_t left)
{
    uint64_t file = left + at;
    while (at < stop) {
        if (at + 18 + 16 <= size) {
            shape_block types, lengths, flags;
            uint64_t halves[2];
            memcpy(&types, data + at + 4, 16);
            memcpy(&lengths, data + at + 12, 16);
            memcpy(&flags, data + at + 18, 16);
            shape_block known = (shape_block)((types - 1 < 43) | (types - 160 < 13));
            shape_block hits = known & (shape_block)(lengths <= 0x40) & (shape_block)((flags & 0x3C) == 0);
            memcpy(halves, &hits, 16);
            for (int half = 0; half < 2; half++)
                while (halves[half] != 0) {
                    size_t place = at + 8 * (size_t)half + ((size_t)__builtin_ctzll(halves[half]) >> 3);
                    if (place >= stop)
                        return -1;
                    if (binlog_shape(data + place, size - place, file - place))
                        return (ptrdiff_t)place;
                    halves[half] &= ~(0xFFULL << 8 * (place - at - 8 * (size_t)half));
                }
            at += 16;
        } else {
            if (binlog_shape(data + at, size - at, file - at))
                return (ptrdiff_t)at;
            at++;
        }
    }
    return -1;
}

#endif
