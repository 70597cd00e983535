/* The inside of a JSON string: control characters, quotes and backslashes escaped, all else as it is.
 *
 * `to` has room for six times `size`. Returns how many bytes were written, or -1 at a byte above 0x7f where those
 * are not allowed.
 */
#ifndef BINLOGCLI_JSON_CHARS_H
#define BINLOGCLI_JSON_CHARS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Whether any of eight bytes is below 0x20, a quote, a backslash, or (where `high` says so) above 0x7f. The last
 * terms find a zero byte in x; a byte above 0x7f may be missed by them, and is one the caller either refuses or keeps. */
static inline int binlog_json_special(uint64_t eight, uint64_t high)
{
    const uint64_t ones = 0x0101010101010101ULL, tops = 0x8080808080808080ULL;
    uint64_t quote = eight ^ (ones * 0x22), backslash = eight ^ (ones * 0x5C);
    return ((((eight - ones * 0x20) & ~eight) | ((quote - ones) & ~quote) | ((backslash - ones) & ~backslash)
             | (eight & high)) & tops) != 0;
}

static inline unsigned char *binlog_json_escape(unsigned char *to, unsigned char byte)
{
    static const char hex[] = "0123456789abcdef";
    *to++ = '\\';
    switch (byte) {
    case '"': case '\\': *to++ = byte; return to;
    case '\b': *to++ = 'b'; return to;
    case '\t': *to++ = 't'; return to;
    case '\n': *to++ = 'n'; return to;
    case '\f': *to++ = 'f'; return to;
    case '\r': *to++ = 'r'; return to;
    }
    *to++ = 'u'; *to++ = '0'; *to++ = '0';
    *to++ = (unsigned char)hex[byte >> 4];
    *to++ = (unsigned char)hex[byte & 15];
    return to;
}

static ptrdiff_t binlog_json_chars(unsigned char *to, const unsigned char *from, size_t size, int allow_high)
{
    unsigned char *begin = to;
    const unsigned char *end = from + size;
    const uint64_t high = allow_high ? 0 : 0x8080808080808080ULL;
    while (from < end) {
        uint64_t eight;
        while (end - from >= 8) {
            memcpy(&eight, from, 8);
            if (binlog_json_special(eight, high))
                break;
            memcpy(to, &eight, 8);
            from += 8;
            to += 8;
        }
        for (int left = 8; left > 0 && from < end; left--, from++) {
            unsigned char byte = *from;
            if (byte >= 0x80 && !allow_high)
                return -1;
            if (byte < 0x20 || byte == '"' || byte == '\\')
                to = binlog_json_escape(to, byte);
            else
                *to++ = byte;
        }
    }
    return to - begin;
}

#endif
