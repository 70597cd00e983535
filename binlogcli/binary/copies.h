/* Copies of a few bytes, which a call of memcpy would take longer to begin than to make. */
#ifndef BINLOGCLI_COPIES_H
#define BINLOGCLI_COPIES_H

#include <stddef.h>
#include <string.h>

/* Copies that overlap in their middle: each has a size that the compiler knows. */
static inline void copy_bytes(unsigned char *to, const unsigned char *from, size_t size)
{
    if (size > 64) {
        memcpy(to, from, size);
    } else if (size >= 32) {
        memcpy(to, from, 32);
        memcpy(to + size - 32, from + size - 32, 32);
    } else if (size >= 16) {
        memcpy(to, from, 16);
        memcpy(to + size - 16, from + size - 16, 16);
    } else if (size >= 8) {
        memcpy(to, from, 8);
        memcpy(to + size - 8, from + size - 8, 8);
    } else if (size >= 4) {
        memcpy(to, from, 4);
        memcpy(to + size - 4, from + size - 4, 4);
    } else if (size > 0) {
        to[0] = from[0];
        to[size / 2] = from[size / 2];
        to[size - 1] = from[size - 1];
    }
}

#endif
